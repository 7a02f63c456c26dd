//! What the pages of MCP 2025-11-25 on its lifecycle, its features and its tasks say and no rule judges, each sentence with the reason.

use super::clauses::of;
use crate::protocol::Remark;

/// 2025-11-25.
pub static V2025_11_25: &[Remark] = of! { "2025-11-25";
    NotObservable Must "client-begins" "/basic/lifecycle" "The client MUST initiate this phase by sending an `initialize` request"
        "a connection without it is judged by the clause on the first interaction";
    NotObservable Must "server-tells-itself" "/basic/lifecycle" "The server MUST respond with its own capabilities and information"
        "members of a result are judged with a schema only";
    NotObservable Must "version-supported" "/basic/lifecycle" "the client MUST send a protocol version it supports"
        "what a client supports is known to the client alone";
    NotObservable Should "version-latest" "/basic/lifecycle" "This SHOULD be the latest version supported by the client"
        "what a client supports is known to the client alone";
    NotObservable Must "same-version" "/basic/lifecycle" "If the server supports the requested protocol version, it MUST respond with the same version"
        "what a server supports is known to the server alone";
    NotObservable Must "another-version" "/basic/lifecycle" "Otherwise, the server MUST respond with another protocol version it supports"
        "what a server supports is known to the server alone";
    NotObservable Should "disconnect-on-version" "/basic/lifecycle" "If the client does not support the version in the server's response, it SHOULD disconnect"
        "what a client supports is known to the client alone";
    NotObservable Must "respect-version" "/basic/lifecycle" "Both parties MUST: Respect the negotiated protocol version"
        "each clause of that version is judged by itself";
    NotObservable Should "shutdown-order" "/basic/lifecycle" "the client SHOULD initiate shutdown by: First, closing the input stream to the child process"
        "a recording shows who closed, and not who killed a process";
    NotObservable Should "timeouts" "/basic/lifecycle" "Implementations SHOULD establish timeouts for all sent requests"
        "a timeout inside a side leaves no trace until it runs out";
    NotObservable Should "timeouts-configurable" "/basic/lifecycle" "SHOULD allow these timeouts to be configured on a per-request basis"
        "settings are not in the messages";
    Allows May "timeout-reset" "/basic/lifecycle" "Implementations MAY choose to reset the timeout clock when receiving a progress notification"
        "requests that are waited for as long as they report";
    NotObservable Should "maximum-timeout" "/basic/lifecycle" "implementations SHOULD always enforce a maximum timeout"
        "no number says how long";
    Persons Should "human-in-the-loop" "/server/tools" "there SHOULD always be a human in the loop with the ability to deny tool invocations"
        "what a person is asked by the application is not in the messages";
    Persons Should "tools-shown" "/server/tools" "Applications SHOULD: Provide UI that makes clear which tools are being exposed to the AI model"
        "what is shown to a person is not in the messages";
    NotObservable Must "tools-declared" "/server/tools" "Servers that support tools MUST declare the `tools` capability"
        "a server that does not declare them and answers may do so out of courtesy; a refusal is judged by the clause on negotiated capabilities";
    NotObservable Should "tools-changed" "/server/tools" "servers that declared the `listChanged` capability SHOULD send a notification"
        "that a list changed is known to the server alone";
    NotObservable Must "annotations-untrusted" "/server/tools" "clients MUST consider tool annotations to be untrusted unless they come from trusted servers"
        "whom a client trusts is inside it";
    NotObservable Should "tool-name-length" "/server/tools" "Tool names SHOULD be between 1 and 128 characters in length"
        "payloads of lists are judged with a schema only";
    NotObservable Should "tool-name-characters" "/server/tools" "Tool names SHOULD NOT contain spaces, commas, or other special characters"
        "payloads of lists are judged with a schema only";
    NotObservable Should "tool-name-unique" "/server/tools" "Tool names SHOULD be unique within a server"
        "payloads of lists are judged with a schema only";
    NotObservable Must "input-schema-valid" "/server/tools" "MUST be a valid JSON Schema object (not `null`)"
        "payloads of lists are judged with a schema only";
    NotObservable Should "output-validated" "/server/tools" "Clients SHOULD validate structured results against this schema"
        "what a client checks is inside it";
    NotObservable Should "output-as-text" "/server/tools" "a tool that returns structured content SHOULD also return the serialized JSON in a TextContent block"
        "payloads of results are judged with a schema only";
    NotObservable Should "errors-to-model" "/server/tools" "Clients SHOULD provide tool execution errors to language models"
        "what a model is told is not in the messages";
    NotObservable Must "tool-servers-guard" "/server/tools" "Servers MUST: Validate all tool inputs; Implement proper access controls; Rate limit tool invocations; Sanitize tool outputs"
        "what a server checks is inside it";
    Persons Should "tool-clients-guard" "/server/tools" "Clients SHOULD: Prompt for user confirmation on sensitive operations"
        "what a person is asked by the application is not in the messages";
    NotObservable Must "resources-declared" "/server/resources" "Servers that support resources MUST declare the `resources` capability"
        "a server that does not declare them and answers may do so out of courtesy; a refusal is judged by the clause on negotiated capabilities";
    NotObservable Should "resources-changed" "/server/resources" "servers that declared the `listChanged` capability SHOULD send a notification"
        "that a list changed is known to the server alone";
    NotObservable Should "https-scheme" "/server/resources" "Servers SHOULD use this scheme only when the client is able to fetch and load the resource directly from the web on its own"
        "what a client can fetch is not in the messages";
    NotObservable Must "custom-scheme" "/server/resources" "Custom URI schemes MUST be in accordance with RFC3986"
        "payloads of lists are judged with a schema only";
    NotObservable Should "resource-errors" "/server/resources" "Servers SHOULD return standard JSON-RPC errors for common failure cases"
        "why a server failed is known to the server alone";
    NotObservable Must "uris-validated" "/server/resources" "Servers MUST validate all resource URIs"
        "what a server checks is inside it";
    NotObservable Should "resource-access" "/server/resources" "Access controls SHOULD be implemented for sensitive resources"
        "what a server protects is inside it";
    NotObservable Must "binary-encoded" "/server/resources" "Binary data MUST be properly encoded"
        "payloads of results are judged with a schema only";
    NotObservable Should "permissions-checked" "/server/resources" "Resource permissions SHOULD be checked before operations"
        "what a server checks is inside it";
    NotObservable Must "prompts-declared" "/server/prompts" "Servers that support prompts MUST declare the `prompts` capability"
        "a server that does not declare them and answers may do so out of courtesy; a refusal is judged by the clause on negotiated capabilities";
    NotObservable Should "prompts-changed" "/server/prompts" "servers that declared the `listChanged` capability SHOULD send a notification"
        "that a list changed is known to the server alone";
    NotObservable Must "image-encoded" "/server/prompts" "The image data MUST be base64-encoded and include a valid MIME type"
        "payloads of results are judged with a schema only";
    NotObservable Must "audio-encoded" "/server/prompts" "The audio data MUST be base64-encoded and include a valid MIME type"
        "payloads of results are judged with a schema only";
    NotObservable Must "embedded-resource" "/server/prompts" "Resources can contain either text or binary (blob) data and MUST include: A valid resource URI"
        "payloads of results are judged with a schema only";
    NotObservable Should "prompt-errors" "/server/prompts" "Servers SHOULD return standard JSON-RPC errors for common failure cases"
        "why a server failed is known to the server alone";
    NotObservable Should "prompt-arguments" "/server/prompts" "Servers SHOULD validate prompt arguments before processing"
        "what a server checks is inside it";
    NotObservable Must "prompts-validated" "/server/prompts" "Implementations MUST carefully validate all prompt inputs and outputs"
        "what an implementation checks is inside it";
    NotObservable Must "completions-declared" "/server/utilities/completion" "Servers that support completions MUST declare the `completions` capability"
        "a server that does not declare them and answers may do so out of courtesy";
    NotObservable Should "completion-errors" "/server/utilities/completion" "Servers SHOULD return standard JSON-RPC errors for common failure cases"
        "why a server failed is known to the server alone";
    NotObservable Should "completion-sorted" "/server/utilities/completion" "Servers SHOULD: Return suggestions sorted by relevance"
        "relevance is known to the server alone";
    Persons Should "completion-debounced" "/server/utilities/completion" "Clients SHOULD: Debounce rapid completion requests"
        "how fast a person types is not in the messages";
    NotObservable Must "completion-guarded" "/server/utilities/completion" "Implementations MUST: Validate all completion inputs"
        "what an implementation checks is inside it";
    NotObservable Must "roots-declared" "/client/roots" "Clients that support roots MUST declare the `roots` capability"
        "a client that does not declare them and answers may do so out of courtesy; a refusal is judged by the clause on negotiated capabilities";
    NotObservable Must "roots-changed" "/client/roots" "clients that support `listChanged` MUST send a notification"
        "that roots changed is known to the client alone";
    NotObservable Must "root-is-file" "/client/roots" "This MUST be a `file://` URI in the current specification"
        "payloads of results are judged with a schema only";
    NotObservable Should "root-errors" "/client/roots" "Clients SHOULD return standard JSON-RPC errors for common failure cases"
        "why a client failed is known to the client alone";
    NotObservable Must "roots-guarded" "/client/roots" "Clients MUST: Only expose roots with appropriate permissions"
        "permissions are not in the messages";
    NotObservable Should "roots-respected" "/client/roots" "Servers SHOULD: Handle cases where roots become unavailable; Respect root boundaries during operations"
        "what a server touches is not in the messages";
    Persons Should "roots-consent" "/client/roots" "Clients SHOULD: Prompt users for consent before exposing roots to servers"
        "what a person is asked by the application is not in the messages";
    Persons Should "sampling-human" "/client/sampling" "there SHOULD always be a human in the loop with the ability to deny sampling requests"
        "what a person is asked by the application is not in the messages";
    Persons Should "sampling-review" "/client/sampling" "Applications SHOULD: Provide UI that makes it easy and intuitive to review sampling requests"
        "what is shown to a person is not in the messages";
    NotObservable Must "sampling-declared" "/client/sampling" "Clients that support sampling MUST declare the `sampling` capability"
        "a client that does not declare it and answers may do so out of courtesy; a refusal is judged by the clause on negotiated capabilities";
    NotObservable Should "context-avoided" "/client/sampling" "Servers SHOULD avoid using these values"
        "payloads of requests are judged with a schema only";
    NotObservable Must "only-tool-results" "/client/sampling" "it MUST contain ONLY tool results"
        "payloads of requests are judged with a schema only";
    NotObservable Must "tool-results-follow" "/client/sampling" "every assistant message containing `ToolUseContent` blocks MUST be followed by a user message that consists entirely of `ToolResultContent` blocks"
        "payloads of requests are judged with a schema only";
    NotObservable Must "form-not-for-secrets" "/client/elicitation" "Servers MUST NOT use form mode elicitation to request sensitive information"
        "what is sensitive is known to persons";
    NotObservable Must "url-for-secrets" "/client/elicitation" "Servers MUST use URL mode for interactions involving sensitive information"
        "what is sensitive is known to persons";
    Persons Must "elicitation-shown" "/client/elicitation" "MCP clients MUST: Provide UI that makes it clear which server is requesting information"
        "what is shown to a person is not in the messages";
    NotObservable Must "elicitation-declared" "/client/elicitation" "Clients that support elicitation MUST declare the `elicitation` capability"
        "a client that does not declare it and answers may do so out of courtesy; a refusal is judged by the clause on negotiated capabilities";
    NotObservable Must "one-mode" "/client/elicitation" "Clients declaring the `elicitation` capability MUST support at least one mode"
        "what a client supports beyond what it declares is not in the messages";
    NotObservable Must "elicitation-members" "/client/elicitation" "All elicitation requests MUST include the following parameters"
        "payloads of requests are judged with a schema only";
    NotObservable Must "no-mode-is-form" "/client/elicitation" "Clients MUST treat requests without a `mode` field as form mode"
        "what a client shows is inside it";
    NotObservable Must "url-valid" "/client/elicitation" "The `url` parameter MUST contain a valid URL"
        "payloads of requests are judged with a schema only";
    NotObservable Must "complete-to-its-client" "/client/elicitation" "MUST only send the notification to the client that initiated the elicitation request"
        "one connection does not show what others are told";
    NotObservable Must "complete-names-id" "/client/elicitation" "MUST include the `elicitationId` established in the original `elicitation/create` request"
        "payloads of notifications are judged with a schema only";
    NotObservable Must "unknown-complete-ignored" "/client/elicitation" "MUST ignore notifications referencing unknown or already-completed IDs"
        "what is ignored leaves no trace";
    NotObservable Must "url-error-only-then" "/client/elicitation" "The server MUST NOT return this error except when URL mode elicitation is required"
        "what is required is known to the server alone";
    NotObservable Must "tasks-declared" "/basic/utilities/tasks" "Servers and clients that support task-augmented requests MUST declare a `tasks` capability during initialization"
        "what a side supports beyond what it declares is not in the messages";
    NotObservable Should "tasks-only-declared" "/basic/utilities/tasks" "Requestors SHOULD only augment requests with a task if the corresponding capability has been declared by the receiver"
        "of tools the stronger clause is judged";
    NotObservable Must "tool-forbids-task" "/basic/utilities/tasks" "clients MUST NOT attempt to invoke the tool as a task"
        "lists of tools are not remembered: they may have changed since";
    NotObservable Must "tool-requires-task" "/basic/utilities/tasks" "clients MUST invoke the tool as a task"
        "lists of tools are not remembered: they may have changed since";
    NotObservable Should "poll-interval" "/basic/utilities/tasks" "Requestors SHOULD respect the `pollInterval` provided in responses when determining polling frequency"
        "several parts of a requestor may poll, each at its own pace";
    NotObservable Should "poll-on" "/basic/utilities/tasks" "Requestors SHOULD continue polling until the task reaches a terminal status"
        "that a requestor has lost interest is known to it alone";
    NotObservable Must "status-not-relied-on" "/basic/utilities/tasks" "Requestors MUST NOT rely on receiving this notifications"
        "what a requestor relies on is inside it";
    NotObservable Must "task-id-by-receiver" "/basic/utilities/tasks" "Task IDs MUST be generated by the receiver when creating a task"
        "how an id was made is not in the messages";
    NotObservable Should "input-required-status" "/basic/utilities/tasks" "the receiver SHOULD move the task to the `input_required` status"
        "why a task waits is known to the receiver alone";
    NotObservable Must "created-at" "/basic/utilities/tasks" "Receivers MUST include a `createdAt`"
        "payloads of results are judged with a schema only";
    NotObservable Must "last-updated-at" "/basic/utilities/tasks" "Receivers MUST include a `lastUpdatedAt`"
        "payloads of results are judged with a schema only";
    NotObservable Must "ttl" "/basic/utilities/tasks" "Receivers MUST include the actual `ttl` duration (or `null` for unlimited) in `tasks/get` responses"
        "payloads of results are judged with a schema only";
    NotObservable Must "final-result" "/basic/utilities/tasks" "receivers MUST return from `tasks/result` exactly what the underlying request would have returned"
        "what it would have been is known to the receiver alone";
    NotObservable Should "no-related-task-in-requests" "/basic/utilities/tasks" "Requestors SHOULD NOT include `io.modelcontextprotocol/related-task` metadata in these requests"
        "receivers ignore it, so that nothing hangs on it";
    NotObservable Should "tasks-paged" "/basic/utilities/tasks" "Receivers SHOULD use cursor-based pagination to limit the number of tasks returned in a single response"
        "no number says how many are too many";
    NotObservable Must "tasks-next-cursor" "/basic/utilities/tasks" "Receivers MUST include a `nextCursor` in the response if more tasks are available"
        "how many tasks there are is known to the receiver alone";
    NotObservable Must "tasks-listed" "/basic/utilities/tasks" "it MUST be retrievable via `tasks/list` for that requestor"
        "lists may be of a moment in which the task was not there";
    Allows May "cancelled-task-deleted" "/basic/utilities/tasks" "receivers MAY delete cancelled tasks at their discretion at any time"
        "a refusal of a task that was cancelled";
    NotObservable Should "cancelled-task-not-relied-on" "/basic/utilities/tasks" "Requestors SHOULD NOT rely on cancelled tasks being retained"
        "what a requestor relies on is inside it";
};
