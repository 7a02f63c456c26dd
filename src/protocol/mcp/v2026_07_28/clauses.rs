//! The sentences of MCP 2026-07-28 that rulings rest on.

use crate::protocol::Remark;
use crate::protocol::mcp::clauses::{elicited, progress};
use crate::protocol::tables::{clauses, in_part};

progress!("2026-07-28", "/basic/patterns/progress");
elicited!("2026-07-28");

clauses! { "mcp-2026-07-28/", "https://modelcontextprotocol.io/specification/2026-07-28/basic";
    CANCEL_OWN Must "cancel-own" "/patterns/cancellation"
        "MUST only ... Were previously issued by the client";
    CANCEL_IN_PROGRESS Must "cancel-in-progress" "/patterns/cancellation"
        "MUST only ... Are believed to still be in-progress";
    SERVER_CANCEL Must "server-cancel" "/patterns/cancellation"
        "Servers MUST NOT send `notifications/cancelled` for any other purpose";
    CLIENT_CANCELS Should "client-cancels" "/patterns/cancellation"
        "A client SHOULD send a cancellation notification";
    DISCONNECT_CANCELS Must "disconnect-cancels" "/patterns/cancellation"
        "The server MUST treat a client disconnect as cancellation";
    STDIO_CANCELS Must "stdio-cancels" "/patterns/cancellation"
        "The client MUST send a `notifications/cancelled`";
    HTTP_NO_CANCEL Stated "http-no-cancel" "/patterns/cancellation"
        "No `notifications/cancelled` message is required or expected.";
    NOTHING_AFTER_CANCEL Must "nothing-after-cancel" "/transports/stdio"
        "Servers SHOULD stop work ... and MUST NOT send any further messages for it";
    NOTHING_AFTER_CANCEL_HTTP Must "nothing-after-cancel-http" "/transports/streamable-http"
        "The server SHOULD stop work ... and MUST NOT send any further messages for it";
    CLIENT_NO_RESPONSES Must "client-no-responses" "/transports/stdio"
        "The client MUST NOT write JSON-RPC responses";
    SERVER_NO_REQUESTS Must "server-no-requests" "/patterns"
        "Servers MUST NOT initiate JSON-RPC requests";
    ID_TYPE Must "id-type" "" "MUST include a string or integer ID";
    ID_NOT_NULL Must "id-not-null" "" "MUST NOT be `null`";
    ID_NOT_IN_FLIGHT Must "id-not-in-flight" ""
        "MUST NOT match the ID of any other request the sender has issued and not yet received a response for";
    SAME_ID Must "same-id" "" "responses MUST include the same ID";
    ERROR_CODE Must "error-code" "" "Error codes MUST be integers";
    NOTIFICATION_NO_ID Must "notification-no-id" "" "Notifications MUST NOT include an ID";
    REQUEST_META Must "request-meta" "" "server MUST reject it with ... `-32602`";
    RESULT_TYPE Must "result-type" "" "MUST include a `resultType`";
    SCHEMA_TRUTH Stated "schema-truth" "" "This is the source of truth for all protocol messages and structures";
    CODE_DEFINED Must "code-defined" "" "MUST NOT emit any code ... not defined";
    CODE_LEGACY Should "code-legacy" "" "new implementations SHOULD NOT use";
    DUAL_ERA May "dual-era" "/versioning"
        "A dual-era server MAY serve both eras concurrently on the same endpoint or process";
    RETRY_ID Must "retry-id" "/patterns/mrtr"
        "The JSON-RPC `id` MUST be different between the initial request and the retry";
    STATE_ECHOED Must "state-echoed" "/patterns/mrtr"
        "the client MUST echo back the exact value of that field when retrying the original request";
    STATE_NOT_ADDED Must "state-not-added" "/patterns/mrtr"
        "If the `InputRequiredResult` does not contain a `requestState` field, the client MUST NOT include one in the retry.";
    INPUTS_CONSTRUCTED Must "inputs-constructed" "/patterns/mrtr"
        "the client MUST construct the requested inputs before retrying the original request";
    INPUT_ASKED_AGAIN Should "missing-inputs" "/patterns/mrtr"
        "the server SHOULD respond with a new `InputRequiredResult` requesting the missing information again";
    VERSION_LISTED Should "retry-version" "/versioning"
        "The client SHOULD select a mutually supported version from the `supported` list and retry the request";
    STATE_ONLY_FOR_RETRY Must "state-only-for-retry" "/patterns/mrtr"
        "They MUST NOT be used for any other request that the client may be sending in parallel";
    // The next five are quoted from the pages themselves: the catalogue only retells them.
    INPUT_REQUIRED Must "input-required" "/patterns/mrtr"
        "Servers MUST NOT send `InputRequiredResult` responses on any other client requests";
    INPUT_DECLARED Must "input-declared" "/patterns/mrtr"
        "Servers MUST NOT send an `inputRequests` that the client has not declared support for in its capabilities";
    ACCEPT_BOTH Must "accept-both" "/transports/streamable-http"
        "The client MUST include an `Accept` header listing both `application/json` and `text/event-stream` as supported content types";
    ACCEPTED_202 Must "accepted-202" "/transports/streamable-http"
        "If the server accepts it, the server MUST return HTTP status code `202 Accepted` with no body";
    RESPONSE_TYPE Must "response-type" "/transports/streamable-http"
        "the server MUST return either `Content-Type: application/json` (a single JSON object) or `Content-Type: text/event-stream` (an SSE response stream)";
    VERSION_HEADER Must "version-header" "/transports/streamable-http"
        "Every POST request to the MCP endpoint MUST include an `MCP-Protocol-Version` header";
    VERSION_MATCHES Must "version-matches" "/transports/streamable-http"
        "The header value MUST match the `io.modelcontextprotocol/protocolVersion` field carried in the request body's `_meta`";
    MIRRORED Must "mirrored-headers" "/transports/streamable-http" "These headers are REQUIRED for compliance";
    UNKNOWN_404 Must "unknown-method-404" "/transports/streamable-http"
        "it MUST respond with `404 Not Found` and a JSON-RPC error with code `-32601`";
    MISMATCH_400 Must "mismatch-400" "/transports/streamable-http"
        "When rejecting a request due to header validation failure, servers MUST return HTTP status `400 Bad Request`";
    UNSUPPORTED_400 Must "unsupported-400" "/transports/streamable-http"
        "it MUST respond with `400 Bad Request` and an `UnsupportedProtocolVersionError`";
    STREAM_SCOPE Must "stream-scope" "/transports/streamable-http"
        "These notifications MUST relate to the originating client request";
    NO_BATCH Must "no-batch" "/transports/streamable-http"
        "The body of the HTTP POST MUST be a single JSON-RPC request or notification";
    SINGLE_MESSAGES Stated "single-messages" "/transports/stdio"
        "Each message is a single JSON-RPC request, notification, or response";
    LISTEN_TYPES Must "listen-types" "/patterns/subscriptions"
        "The server MUST NOT send notification types the client has not explicitly requested";
    LISTEN_ACK_FIRST Must "listen-ack-first" "/patterns/subscriptions"
        "MUST ... `notifications/subscriptions/acknowledged`";
}

clauses! { "mcp-2026-07-28/", "https://modelcontextprotocol.io/seps/2663-tasks-extension";
    TASK_NOT_BY_NOTIFICATION Must "task-not-by-notification" "" "MUST NOT be used for task cancellation";
    TASK_CANCEL_EMPTY Must "task-cancel-empty" "" "MUST acknowledge ... with an empty result";
}

clauses! { "mcp-2026-07-28/", "https://modelcontextprotocol.io/specification/2026-07-28";
    OUTPUT_CONFORMS Must "output-conforms" "/server/tools"
        "Servers MUST provide structured results that conform to this schema";
    RESULT_FIELD Must "result-field" "/basic"
        "Result responses MUST include a `result` field";
    ERROR_FIELD Must "error-field" "/basic"
        "Error responses MUST include an `error` field with a `code` and `message`";
    NO_RESPONSE Must "notification-no-response" "/basic"
        "The receiver MUST NOT send a response.";
    FOLLOW_JSONRPC Must "follow-jsonrpc" "/basic"
        "All messages between MCP clients and servers MUST follow the JSON-RPC 2.0 specification";
    META_REQUIRED Must "meta-required" "/basic"
        "fields marked as required MUST be included on every request";
    MISSING_META_400 Must "missing-meta-400" "/basic"
        "A request missing any required field is malformed; the server MUST reject it with JSON-RPC error code `-32602` (Invalid params). On HTTP, the response status MUST be `400 Bad Request`.";
    CAPABILITY_NEEDED Must "capability-needed" "/basic"
        "the server MUST return a `MissingRequiredClientCapabilityError` (`-32021`) whose `data.requiredCapabilities` lists the missing capabilities";
    CAPABILITY_400 Must "capability-400" "/basic"
        "lists the missing capabilities. On HTTP, the response status MUST be `400 Bad Request`";
    SUBSCRIPTION_ID Must "subscription-id" "/basic"
        "the server MUST include `io.modelcontextprotocol/subscriptionId` in `_meta`";
    META_PREFIX Must "meta-prefix" "/basic"
        "If specified, MUST be a series of labels separated by dots (`.`), followed by a slash (`/`).";
    META_LABEL Must "meta-label" "/basic"
        "Labels MUST start with a letter and end with a letter or digit; interior characters can be letters, digits, or hyphens (`-`).";
    META_NAME Must "meta-name" "/basic"
        "Unless empty, MUST begin and end with an alphanumeric character (`[a-z0-9A-Z]`).";
    TRACE_CONTEXT Must "trace-context" "/basic"
        "When present, their values MUST follow W3C Trace Context and W3C Baggage formats respectively.";
    SCHEMA_VALID Must "schema-valid" "/basic"
        "Schemas MUST be valid according to their declared or default dialect";
    EXTENSION_NAME Must "extension-name" "/basic/versioning"
        "Extension identifiers MUST follow the `_meta` key naming rules, with a mandatory prefix.";
    UNSUPPORTED_LISTS Must "unsupported-version" "/basic/versioning"
        "it MUST respond with an `UnsupportedProtocolVersionError` listing the versions it does support";
    STDOUT_MESSAGES Must "stdout-messages" "/basic/transports/stdio"
        "The server MUST NOT write anything to its `stdout` that is not a valid MCP message.";
    STREAM_NO_REQUESTS Must "no-requests-on-stream" "/basic/transports/streamable-http"
        "The server MUST NOT send independent JSON-RPC requests on this stream.";
    POST_NO_RESPONSES Must "post-no-responses" "/basic/transports/streamable-http"
        "The client MUST NOT send JSON-RPC responses.";
    INPUT_METHODS Must "input-methods" "/basic/patterns/mrtr"
        "`inputRequests` values are request objects that MUST be one of `ElicitRequest`, `CreateMessageRequest`, or `ListRootsRequest`";
    INPUT_KEYS Must "input-keys-unique" "/basic/patterns/mrtr"
        "`inputRequests` keys are server assigned identifiers and MUST be unique within the scope of the request.";
    INPUT_NAMED Must "input-named" "/basic/patterns/mrtr"
        "Servers MUST include at least one of `inputRequests` or `requestState` in every `InputRequiredResult` response.";
    TOOL_SCHEMA Must "input-schema-valid" "/server/tools"
        "MUST be a valid JSON Schema object (not `null`)";
    TOOL_NAME_LENGTH Should "tool-name-length" "/server/tools"
        "Tool names SHOULD be between 1 and 128 characters in length (inclusive).";
    TOOL_NAME_CHARACTERS Should "tool-name-characters" "/server/tools"
        "Tool names SHOULD NOT contain spaces, commas, or other special characters.";
    TOOL_NAME_UNIQUE Should "tool-name-unique" "/server/tools"
        "Tool names SHOULD be unique within a server.";
    HEADER_EMPTY Must "header-empty" "/server/tools"
        "`x-mcp-header` values: MUST NOT be empty";
    HEADER_TOKEN Must "header-token" "/server/tools"
        "`x-mcp-header` values: MUST match HTTP field-name token syntax";
    HEADER_CONTROL Must "header-control" "/server/tools"
        "`x-mcp-header` values: MUST NOT contain control characters, including carriage return (CR, `\\r`) or line feed (LF, `\\n`)";
    HEADER_UNIQUE Must "header-unique" "/server/tools"
        "`x-mcp-header` values: MUST be case-insensitively unique among all `x-mcp-header` values in the `inputSchema`";
    HEADER_TYPE Must "header-type" "/server/tools"
        "`x-mcp-header` values: MUST only be applied to parameters with primitive types (integer, string, boolean).";
    HEADER_REACHABLE Must "header-reachable" "/server/tools"
        "`x-mcp-header` values: MUST only be applied to properties that are statically reachable from the schema root";
    STRUCTURED_TEXT Should "output-as-text" "/server/tools"
        "a tool that returns structured content SHOULD also return the serialized JSON in a TextContent block";
    TOOLS_DECLARED Must "tools-declared" "/server/tools"
        "Servers that support tools MUST declare the `tools` capability";
    TOOLS_LISTED Must "tools-listed" "/server/tools"
        "Servers that declare the `tools` capability MUST respond to `tools/list` requests with the set of tools currently available to the requesting client.";
    PROMPTS_DECLARED Must "prompts-declared" "/server/prompts"
        "Servers that support prompts MUST declare the `prompts` capability";
    PROMPTS_LISTED Must "prompts-listed" "/server/prompts"
        "Servers that declare the `prompts` capability MUST respond to `prompts/list` requests with the set of prompts currently available to the requesting client.";
    PROMPT_ARGUMENTS Should "prompt-arguments" "/server/prompts"
        "Servers SHOULD validate prompt arguments before processing";
    IMAGE_ENCODED Must "image-encoded" "/server/prompts"
        "The image data MUST be base64-encoded and include a valid MIME type.";
    AUDIO_ENCODED Must "audio-encoded" "/server/prompts"
        "The audio data MUST be base64-encoded and include a valid MIME type.";
    EMBEDDED_RESOURCE Must "embedded-resource" "/server/prompts"
        "Resources can contain either text or binary (blob) data and MUST include: A valid resource URI; The appropriate MIME type; Either text content or base64-encoded blob data";
    RESOURCES_DECLARED Must "resources-declared" "/server/resources"
        "Servers that support resources MUST declare the `resources` capability";
    RESOURCES_LISTED Must "resources-listed" "/server/resources"
        "Servers that declare the `resources` capability MUST respond to `resources/list` requests with the set of resources currently available to the requesting client.";
    BINARY_ENCODED Must "binary-encoded" "/server/resources"
        "Binary data MUST be properly encoded";
    CACHE_HINTS Must "cache-hints" "/server/utilities/caching"
        "Servers MUST include caching hints on results returned by the following operations: `tools/list`; `prompts/list`; `resources/list`; `resources/templates/list`; `resources/read`";
    SAME_SCOPE Must "same-scope" "/server/utilities/caching"
        "Servers MUST apply the same `cacheScope` to all response pages for a given list request.";
    TTL_POSITIVE Must "ttl-not-negative" "/server/utilities/caching"
        "Servers MUST provide a `ttlMs` value that is `>= 0`.";
    COMPLETIONS_DECLARED Must "completions-declared" "/server/utilities/completion"
        "Servers that support completions MUST declare the `completions` capability";
    LOGGING_DECLARED Must "logging-declared" "/server/utilities/logging"
        "Servers that emit log message notifications MUST declare the `logging` capability";
    ELICITATION_MODE Must "elicitation-mode" "/client/elicitation"
        "Servers MUST NOT send elicitation requests with modes that are not supported by the client.";
    URL_VALID Must "url-valid" "/client/elicitation"
        "The `url` parameter MUST contain a valid URL.";
    FORM_NO_SECRETS Must "form-not-for-secrets" "/client/elicitation"
        "Servers MUST NOT use form mode elicitation to request sensitive information such as passwords, API keys, access tokens, or payment credentials";
    URL_NO_CREDENTIALS Must "url-no-credentials" "/client/elicitation"
        "MUST NOT include sensitive information about the end-user, including credentials, personally identifiable information, etc., in the URL sent to the client in a URL elicitation request.";
    URL_HTTPS Should "url-https" "/client/elicitation"
        "SHOULD use HTTPS URLs for non-development environments.";
    SAMPLING_TOOLS Must "sampling-tools" "/client/sampling"
        "Servers MUST NOT send tool-enabled sampling requests to Clients that have not declared support for tool use via the `sampling.tools` capability.";
    SAMPLING_CONTEXT Should "sampling-context" "/client/sampling"
        "SHOULD NOT use them unless the client declares `sampling.context` capability";
    ONLY_TOOL_RESULTS Must "only-tool-results" "/client/sampling"
        "it MUST contain ONLY tool results";
    TOOL_RESULTS_FOLLOW Must "tool-results-follow" "/client/sampling"
        "every assistant message containing `ToolUseContent` blocks MUST be followed by a user message that consists entirely of `ToolResultContent` blocks";
    MESSAGE_ROLE Must "message-role" "/client/sampling"
        "Sampling messages MUST contain a `role` field of `\"user\"` or `\"assistant\"`; and a `content` field representing the message data.";
    ROOT_IS_FILE Must "root-is-file" "/client/roots"
        "This MUST be a `file://` URI in the current specification.";
    EMBEDDED_DECLARED Should "embedded-declared" "/server/tools"
        "Servers that use embedded resources SHOULD implement the `resources` capability";
    CUSTOM_SCHEME Must "custom-scheme" "/server/resources"
        "Custom URI schemes MUST be in accordance with RFC3986";
    CONTENTS_NOT_EMPTY Must "contents-not-empty" "/server/resources"
        "Servers MUST NOT return an empty `contents` array for a non-existent resource.";
    CURSOR_CODE Should "bad-cursor-code" "/server/utilities/pagination"
        "Invalid cursors SHOULD result in an error with code -32602";
    POST_ONLY Must "post-only" "/basic/transports/streamable-http"
        "The client MUST use HTTP POST to send JSON-RPC messages.";
    LISTEN_COMPLETES Should "completion-before-close" "/basic/patterns/subscriptions"
        "it SHOULD respond to the original `subscriptions/listen` request with a completion result before closing the stream";
    OLD_CODES Must "old-codes" "/basic"
        "Implementations of this protocol version MUST NOT emit these codes";
}

/// What their rulings leave out.
pub static IN_PART: &[Remark] = &[
    in_part(&NO_RESPONSE, "a reply that carries an id is a reply to nothing, which another clause is about"),
    in_part(&FOLLOW_JSONRPC, "each clause of JSON-RPC is judged by itself as well"),
    in_part(&MISSING_META_400, "an error -32602 may have another reason where the request has all it must have"),
    in_part(&CAPABILITY_NEEDED, "which capability processing needs is known to the server alone"),
    in_part(&TRACE_CONTEXT, "of the three keys the one with the identifiers is judged"),
    in_part(&SCHEMA_VALID, "what all dialects have in common is judged"),
    in_part(
        &UNSUPPORTED_LISTS,
        "which versions a server implements is known to the server alone; that the error lists some is judged",
    ),
    in_part(&STATE_ECHOED, "a retry is told by its parameters: one that spells them otherwise is not known to be one"),
    in_part(
        &STATE_NOT_ADDED,
        "a retry is told by its parameters: one that spells them otherwise is not known to be one",
    ),
    in_part(
        &INPUTS_CONSTRUCTED,
        "what a client constructs is inside it; that a retry brings nothing is seen by its state",
    ),
    in_part(&STATE_ONLY_FOR_RETRY, "of requests to another tool, prompt or resource: the same may be asked twice"),
    in_part(&TOOL_NAME_UNIQUE, "names on two pages of one list are not compared"),
    in_part(&STRUCTURED_TEXT, "that the text says the same is not looked at"),
    in_part(&TOOLS_LISTED, "which tools there are is known to the server alone"),
    in_part(
        &PROMPT_ARGUMENTS,
        "what is looked at is inside the server; that an argument is missing which it has listed as required is seen",
    ),
    in_part(&INPUT_ASKED_AGAIN, "only where the refusal names what is missing: it may have another reason"),
    in_part(
        &VERSION_LISTED,
        "of a client that asks by the refused version, and has stated none of the others, it is not known which it speaks",
    ),
    in_part(&PROMPTS_LISTED, "which prompts there are is known to the server alone"),
    in_part(&RESOURCES_LISTED, "which resources there are is known to the server alone"),
    in_part(&EMBEDDED_RESOURCE, "which type is appropriate is known to the server alone"),
    in_part(&FORM_NO_SECRETS, "what is sensitive and does not say so by its name is known to persons"),
    in_part(
        &URL_NO_CREDENTIALS,
        "credentials that stand where a URL has them are seen, other information is known to its owner",
    ),
    in_part(&EMBEDDED_DECLARED, "what a server implements beyond what it declares is not in the messages"),
    in_part(
        &CUSTOM_SCHEME,
        "that an address is a URI is judged; what a scheme of its own means is known to the server alone",
    ),
    in_part(&CONTENTS_NOT_EMPTY, "whether a resource exists is known to the server alone: that one is empty is noted"),
    in_part(&CURSOR_CODE, "that a cursor was invalid is known to the server alone; an error that says it is judged"),
    in_part(&LISTEN_COMPLETES, "that a server ends a subscription, and does not lose it, shows only by what it sends"),
    in_part(&URL_HTTPS, "addresses of the own machine are taken for development"),
];
