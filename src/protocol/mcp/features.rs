//! What the pages of MCP with a handshake on its lifecycle, its features and its tasks say and no ruling rests on, each sentence with the
//! reason. Pages that could not be had are not here: of 2024-11-05 and 2025-03-26 those on the base, the lifecycle, prompts and sampling.

use super::clauses::of;
use crate::protocol::Remark;

/// Tools, resources and roots, as all four revisions say it.
macro_rules! features {
    ($revision:literal) => {
        $crate::protocol::mcp::clauses::of! { $revision;
            Persons Should "human-in-the-loop" "/server/tools" "there SHOULD always be a human in the loop with the ability to deny tool invocations"
                "what a person is asked by the application is not in the messages";
            Persons Should "tools-shown" "/server/tools" "Applications SHOULD: Provide UI that makes clear which tools are being exposed to the AI model"
                "what is shown to a person is not in the messages";
            NotObservable Should "tools-changed" "/server/tools" "servers that declared the `listChanged` capability SHOULD send a notification"
                "that a list changed is known to the server alone";
            NotObservable Must "tool-servers-guard" "/server/tools" "Servers MUST: Validate all tool inputs; Implement proper access controls; Rate limit tool invocations; Sanitize tool outputs"
                "what a server checks is inside it";
            Persons Should "tool-clients-guard" "/server/tools" "Clients SHOULD: Prompt for user confirmation on sensitive operations"
                "what a person is asked by the application is not in the messages";
            NotObservable Should "resources-changed" "/server/resources" "servers that declared the `listChanged` capability SHOULD send a notification"
                "that a list changed is known to the server alone";
            NotObservable Should "https-scheme" "/server/resources" "Servers SHOULD use this scheme only when the client is able to fetch and load the resource directly from the web on its own"
                "what a client can fetch is not in the messages";
            NotObservable Should "other-scheme" "/server/resources" "servers SHOULD prefer to use another URI scheme, or define a custom one"
                "what a client can fetch is not in the messages";
            Allows May "xdg-types" "/server/resources" "MCP servers MAY identify file:// resources with an XDG MIME type"
                "types like inode/directory";
            NotObservable Should "resource-errors" "/server/resources" "Servers SHOULD return standard JSON-RPC errors for common failure cases"
                "why a server failed is known to the server alone";
            NotObservable Must "uris-validated" "/server/resources" "Servers MUST validate all resource URIs"
                "what a server checks is inside it";
            NotObservable Should "resource-access" "/server/resources" "Access controls SHOULD be implemented for sensitive resources"
                "what a server protects is inside it";
            NotObservable Should "permissions-checked" "/server/resources" "Resource permissions SHOULD be checked before operations"
                "what a server checks is inside it";
            NotObservable Must "roots-changed" "/client/roots" "clients that support `listChanged` MUST send a notification"
                "that roots changed is known to the client alone";
            NotObservable Should "root-errors" "/client/roots" "Clients SHOULD return standard JSON-RPC errors for common failure cases"
                "why a client failed is known to the client alone";
            NotObservable Must "roots-guarded" "/client/roots" "Clients MUST: Only expose roots with appropriate permissions"
                "permissions are not in the messages";
            NotObservable Should "roots-respected" "/client/roots" "Servers SHOULD: Handle cases where roots become unavailable; Respect root boundaries during operations"
                "what a server touches is not in the messages";
            By Should "roots-checked" "/client/roots" "Servers SHOULD: Check for roots capability before usage"
                "LIF019";
            Persons Should "roots-consent" "/client/roots" "Clients SHOULD: Prompt users for consent before exposing roots to servers"
                "what a person is asked by the application is not in the messages";
        }
    };
}

/// The lifecycle, of the revisions whose page could be had.
macro_rules! lifecycle {
    ($revision:literal) => {
        $crate::protocol::mcp::clauses::of! { $revision;
            By Must "client-begins" "/basic/lifecycle" "The client MUST initiate this phase by sending an `initialize` request"
                "LIF001; what it must hold, by the rule on parameters";
            By Must "server-tells-itself" "/basic/lifecycle" "The server MUST respond with its own capabilities and information"
                "SCH002; a result that a filter has cut says nothing";
            NotObservable Should "version-latest" "/basic/lifecycle" "This SHOULD be the latest version supported by the client"
                "what a client supports is known to the client alone";
            By Must "another-version" "/basic/lifecycle" "Otherwise, the server MUST respond with another protocol version it supports"
                "PAY013/server; which versions a server supports is known to it alone";
            NotObservable Should "disconnect-on-version" "/basic/lifecycle" "If the client does not support the version in the server's response, it SHOULD disconnect"
                "what a client supports is known to the client alone";
            By Must "respect-version" "/basic/lifecycle" "Both parties MUST: Respect the negotiated protocol version"
                "TRN005/negotiated; over other transports no message says its version, and each clause of that version is judged by itself";
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
            NotObservable Should "errors-handled" "/basic/lifecycle" "Implementations SHOULD be prepared to handle these error cases"
                "what an implementation is prepared for is inside it";
        }
    };
}

/// What 2025-03-26 adds.
macro_rules! since_2025_03_26 {
    ($revision:literal) => {
        $crate::protocol::mcp::clauses::of! { $revision;
            NotObservable Must "annotations-untrusted" "/server/tools" "clients MUST consider tool annotations to be untrusted unless they come from trusted servers"
                "whom a client trusts is inside it";
        }
    };
}

/// What 2025-06-18 adds, and what of it could be read from there on.
macro_rules! since_2025_06_18 {
    ($revision:literal) => {
        $crate::protocol::mcp::clauses::of! { $revision;
            NotObservable Must "support-base" "/basic" "All implementations MUST support the base protocol and lifecycle management components."
                "what an implementation supports shows only where it is used";
            NotObservable Should "conform-over-http" "/basic" "Implementations using an HTTP-based transport SHOULD conform to this specification"
                "credentials are not kept in recordings";
            NotObservable Should "stdio-environment" "/basic" "implementations using STDIO transport SHOULD NOT follow this specification, and instead retrieve credentials from the environment"
                "where credentials come from is not in the messages";
            NotObservable Must "meta-no-assumptions" "/basic" "implementations MUST NOT make assumptions about values at these keys"
                "what an implementation assumes is inside it";
            Allows May "meta-name-inside" "/basic" "MAY contain hyphens (`-`), underscores (`_`), dots (`.`), and alphanumerics in between."
                "names of keys with these signs inside";
            Allows May "own-authorization" "/basic" "clients and servers MAY negotiate their own custom authentication and authorization strategies"
                "other ways to prove who one is";
            NotObservable Should "output-validated" "/server/tools" "Clients SHOULD validate structured results against this schema"
                "what a client checks is inside it";
            NotObservable Should "prompts-changed" "/server/prompts" "servers that declared the `listChanged` capability SHOULD send a notification"
                "that a list changed is known to the server alone";
            NotObservable Should "prompt-errors" "/server/prompts" "Servers SHOULD return standard JSON-RPC errors for common failure cases"
                "why a server failed is known to the server alone";
            NotObservable Should "prompt-pages" "/server/prompts" "Clients SHOULD handle pagination for large prompt lists"
                "a client that needs no more may stop";
            NotObservable Should "prompt-capabilities" "/server/prompts" "Both parties SHOULD respect capability negotiation"
                "a request for what was not declared is judged where it is refused";
            NotObservable Must "prompts-validated" "/server/prompts" "Implementations MUST carefully validate all prompt inputs and outputs"
                "what an implementation checks is inside it";
            NotObservable Should "completion-errors" "/server/utilities/completion" "Servers SHOULD return standard JSON-RPC errors for common failure cases"
                "why a server failed is known to the server alone";
            NotObservable Should "completion-sorted" "/server/utilities/completion" "Servers SHOULD: Return suggestions sorted by relevance"
                "relevance is known to the server alone";
            Persons Should "completion-debounced" "/server/utilities/completion" "Clients SHOULD: Debounce rapid completion requests"
                "how fast a person types is not in the messages";
            NotObservable Must "completion-guarded" "/server/utilities/completion" "Implementations MUST: Validate all completion inputs"
                "what an implementation checks is inside it";
            Persons Should "sampling-human" "/client/sampling" "there SHOULD always be a human in the loop with the ability to deny sampling requests"
                "what a person is asked by the application is not in the messages";
            Persons Should "sampling-review" "/client/sampling" "Applications SHOULD: Provide UI that makes it easy and intuitive to review sampling requests"
                "what is shown to a person is not in the messages";
        }
    };
}

/// 2024-11-05 alone: transports.
pub static V2024_11_05: &[Remark] = of! { "2024-11-05";
    NotObservable Should "support-stdio" "/basic/transports" "Clients SHOULD support stdio whenever possible."
        "what a client could speak is not in what it speaks";
    NotObservable Must "no-embedded-newline" "/basic/transports" "Messages are delimited by newlines, and MUST NOT contain embedded newlines."
        "a message with a line break is two lines that are no messages, which another clause is about";
    Allows May "stderr" "/basic/transports" "The server MAY write UTF-8 strings to its standard error"
        "lines on stderr";
    NotObservable Must "origin-checked" "/basic/transports" "Servers MUST validate the `Origin` header on all incoming connections"
        "whether an origin was one that the server trusts is known to the server alone";
    NotObservable Should "bind-localhost" "/basic/transports" "When running locally, servers SHOULD bind only to localhost"
        "the address that a server listens on is not in the messages";
    NotObservable Should "authenticate" "/basic/transports" "Servers SHOULD implement proper authentication for all connections"
        "what a server requires shows only where it refuses, and credentials are not kept";
    NotObservable Must "two-endpoints" "/basic/transports" "The server MUST provide two endpoints"
        "one connection shows what was used; what others there are it does not";
    NotObservable Must "endpoint-event" "/basic/transports" "the server MUST send an `endpoint` event containing a URI for the client to use for sending messages"
        "events that are no messages are in recordings of few formats";
    NotObservable Must "posts-to-endpoint" "/basic/transports" "All subsequent client messages MUST be sent as HTTP POST requests to this endpoint"
        "addresses are not kept of HTTP heads, since they may hold credentials";
    NotObservable Must "custom-transport" "/basic/transports" "Implementers who choose to support custom transports MUST ensure they preserve the JSON-RPC message format and lifecycle requirements defined by MCP."
        "the messages are judged whatever carries them; the transport itself is not in the log";
    NotObservable Should "custom-documented" "/basic/transports" "Custom transports SHOULD document their specific connection establishment and message exchange patterns"
        "documents are not in the messages";
};

/// 2025-06-18 alone.
pub static V2025_06_18: &[Remark] = of! { "2025-06-18";
    Allows May "result-any-structure" "/basic" "Results MAY follow any JSON object structure"
        "results with members that nobody knows";
    NotObservable Should "sampling-errors" "/client/sampling" "Clients SHOULD return errors for common failure cases"
        "why a client failed is known to the client alone";
    Persons Should "sampling-approval" "/client/sampling" "Clients SHOULD implement user approval controls"
        "what a person is asked by the application is not in the messages";
    NotObservable Should "sampling-validated" "/client/sampling" "Both parties SHOULD validate message content"
        "what a side checks is inside it";
    NotObservable Should "sampling-hints" "/client/sampling" "Clients SHOULD respect model preference hints"
        "why a client takes a model is inside it";
    NotObservable Should "sampling-rate" "/client/sampling" "Clients SHOULD implement rate limiting"
        "no number says how many are too many";
    NotObservable Must "sampling-sensitive" "/client/sampling" "Both parties MUST handle sensitive data appropriately"
        "what is sensitive is known to its owner";
    Allows May "hints-mapped" "/client/sampling" "Clients MAY map hints to equivalent models from different providers"
        "answers of another model";
    Persons Should "elicitation-shown" "/client/elicitation" "Applications SHOULD: Provide UI that makes it clear which server is requesting information"
        "what is shown to a person is not in the messages";
    By Must "no-secrets-again" "/client/elicitation" "Servers MUST NOT request sensitive information through elicitation"
        "PAY004/secret; what is sensitive and does not say so by its name is known to persons";
    Persons Should "approval-controls" "/client/elicitation" "Clients SHOULD implement user approval controls"
        "what a person is asked by the application is not in the messages";
    NotObservable Should "elicitation-validated" "/client/elicitation" "Both parties SHOULD validate elicitation content against the provided schema"
        "what a side checks is inside it";
    Persons Should "server-indicated" "/client/elicitation" "Clients SHOULD provide clear indication of which server is requesting information"
        "what is shown to a person is not in the messages";
    Persons Should "decline-any-time" "/client/elicitation" "Clients SHOULD allow users to decline elicitation requests at any time"
        "what a person is asked by the application is not in the messages";
    NotObservable Should "elicitation-rate" "/client/elicitation" "Clients SHOULD implement rate limiting"
        "no number says how many are too many";
    Persons Should "elicitation-clear" "/client/elicitation" "Clients SHOULD present elicitation requests in a way that makes it clear what information is being requested and why"
        "what is shown to a person is not in the messages";
};

/// 2025-11-25 alone.
pub static V2025_11_25: &[Remark] = of! { "2025-11-25";
    NotObservable Should "tool-name-case" "/server/tools" "Tool names SHOULD be considered case-sensitive."
        "how a side compares names is inside it";
    NotObservable Must "origin-403" "/basic/transports" "If the `Origin` header is present and invalid, servers MUST respond with HTTP 403 Forbidden"
        "whether an origin was one that the server trusts is known to the server alone";
    By Must "post-only" "/basic/transports" "The client MUST use HTTP POST to send JSON-RPC messages to the MCP endpoint"
        "TRN014";
    By Should "tool-name-allowed" "/server/tools" "The following SHOULD be the only ... characters"
        "PAY002/name-characters";
    By Must "url-for-secrets" "/client/elicitation" "Servers MUST use URL mode for interactions involving sensitive information"
        "PAY004/secret; what is sensitive and does not say so by its name is known to persons";
    By Must "error-same-id" "/basic" "Error responses MUST include the same ID as the request they correspond to"
        "RPC009; an error without an id may be of a request that could not be read";
    Allows May "result-any-structure" "/basic" "The `result` MAY follow any JSON object structure."
        "results with members that nobody knows";
    NotObservable Must "schema-2020-12" "/basic" "Clients and servers MUST support JSON Schema 2020-12 for schemas without an explicit `$schema` field"
        "what a side can validate is inside it";
    NotObservable Must "dialects-validated" "/basic" "Clients and servers MUST validate schemas according to their declared or default dialect."
        "what a side validates is inside it";
    NotObservable Must "dialects-refused" "/basic" "They MUST handle unsupported dialects gracefully by returning an appropriate error indicating the dialect is not supported."
        "which dialects a side supports is known to it alone";
    NotObservable Should "dialects-documented" "/basic" "Clients and servers SHOULD document which schema dialects they support"
        "documents are not in the messages";
    NotObservable Should "reverse-dns" "/basic" "Implementations SHOULD use reverse DNS notation (e.g., `com.example/` rather than `example.com/`)."
        "which end of a name is the top shows in no message";
    NotObservable Must "icon-types" "/basic" "Clients that support rendering icons MUST support at least the following MIME types"
        "what a client renders is not in the messages";
    NotObservable Should "icon-more-types" "/basic" "Clients that support rendering icons SHOULD also support"
        "what a client renders is not in the messages";
    NotObservable Must "icon-precautions" "/basic" "Consumers of icon metadata MUST take appropriate security precautions when handling icons to prevent compromise"
        "what a consumer guards against is inside it";
    NotObservable Must "icon-schemes" "/basic" "Clients MUST reject icon URIs that use unsafe schemes and redirects"
        "what a client rejects leaves no trace";
    NotObservable Should "errors-to-model" "/server/tools" "Clients SHOULD provide tool execution errors to language models"
        "what a model is told is not in the messages";
    NotObservable Must "one-mode" "/client/elicitation" "Clients declaring the `elicitation` capability MUST support at least one mode"
        "what a client supports beyond what it declares is not in the messages";
    NotObservable Must "no-mode-is-form" "/client/elicitation" "Clients MUST treat requests without a `mode` field as form mode"
        "what a client shows is inside it";
    NotObservable Must "complete-to-its-client" "/client/elicitation" "MUST only send the notification to the client that initiated the elicitation request"
        "one connection does not show what others are told";
    NotObservable Must "unknown-complete-ignored" "/client/elicitation" "MUST ignore notifications referencing unknown or already-completed IDs"
        "what is ignored leaves no trace";
    NotObservable Must "url-error-only-then" "/client/elicitation" "The server MUST NOT return this error except when URL mode elicitation is required"
        "what is required is known to the server alone";
    NotObservable Must "tasks-declared" "/basic/utilities/tasks" "Servers and clients that support task-augmented requests MUST declare a `tasks` capability during initialization"
        "what a side supports beyond what it declares is not in the messages";
    NotObservable Should "tasks-only-declared" "/basic/utilities/tasks" "Requestors SHOULD only augment requests with a task if the corresponding capability has been declared by the receiver"
        "of tools the stronger clause is judged";
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

pub(super) use {features, lifecycle, since_2025_03_26, since_2025_06_18};
