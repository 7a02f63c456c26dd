//! What the pages of MCP 2026-07-28 say and no rule judges, each sentence with the reason.
//!
//! Sentences that rules rest on stand in `mcp_2026`.

use super::Remark;
use super::tables::table;

/// Base, versioning, multi round-trip requests and Streamable HTTP.
pub static REMARKS: &[Remark] = table! { "mcp-2026-07-28/", "https://modelcontextprotocol.io/specification/2026-07-28";
    NotObservable Must "support-base" "/basic" "All implementations MUST support the base protocol, versioning, and the message patterns"
        "what an implementation supports shows only where it is used";
    NotObservable Must "follow-jsonrpc" "/basic" "All messages between MCP clients and servers MUST follow the JSON-RPC 2.0 specification"
        "each clause of JSON-RPC is judged by itself";
    NotObservable Must "result-types-known" "/basic" "The set of supported `ResultType` values MUST be created from the set defined in the core protocol"
        "extensions may add values, and which are meant is known to the two";
    NotObservable Must "unknown-result-type" "/basic" "A `resultType` of any value unrecognized by the client MUST be considered invalid"
        "what a client makes of it is inside it";
    NotObservable Must "absent-result-type" "/basic" "clients MUST treat an absent `resultType` as `\"complete\"`"
        "what a client makes of it is inside it";
    NotObservable Must "codes-not-assumed" "/basic" "receivers MUST NOT assume any specific meaning for these codes"
        "what a receiver assumes is inside it";
    NotObservable Should "own-codes-outside" "/basic" "New error codes for purposes not defined by this specification SHOULD be allocated outside the JSON-RPC reserved range"
        "when a code was allocated is not in the messages";
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
    NotObservable Must "schema-valid" "/basic" "Schemas MUST be valid according to their declared or default dialect"
        "payloads of lists are judged with a schema only";
    NotObservable Must "no-network-ref" "/basic" "Implementations MUST NOT automatically dereference `$ref` values that resolve to a network URI"
        "what an implementation fetches is not in the messages";
    NotObservable Should "schema-bounds" "/basic" "Implementations SHOULD apply reasonable bounds"
        "what an implementation bounds is inside it";
    NotObservable Must "meta-no-assumptions" "/basic" "implementations MUST NOT make assumptions about values at these keys"
        "what an implementation assumes is inside it";
    NotObservable Must "unsupported-version" "/basic/versioning" "it MUST respond with an `UnsupportedProtocolVersionError` listing the versions it does support"
        "which versions a server implements is known to the server alone";
    NotObservable Should "retry-version" "/basic/versioning" "The client SHOULD select a mutually supported version from the `supported` list and retry the request"
        "which versions a client implements is known to the client alone";
    NotObservable Must "discover" "/basic/versioning" "Servers MUST implement `server/discover`"
        "a refusal of it is judged where it is asked";
    Allows May "discover-first" "/basic/versioning" "Clients MAY call it before sending any other requests"
        "a first request that asks what the server is";
    NotObservable Must "extension-fallback" "/basic/versioning" "the supporting party MUST either revert to core protocol behavior or reject the request with an appropriate error"
        "which extensions a side could speak is known to it alone";
    NotObservable Should "era-cached" "/basic/versioning" "Clients SHOULD cache the result for the lifetime of the server process"
        "what a client remembers is inside it";
    NotObservable Should "versions-named" "/basic/versioning" "SHOULD name the protocol versions it supports in any error it returns to an `initialize` request"
        "texts of errors are for persons";
    NotObservable Must "mrtr-used" "/basic/patterns/mrtr" "Servers MUST send server-to-client requests ... using the MRTR pattern"
        "requests of a server are judged by another clause";
    NotObservable Must "state-opaque" "/basic/patterns/mrtr" "Clients MUST NOT inspect, parse, modify, or make any assumptions about its contents"
        "what a client reads is inside it";
    NotObservable Must "input-keys-unique" "/basic/patterns/mrtr" "MUST be unique within the scope of the request"
        "members of one object that have the same name are one member";
    NotObservable Must "state-untrusted" "/basic/patterns/mrtr" "servers MUST treat `requestState` as an attacker-controlled input"
        "what a server trusts is inside it";
    NotObservable Should "state-against-replay" "/basic/patterns/mrtr" "servers SHOULD include the following inside the integrity-protected `requestState` payload"
        "the state is opaque to all but the server";
    NotObservable Must "retry-not-assumed" "/basic/patterns/mrtr" "Servers MUST NOT assume that clients will fulfill the `inputRequests` or retry the original request"
        "what a server assumes is inside it";
    NotObservable Must "inputs-constructed" "/basic/patterns/mrtr" "the client MUST construct the requested inputs before retrying the original request"
        "which earlier request a new one continues is said by nothing but its state, which is opaque";
    NotObservable Must "state-echoed" "/basic/patterns/mrtr" "the client MUST echo back the exact value of that field when retrying the original request"
        "which earlier request a new one continues is said by nothing but that value";
    NotObservable Must "state-only-for-retry" "/basic/patterns/mrtr" "They MUST NOT be used for any other request that the client may be sending in parallel"
        "which earlier request a new one continues is said by nothing but its state, which is opaque";
    NotObservable Should "inputs-validated" "/basic/patterns/mrtr" "Servers SHOULD validate that the data provided by the client is a valid `InputResponses` object"
        "what a server checks is inside it";
    NotObservable Should "unexpected-inputs" "/basic/patterns/mrtr" "the server SHOULD ignore any information it does not recognize or need"
        "what is ignored leaves no trace";
    NotObservable Should "missing-inputs" "/basic/patterns/mrtr" "the server SHOULD respond with a new `InputRequiredResult` requesting the missing information again"
        "which information was necessary is known to the server alone";
    NotObservable Must "one-endpoint" "/basic/transports/streamable-http" "The server MUST provide a single HTTP endpoint path"
        "one connection shows one path; what others there are it does not";
    NotObservable Must "origin-checked" "/basic/transports/streamable-http" "Servers MUST validate the `Origin` header on all incoming connections"
        "whether an origin was one that the server trusts is known to the server alone";
    NotObservable Should "bind-localhost" "/basic/transports/streamable-http" "When running locally, servers SHOULD bind only to localhost"
        "the address that a server listens on is not in the messages";
    NotObservable Should "authenticate" "/basic/transports/streamable-http" "Servers SHOULD implement proper authentication for all connections"
        "what a server requires shows only where it refuses, and credentials are not kept";
    NotObservable Must "own-post" "/basic/transports/streamable-http" "Every JSON-RPC message sent from the client MUST be a new HTTP POST request to the MCP endpoint"
        "what was not sent by a POST is in no record of POSTs";
    NotObservable Must "refused-status" "/basic/transports/streamable-http" "it MUST return an HTTP error status code"
        "that it could not accept it is known to the server alone";
    NotObservable Must "both-types" "/basic/transports/streamable-http" "The client MUST support both"
        "that a client could have read the other type is not in what it was sent";
    NotObservable Must "no-requests-on-stream" "/basic/transports/streamable-http" "The server MUST NOT send independent JSON-RPC requests on this stream"
        "requests of a server are judged by another clause";
    NotObservable Should "response-ends-stream" "/basic/transports/streamable-http" "The final JSON-RPC response SHOULD terminate the stream"
        "how soon is not said";
    NotObservable Should "no-buffering" "/basic/transports/streamable-http" "servers SHOULD include the `X-Accel-Buffering: no` header in the HTTP response"
        "a header that a log does not show is held against nobody";
    NotObservable Must "close-cancels" "/basic/transports/streamable-http" "Closing the SSE response stream MUST be treated by the server as cancellation of that request"
        "that work was ended is not in the messages; messages after it are judged by another clause";
    NotObservable Must "name-encoded" "/basic/transports/streamable-http" "clients MUST encode it using the Base64 sentinel format"
        "an encoded and a plain name are both read, so that a mismatch is judged by another clause";
    NotObservable Must "params-mirrored" "/basic/transports/streamable-http" "conforming clients MUST mirror the designated parameter values into HTTP headers"
        "lists of tools are not remembered: they may have changed since";
    NotObservable Must "bad-annotations-rejected" "/basic/transports/streamable-http" "MUST reject tool definitions where any `x-mcp-header` value violates these constraints"
        "which tools a client leaves out is inside it";
    NotObservable Must "headers-any-case" "/basic/transports/streamable-http" "Clients and servers MUST use case-insensitive comparisons for header names"
        "how names are compared is inside a side";
    NotObservable Must "mismatch-rejected" "/basic/transports/streamable-http" "MUST reject requests where the values specified in the headers do not match the corresponding values in the request body"
        "the mismatch is judged where the client makes it; that a server lets it pass may be an intermediary's doing";
    NotObservable Should "body-inspected" "/basic/transports/streamable-http" "the client SHOULD inspect the response body before falling back"
        "what a client looks at is inside it";
};
