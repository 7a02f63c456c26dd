//! What the pages of MCP 2026-07-28 say and no rule judges, each sentence with the reason.
//!
//! Sentences that rulings rest on stand in `clauses`.

use crate::protocol::Remark;
use crate::protocol::tables::table;

/// Base, versioning, multi round-trip requests and Streamable HTTP.
pub static REMARKS: &[Remark] = table! { "mcp-2026-07-28/", "https://modelcontextprotocol.io/specification/2026-07-28";
    NotObservable Must "support-base" "/basic" "All implementations MUST support the base protocol, versioning, and the message patterns"
        "what an implementation supports shows only where it is used";
    NotObservable Must "result-types-known" "/basic" "The set of supported `ResultType` values MUST be created from the set defined in the core protocol"
        "extensions may add values, and which are meant is known to the two";
    NotObservable Must "unknown-result-type" "/basic" "A `resultType` of any value unrecognized by the client MUST be considered invalid"
        "what a client makes of it is inside it";
    NotObservable Must "absent-result-type" "/basic" "clients MUST treat an absent `resultType` as `\"complete\"`"
        "what a client makes of it is inside it";
    NotObservable Must "codes-not-assumed" "/basic" "receivers MUST NOT assume any specific meaning for these codes"
        "what a receiver assumes is inside it";
    By Should "own-codes-outside" "/basic" "New error codes for purposes not defined by this specification SHOULD be allocated outside the JSON-RPC reserved range"
        "RPC017; when a code was allocated is not in the messages";
    NotObservable Must "stateless" "/basic" "Servers MUST NOT rely on prior requests over the same connection to establish context"
        "what a server relies on is inside it";
    NotObservable Should "many-tasks" "/basic" "Servers SHOULD be prepared to handle requests associated with multiple tasks, threads, or conversations"
        "what a server is prepared for is inside it";
    NotObservable Should "no-same-connection" "/basic" "Servers SHOULD NOT require that a client reuse the same connection or process"
        "one connection does not show what is required of others";
    NotObservable Must "explicit-state" "/basic" "MUST be referenced by an explicit identifier the client passes on each request"
        "which state spans requests is known to the server alone";
    NotObservable Should "authorization" "/basic" "Implementations using an HTTP-based transport SHOULD conform to this specification"
        "credentials are not kept in recordings";
    NotObservable Must "schema-2020-12" "/basic" "Clients and servers MUST support JSON Schema 2020-12"
        "what a side can validate is inside it";
    NotObservable Must "no-network-ref" "/basic" "Implementations MUST NOT automatically dereference `$ref` values that resolve to a network URI"
        "what an implementation fetches is not in the messages";
    NotObservable Should "schema-bounds" "/basic" "Implementations SHOULD apply reasonable bounds"
        "what an implementation bounds is inside it";
    NotObservable Must "meta-no-assumptions" "/basic" "implementations MUST NOT make assumptions about values at these keys"
        "what an implementation assumes is inside it";
    Allows May "discover-first" "/basic/versioning" "Clients MAY call it before sending any other requests"
        "a first request that asks what the server is";
    NotObservable Must "extension-fallback" "/basic/versioning" "the supporting party MUST either revert to core protocol behavior or reject the request with an appropriate error"
        "which extensions a side could speak is known to it alone";
    NotObservable Should "era-cached" "/basic/versioning" "Clients SHOULD cache the result for the lifetime of the server process"
        "what a client remembers is inside it";
    By Must "state-opaque" "/basic/patterns/mrtr" "Clients MUST NOT inspect, parse, modify, or make any assumptions about its contents"
        "LIF026; what a client reads is inside it";
    NotObservable Must "state-untrusted" "/basic/patterns/mrtr" "servers MUST treat `requestState` as an attacker-controlled input"
        "what a server trusts is inside it";
    NotObservable Should "state-against-replay" "/basic/patterns/mrtr" "servers SHOULD include the following inside the integrity-protected `requestState` payload"
        "the state is opaque to all but the server";
    NotObservable Must "retry-not-assumed" "/basic/patterns/mrtr" "Servers MUST NOT assume that clients will fulfill the `inputRequests` or retry the original request"
        "what a server assumes is inside it";
    NotObservable Should "inputs-validated" "/basic/patterns/mrtr" "Servers SHOULD validate that the data provided by the client is a valid `InputResponses` object"
        "what a server checks is inside it";
    NotObservable Should "unexpected-inputs" "/basic/patterns/mrtr" "the server SHOULD ignore any information it does not recognize or need"
        "what is ignored leaves no trace";
    NotObservable Must "one-endpoint" "/basic/transports/streamable-http" "The server MUST provide a single HTTP endpoint path"
        "one connection shows one path; what others there are it does not";
    NotObservable Must "origin-checked" "/basic/transports/streamable-http" "Servers MUST validate the `Origin` header on all incoming connections"
        "whether an origin was one that the server trusts is known to the server alone";
    NotObservable Should "bind-localhost" "/basic/transports/streamable-http" "When running locally, servers SHOULD bind only to localhost"
        "the address that a server listens on is not in the messages";
    NotObservable Should "authenticate" "/basic/transports/streamable-http" "Servers SHOULD implement proper authentication for all connections"
        "what a server requires shows only where it refuses, and credentials are not kept";
    By Must "own-post" "/basic/transports/streamable-http" "Every JSON-RPC message sent from the client MUST be a new HTTP POST request to the MCP endpoint"
        "TRN014; that it was a new one shows only where a log tells requests apart";
    NotObservable Must "refused-status" "/basic/transports/streamable-http" "it MUST return an HTTP error status code"
        "that it could not accept it is known to the server alone";
    NotObservable Must "both-types" "/basic/transports/streamable-http" "The client MUST support both"
        "that a client could have read the other type is not in what it was sent";
    NotObservable Should "response-ends-stream" "/basic/transports/streamable-http" "The final JSON-RPC response SHOULD terminate the stream"
        "how soon is not said";
    NotObservable Must "close-cancels" "/basic/transports/streamable-http" "Closing the SSE response stream MUST be treated by the server as cancellation of that request"
        "that work was ended is not in the messages; messages after it are judged by another clause";
    NotObservable Must "bad-annotations-rejected" "/basic/transports/streamable-http" "MUST reject tool definitions where any `x-mcp-header` value violates these constraints"
        "which tools a client leaves out is inside it";
    NotObservable Must "headers-any-case" "/basic/transports/streamable-http" "Clients and servers MUST use case-insensitive comparisons for header names"
        "how names are compared is inside a side";
    NotObservable Should "body-inspected" "/basic/transports/streamable-http" "the client SHOULD inspect the response body before falling back"
        "what a client looks at is inside it";
};

/// Stdio, the other patterns, and what says once more what rulings rest on.
pub static MORE: &[Remark] = table! { "mcp-2026-07-28/", "https://modelcontextprotocol.io/specification/2026-07-28";
    By Must "stdout-no-requests" "/basic/transports/stdio" "The server MUST NOT write JSON-RPC requests to `stdout`."
        "LIF014";
    NotObservable Must "stdio-no-newlines" "/basic/transports/stdio" "Messages are delimited by newlines, and MUST NOT contain embedded newlines."
        "a message with a line break is two lines that are no messages, which another clause is about";
    Allows May "stdio-stderr" "/basic/transports/stdio" "The server MAY write UTF-8 strings to `stderr` for any logging purposes"
        "lines on stderr";
    NotObservable Should "stdio-stderr-no-error" "/basic/transports/stdio" "SHOULD NOT assume `stderr` output indicates error conditions"
        "what a client assumes is inside it";
    By Must "stdin-messages" "/basic/transports/stdio" "The client MUST NOT write anything to the server's `stdin` that is not a valid MCP message."
        "RPC001";
    NotObservable Should "framing-reused" "/basic/transports/stdio" "SHOULD reuse this framing and the message rules on this page"
        "the transport itself is not in the log";
    NotObservable Must "stdio-correlated" "/basic/transports/stdio" "clients MUST correlate notifications using the `io.modelcontextprotocol/subscriptionId` field carried in `_meta`"
        "what a client makes of a notification is inside it";
    By Should "work-stopped" "/basic/transports/stdio" "Servers SHOULD stop work on a cancelled request as soon as practical"
        "CAN010; work inside the server is not seen, messages for the request are";
    NotObservable Should "stdio-shutdown" "/basic/transports/stdio" "The client SHOULD initiate shutdown by"
        "streams and signals of a process are not in the messages";
    NotObservable Should "stdio-exit" "/basic/transports/stdio" "Servers SHOULD exit promptly when their standard input is closed or reads return end-of-file."
        "how soon is not said";
    Allows May "stdio-server-exits" "/basic/transports/stdio" "The server MAY initiate shutdown by closing its output stream to the client and exiting."
        "an end by the server";
    NotObservable Should "stdio-restart" "/basic/transports/stdio" "If the server process exits unexpectedly, the client SHOULD restart it."
        "a process that is started anew is another recording";
    NotObservable Must "fallback-any-code" "/basic/transports/stdio" "The fallback MUST NOT be keyed to one specific error code"
        "why a client falls back is inside it";
    By Must "result-same-id" "/basic" "Result responses MUST include the same ID as the request they correspond to."
        "RPC009";
    By Must "error-same-id" "/basic" "Error responses MUST include the same ID as the request they correspond to"
        "RPC009; an error without an id may be of a request that could not be read";
    By Must "codes-as-meant" "/basic" "MUST use defined codes only with their specified meanings"
        "TRN010; what a code was used for shows only where its status or data say so";
    By Must "no-reliance" "/basic" "A server MUST NOT rely on capabilities the client has not declared."
        "LIF020; what a server relies on shows only where it asks for input";
    NotObservable Should "info-not-trusted" "/basic" "SHOULD NOT rely on them for security decisions"
        "what a side relies on is inside it";
    NotObservable Should "info-no-behavior" "/basic" "Implementations SHOULD NOT use them to change the behavior of the client or server"
        "why a side behaves as it does is inside it";
    NotObservable Must "legacy-codes-not-allocated" "/basic" "New codes MUST NOT be allocated in this sub-range"
        "when a code was allocated is not in the messages";
    Allows May "result-any-structure" "/basic" "The `result` MAY follow any JSON object structure."
        "results with members that nobody knows";
    Allows May "error-data" "/basic" "Error responses MAY include a `data` member with additional information of any type"
        "data of errors";
    Allows May "more-result-types" "/basic" "Extensions MAY add additional `ResultType` values."
        "other result types than the two of the core";
    NotObservable Should "old-not-found-accepted" "/basic" "Clients SHOULD still accept `-32002` from servers implementing earlier versions."
        "what a client accepts is inside it";
    NotObservable Should "process-lifetime" "/basic" "Clients SHOULD NOT use an individual task, thread, or conversation as the lifetime boundary for the stdio process."
        "what a conversation is shows in no message";
    NotObservable Should "stdio-no-authorization" "/basic" "implementations using STDIO transport SHOULD NOT follow this specification, and instead retrieve credentials from the environment"
        "where credentials come from is not in the messages";
    NotObservable Must "dialects-validated" "/basic" "Clients and servers MUST validate schemas according to their declared or default dialect."
        "what a side validates is inside it";
    NotObservable Must "dialects-refused" "/basic" "They MUST handle unsupported dialects gracefully by returning an appropriate error indicating the dialect is not supported."
        "which dialects a side supports is known to it alone";
    NotObservable Should "dialects-documented" "/basic" "Clients and servers SHOULD document which schema dialects they support"
        "documents are not in the messages";
    NotObservable Must "ref-fetch-opt-in" "/basic" "Implementations MAY offer an opt-in mode that fetches non-local `$ref`s but it MUST be disabled by default"
        "how a side is configured is inside it";
    NotObservable Should "ref-allowlist" "/basic" "SHOULD enforce an allowlist of hosts"
        "what an implementation fetches is not in the messages";
    NotObservable Should "ref-unresolved" "/basic" "Schemas that fail to validate due to an unresolved external `$ref` SHOULD be rejected rather than silently treated as permissive."
        "what a side rejects for that reason is inside it";
    NotObservable Should "reverse-dns" "/basic" "Implementations SHOULD use reverse DNS notation (e.g., `com.example/` rather than `example.com/`)."
        "which end of a name is the top shows in no message";
    Allows May "meta-name-inside" "/basic" "MAY contain hyphens (`-`), underscores (`_`), dots (`.`), and alphanumerics in between."
        "names of keys with these signs inside";
    NotObservable Must "icon-types" "/basic" "Clients that support rendering icons MUST support at least the following MIME types"
        "what a client renders is not in the messages";
    NotObservable Should "icon-more-types" "/basic" "Clients that support rendering icons SHOULD also support"
        "what a client renders is not in the messages";
    NotObservable Must "icon-precautions" "/basic" "Consumers of icon metadata MUST take appropriate security precautions when handling icons to prevent compromise"
        "what a consumer guards against is inside it";
    NotObservable Must "icon-schemes" "/basic" "Clients MUST reject icon URIs that use unsafe schemes and redirects, such as `javascript:`, `file:`, `ftp:`, `ws:`, or local app URI schemes."
        "what a client rejects leaves no trace";
    NotObservable Should "extension-documented" "/basic/versioning" "Extensions SHOULD document their expected fallback behavior."
        "documents are not in the messages";
    Allows May "legacy-too" "/basic/versioning" "MAY implement both behaviors"
        "a handshake that is answered";
    Allows May "era-persisted" "/basic/versioning" "MAY persist it across restarts of the same server configuration"
        "a client that does not ask again";
    By Must "elicitation-input-declared" "/basic/patterns/mrtr" "if a client does not declare support for `elicitation`, the server MUST NOT include any `elicitation/create` requests in the `inputRequests` field"
        "LIF020";
    By Must "requests-through-mrtr" "/basic/patterns/mrtr" "Servers MUST send server-to-client requests (such as `roots/list`, `sampling/createMessage`, or `elicitation/create`) using the MRTR pattern."
        "LIF014";
    By Must "meta-on-every-request" "/basic/patterns/mrtr" "Every request MUST include the required `_meta` fields"
        "LIF011";
    Allows May "input-on-three" "/basic/patterns/mrtr" "Servers MAY send `InputRequiredResult` responses on the following client requests"
        "a result that asks for input";
    Allows May "input-again" "/basic/patterns/mrtr" "Servers MAY choose to return an `InputRequiredResult` on multiple attempts at the same request"
        "a second question";
    Allows May "retry-at-once" "/basic/patterns/mrtr" "the client MAY retry the original request immediately"
        "a retry that brings nothing but the state";
    NotObservable Must "state-protected" "/basic/patterns/mrtr" "servers MUST protect its integrity (e.g. HMAC or AEAD)"
        "the state is opaque to all but the server";
    NotObservable Must "state-rejected" "/basic/patterns/mrtr" "MUST reject state that fails verification"
        "that a state fails is known to the server alone";
    NotObservable Must "state-once" "/basic/patterns/mrtr" "MUST enforce that invariant server-side"
        "which state may be used once is known to the server alone";
    NotObservable Must "state-validated" "/basic/patterns/mrtr" "Servers MUST validate request state as described"
        "what a server checks is inside it";
    NotObservable Should "input-errors" "/basic/patterns/mrtr" "Protocol errors (malformed JSON, invalid schema, internal server errors) SHOULD return a JSON-RPC error response with an appropriate error code and message."
        "why a server failed is known to the server alone";
    NotObservable Must "origin-403" "/basic/transports/streamable-http" "If the `Origin` header is present and invalid, servers MUST respond with HTTP 403 Forbidden."
        "whether an origin was one that the server trusts is known to the server alone";
    Allows May "origin-body" "/basic/transports/streamable-http" "The HTTP response body MAY comprise a JSON-RPC error response that has no `id`."
        "an error without an id";
    By Must "metadata-headers" "/basic/transports/streamable-http" "The client MUST include the request metadata headers on each POST request."
        "TRN006";
    Allows May "notifications-before" "/basic/transports/streamable-http" "The server MAY send JSON-RPC notifications"
        "notifications before the response";
    By Should "work-stopped-http" "/basic/transports/streamable-http" "The server SHOULD stop work on the cancelled request as soon as practical"
        "CAN010/http; work inside the server is not seen, messages for the request are";
    By Must "version-mismatch-400" "/basic/transports/streamable-http" "If the values do not match, the server MUST reject the request with `400 Bad Request` and a `HeaderMismatch` JSON-RPC error"
        "TRN010/-32020; that a server lets a mismatch pass may be an intermediary's doing";
    NotObservable Must "header-missing-rejected" "/basic/transports/streamable-http" "A server that does not support such clients MUST reject a request without the header"
        "which clients a server supports is known to it alone";
    Allows May "header-missing-old" "/basic/transports/streamable-http" "MAY treat a request that omits the header as protocol version `2025-03-26`"
        "a request without the header that is served";
    Allows May "tools-mirror" "/basic/transports/streamable-http" "MCP servers MAY designate specific tool parameters to be mirrored into HTTP headers"
        "headers with arguments";
    NotObservable Must "mirroring-supported" "/basic/transports/streamable-http" "clients MUST support this feature"
        "what a client supports shows only where it is used";
    By Must "http-header-empty" "/basic/transports/streamable-http" "`x-mcp-header` values: MUST NOT be empty"
        "PAY002/header-empty";
    By Must "http-header-token" "/basic/transports/streamable-http" "`x-mcp-header` values: MUST match HTTP field-name token syntax"
        "PAY002/header-token";
    By Must "http-header-control" "/basic/transports/streamable-http" "`x-mcp-header` values: MUST NOT contain control characters, including carriage return (CR, `\\r`) or line feed (LF, `\\n`)"
        "PAY002/header-control";
    By Must "http-header-unique" "/basic/transports/streamable-http" "`x-mcp-header` values: MUST be case-insensitively unique among all `x-mcp-header` values in the `inputSchema`"
        "PAY002/header-unique";
    By Must "http-header-type" "/basic/transports/streamable-http" "`x-mcp-header` values: MUST only be applied to parameters with primitive types (integer, string, boolean)."
        "PAY002/header-type";
    By Must "http-header-reachable" "/basic/transports/streamable-http" "`x-mcp-header` values: MUST only be applied to properties that are statically reachable from the schema root"
        "PAY002/header-reachable";
    By Must "http-header-chain" "/basic/transports/streamable-http" "The chain MUST NOT pass through `items` (or any other array keyword)"
        "PAY002/header-reachable";
    NotObservable Must "tool-excluded" "/basic/transports/streamable-http" "the client MUST exclude the invalid tool from the result of `tools/list`"
        "which tools a client leaves out is inside it";
    NotObservable Should "tool-rejection-logged" "/basic/transports/streamable-http" "Clients SHOULD log a warning when rejecting a tool definition"
        "logs of a client are not in the messages";
    NotObservable Must "values-decoded" "/basic/transports/streamable-http" "Servers and intermediaries that need to inspect these values MUST decode them accordingly."
        "what a server decodes is inside it";
    NotObservable Must "decoded-before-compared" "/basic/transports/streamable-http" "servers MUST decode an encoded `Mcp-Name` or `Mcp-Param-{Name}` value before comparing it to the corresponding request body value"
        "what a server compares is inside it";
    By Must "call-headers" "/basic/transports/streamable-http" "When constructing a `tools/call` request via HTTP transport, the client MUST: Extract the values for any standard headers from the request body; Append the `Mcp-Method` header and, if applicable, `Mcp-Name` header to the request."
        "TRN006; headers of arguments are told by lists that may have changed since";
    NotObservable Should "list-after-mismatch" "/basic/transports/streamable-http" "SHOULD call `tools/list` to check for changes to the tool's `inputSchema`"
        "which headers a tool wants is told by a list that may have changed since";
    NotObservable Must "param-forwarded" "/basic/transports/streamable-http" "MUST forward it and otherwise ignore it"
        "what an intermediary forwards is in no record of one connection";
    By Must "validation-400" "/basic/transports/streamable-http" "Servers MUST reject requests with a `400 Bad Request` HTTP status and JSON-RPC error code `-32020` (`HeaderMismatch`) if any validation fails."
        "TRN010/-32020; that a validation fails is known to the server alone";
    By Must "mismatch-code" "/basic/transports/streamable-http" "MUST include a JSON-RPC error response using the following error code"
        "TRN010/-32020; a refusal without a body shows no code";
    NotObservable Should "integers-numerically" "/basic/transports/streamable-http" "servers SHOULD compare the header value and the body value numerically rather than as strings"
        "what a server compares is inside it";
    NotObservable Must "intermediary-status" "/basic/transports/streamable-http" "Intermediaries MUST return an appropriate HTTP error status"
        "what an intermediary validates is known to it alone";
    NotObservable Should "intermediary-version" "/basic/transports/streamable-http" "SHOULD verify that the `MCP-Protocol-Version` header indicates a version that requires header"
        "what an intermediary validates is known to it alone";
    Allows May "era-detected" "/basic/transports/streamable-http" "MAY detect which era the server implements by attempting a modern request first"
        "a first request of this revision to a server of an earlier one";
    NotObservable Should "old-traffic" "/basic/transports/streamable-http" "A server that supports only this revision and receives such traffic from an older client SHOULD respond as follows"
        "which revisions a server supports is known to it alone";
    NotObservable Should "http-sse-not-adopted" "/basic/transports/streamable-http" "New implementations SHOULD NOT adopt it"
        "how old an implementation is shows in no message";
    Allows May "notifications-scoped" "/basic/patterns" "the server MAY send notifications scoped to it"
        "notifications before the response";
    By Must "progress-in-progress" "/basic/patterns/progress" "Progress notifications MUST only reference tokens that: Were provided in an active request; Are associated with an in-progress operation"
        "PRG001";
    Allows May "progress-sent" "/basic/patterns/progress" "The server MAY then send progress notifications"
        "progress";
    Allows May "progress-floating" "/basic/patterns/progress" "The `progress` and the `total` values MAY be floating point."
        "numbers with a fraction";
    NotObservable Should "progress-message" "/basic/patterns/progress" "The `message` field SHOULD provide relevant human readable progress information."
        "what is relevant is known to persons";
    NotObservable Should "progress-tracked" "/basic/patterns/progress" "Clients and servers SHOULD track active progress tokens"
        "what a side tracks is inside it";
    NotObservable Should "progress-rate" "/basic/patterns/progress" "Both parties SHOULD implement rate limiting to prevent flooding"
        "no number says how many are too many";
    NotObservable Must "teardown-told" "/basic/patterns/cancellation" "A server MUST send `notifications/cancelled` referencing a `subscriptions/listen` request ID when it tears down that subscription stream"
        "that a server has torn down a subscription shows only by what it sends";
    By Must "server-cancel-listen" "/basic/patterns/cancellation" "Server-sent cancellation notifications MUST reference a `subscriptions/listen` request, to terminate that subscription stream"
        "CAN002";
    By Should "cancel-stop" "/basic/patterns/cancellation" "Servers receiving cancellation notifications SHOULD: Stop processing the cancelled request"
        "CAN010; work inside the server is not seen, messages for the request are";
    NotObservable Should "cancel-free" "/basic/patterns/cancellation" "Servers receiving cancellation notifications SHOULD: Stop processing the cancelled request; Free associated resources"
        "resources of the server are not in the messages";
    By Should "cancel-no-response" "/basic/patterns/cancellation" "Servers receiving cancellation notifications SHOULD: Stop processing the cancelled request; Free associated resources; Not send a response for the cancelled request"
        "CAN010";
    Allows May "cancel-ignored" "/basic/patterns/cancellation" "Servers MAY ignore cancellation notifications if"
        "an answer where the request was done, or cannot be cancelled";
    NotObservable Should "late-answer-ignored" "/basic/patterns/cancellation" "The client SHOULD ignore any response to the cancelled request that arrives afterward"
        "what the client does with an answer is not in the messages";
    NotObservable Must "races-handled" "/basic/patterns/cancellation" "Both parties MUST handle these race conditions gracefully"
        "how a side takes a crossing is inside it";
    NotObservable Should "reasons-logged" "/basic/patterns/cancellation" "Both parties SHOULD log cancellation reasons for debugging"
        "logs of a side are not in the messages";
    Persons Should "cancel-shown" "/basic/patterns/cancellation" "Application UIs SHOULD indicate when cancellation is requested"
        "what is shown to a person is not in the messages";
    NotObservable Should "bad-cancel-ignored" "/basic/patterns/cancellation" "Invalid cancellation notifications SHOULD be ignored"
        "a cancel that is ignored leaves no trace";
    NotObservable Should "ack-checked" "/basic/patterns/subscriptions" "The client SHOULD check the acknowledged filter against what it requested and handle any unsupported types gracefully."
        "what a client checks is inside it";
    NotObservable Must "listen-correlated" "/basic/patterns/subscriptions" "clients MUST use this field to correlate notifications with their originating subscription"
        "what a client makes of a notification is inside it";
    Allows May "many-subscriptions" "/basic/patterns/subscriptions" "A client MAY have multiple active subscriptions concurrently"
        "several subscriptions";
    By Must "stdio-cancel-sent" "/basic/transports/stdio" "To cancel an in-flight request, the client MUST send a `notifications/cancelled` notification referencing the request's ID."
        "CAN007; a cancel that was not sent leaves no trace, one that names no request is seen";
    By Should "graceful-end" "/basic/patterns/subscriptions" "it SHOULD send a successful `subscriptions/listen` response to signal a graceful end"
        "SUB005; that a server ends a subscription, and does not lose it, shows only by what it sends";
    NotObservable Should "intermediary-rejects" "/basic/transports/streamable-http" "the intermediary SHOULD reject the request rather than trusting unvalidated header values"
        "what an intermediary trusts is inside it";
    NotObservable Must "utf-8" "/basic/transports" "JSON-RPC messages MUST be UTF-8 encoded."
        "a log is a text that somebody has decoded before";
    NotObservable Must "binding-delivers" "/basic/transports" "A binding MUST deliver client-sent requests and notifications to the server, and server-sent responses and notifications to the client."
        "what was lost on the way is in no log of one end";
    NotObservable Must "custom-transport" "/basic/transports" "Implementers who choose to support custom transports MUST preserve the JSON-RPC message format, the message patterns, and the per-request metadata model."
        "the messages are judged whatever carries them; the transport itself is not in the log";
    NotObservable Should "custom-documented" "/basic/transports" "Custom transports SHOULD document their connection establishment, message framing, and cancellation patterns to aid interoperability."
        "documents are not in the messages";
    NotObservable Must "teardown-closes" "/basic/patterns/subscriptions" "it MUST close the SSE stream (HTTP) or send `notifications/cancelled` referencing the `subscriptions/listen` request ID (stdio)"
        "that a server has torn down a subscription shows only by what it sends";
    NotObservable Must "listen-again" "/basic/patterns/subscriptions" "the client MUST re-send `subscriptions/listen` to re-establish its subscriptions"
        "that a client still wants them is known to it alone";
    By Stated "listen-carries-id" "/basic/patterns/subscriptions" "All notifications delivered on the stream carry `io.modelcontextprotocol/subscriptionId` in `_meta`"
        "SUB002";
};
