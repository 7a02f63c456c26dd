//! What the pages of MCP with a handshake say and no rule judges, each sentence with the reason.
//!
//! Sentences that rules rest on stand in `clauses` and in the file of each revision.

/// Transports, as far as the three revisions with Streamable HTTP and a handshake say the same.
macro_rules! http {
    ($revision:literal) => {
        $crate::protocol::mcp::clauses::of! { $revision;
            NotObservable Must "utf8" "/basic/transports" "JSON-RPC messages MUST be UTF-8 encoded"
                "a log holds text: how it was encoded on the wire is settled before";
            NotObservable Should "support-stdio" "/basic/transports" "Clients SHOULD support stdio whenever possible"
                "what a client could speak is not in what it speaks";
            NotObservable Must "no-embedded-newline" "/basic/transports" "Messages are delimited by newlines, and MUST NOT contain embedded newlines"
                "a message with a line break is two lines that are no messages, which another clause is about";
            Allows May "stderr" "/basic/transports" "The server MAY write UTF-8 strings to its standard error"
                "lines on stderr";
            NotObservable Must "one-endpoint" "/basic/transports" "The server MUST provide a single HTTP endpoint path"
                "one connection shows one path; what others there are it does not";
            NotObservable Must "origin-checked" "/basic/transports" "Servers MUST validate the `Origin` header on all incoming connections"
                "whether an origin was one that the server trusts is known to the server alone";
            NotObservable Should "bind-localhost" "/basic/transports" "When running locally, servers SHOULD bind only to localhost"
                "the address that a server listens on is not in the messages";
            NotObservable Should "authenticate" "/basic/transports" "Servers SHOULD implement proper authentication for all connections"
                "what a server requires shows only where it refuses, and credentials are not kept";
            NotObservable Must "refused-status" "/basic/transports" "If the server cannot accept the input, it MUST return an HTTP error status code"
                "that it could not accept it is known to the server alone";
            NotObservable Must "both-types" "/basic/transports" "The client MUST support both these cases"
                "that a client could have read the other type is not in what it was sent";
            Allows May "related-messages" "/basic/transports" "The server MAY send JSON-RPC requests and notifications before sending"
                "messages before the response";
            NotObservable Should "related" "/basic/transports" "These messages SHOULD relate to the originating client request"
                "what a message relates to is known to the server, unless it names a token or a task";
            Allows May "disconnect-any-time" "/basic/transports" "Disconnection MAY occur at any time"
                "streams that end";
            NotObservable Should "explicit-cancel" "/basic/transports" "To cancel, the client SHOULD explicitly send an MCP `CancelledNotification`"
                "that a client wanted to cancel is known to the client alone";
            Allows May "resumable" "/basic/transports" "the server MAY make the stream resumable"
                "event ids";
            Allows May "get-stream" "/basic/transports" "The client MAY issue an HTTP GET to the MCP endpoint"
                "streams that a GET opens";
            NotObservable Should "get-unrelated" "/basic/transports" "These messages SHOULD be unrelated to any concurrently-running JSON-RPC request"
                "what a message relates to is known to the server";
            Allows May "several-streams" "/basic/transports" "The client MAY remain connected to multiple SSE streams simultaneously"
                "streams at the same time";
            Allows May "event-ids" "/basic/transports" "Servers MAY attach an `id` field to their SSE events"
                "event ids";
            NotObservable Must "event-id-unique" "/basic/transports" "If present, the ID MUST be globally unique across all streams within that session"
                "ids of events are kept in recordings only, and a resumed stream repeats them by right";
            NotObservable Should "resume-by-get" "/basic/transports" "it SHOULD issue an HTTP GET to the MCP endpoint, and include the `Last-Event-ID` header"
                "that a client wished to resume is known to the client alone";
            NotObservable Must "replay-own-stream" "/basic/transports" "The server MUST NOT replay messages that would have been delivered on a different stream"
                "on which stream a lost message would have come is known to the server alone";
            Allows May "assign-session" "/basic/transports" "A server using the Streamable HTTP transport MAY assign a session ID at initialization time"
                "a session";
            NotObservable Should "session-secure" "/basic/transports" "The session ID SHOULD be globally unique and cryptographically secure"
                "one id does not show how it was made, and recordings hold a placeholder";
            NotObservable Should "session-missing-400" "/basic/transports" "Servers that require a session ID SHOULD respond to requests without an"
                "that a server requires one is known to the server alone";
            NotObservable Must "restart-on-404" "/basic/transports" "it MUST start a new session by sending a new `InitializeRequest` without a session ID attached"
                "a client may as well stop, which breaks nothing";
            NotObservable Should "delete-session" "/basic/transports" "SHOULD send an HTTP DELETE to the MCP endpoint"
                "that a client needs a session no more is known to the client alone";
            NotObservable Must "custom-transport" "/basic/transports" "Implementers who choose to support custom transports MUST ensure they preserve"
                "the messages are judged whatever carries them; the transport itself is not in the log";
            NotObservable Should "custom-documented" "/basic/transports" "Custom transports SHOULD document their specific connection establishment"
                "documents are not in the messages";
        }
    };
}

/// Response streams, before 2025-11-25 lets a server close a connection and go on later.
macro_rules! open_streams {
    ($revision:literal) => {
        $crate::protocol::mcp::clauses::of! { $revision;
            NotObservable Should "stream-has-response" "/basic/transports" "The SSE stream SHOULD eventually include"
                "that a request was never answered is judged by another clause";
            NotObservable Should "stream-not-closed-early" "/basic/transports" "The server SHOULD NOT close the SSE stream before sending"
                "a stream that is cut by the network looks the same";
        }
    };
}

/// Response streams that may be polled.
macro_rules! polled_streams {
    ($revision:literal) => {
        $crate::protocol::mcp::clauses::of! { $revision;
            NotObservable Should "prime-event" "/basic/transports" "The server SHOULD immediately send an SSE event consisting of an event ID and an empty `data` field"
                "events without data are kept in recordings only, and how soon is not said";
            NotObservable Should "retry-field" "/basic/transports" "it SHOULD send an SSE event with a standard `retry` field before closing the connection"
                "whether a stream was closed or only its connection is known to the server";
            NotObservable Must "retry-respected" "/basic/transports" "The client MUST respect the `retry` field"
                "a client that does not come back respects it, too";
            NotObservable Should "stream-has-response" "/basic/transports" "The SSE stream SHOULD eventually include a JSON-RPC response"
                "that a request was never answered is judged by another clause";
            NotObservable Should "stream-ended-after" "/basic/transports" "the server SHOULD terminate the SSE stream"
                "how soon is not said";
            NotObservable Should "event-id-tells-stream" "/basic/transports" "Event IDs SHOULD encode sufficient information to identify the originating stream"
                "what an id encodes is known to the server alone";
            NotObservable Must "session-handled" "/basic/transports" "The client MUST handle the session ID in a secure manner"
                "what a client does with it is inside it";
            NotObservable Should "stderr-no-error" "/basic/transports" "SHOULD NOT assume `stderr` output indicates error conditions"
                "what a client assumes is inside it";
        }
    };
}

/// The header with the version.
macro_rules! version_header {
    ($revision:literal) => {
        $crate::protocol::mcp::clauses::of! { $revision;
            NotObservable Should "assume-2025-03-26" "/basic/transports" "the server SHOULD assume protocol version `2025-03-26`"
                "what a server assumes is inside it";
            NotObservable Must "bad-version-400" "/basic/transports" "it MUST respond with `400 Bad Request`"
                "which versions a server supports is known to the server alone";
        }
    };
}

/// Log messages.
macro_rules! log_messages {
    ($revision:literal) => {
        $crate::protocol::mcp::clauses::of! { $revision;
            Allows May "set-level" "/server/utilities/logging" "clients MAY send a `logging/setLevel` request"
                "a level that is set";
            NotObservable Should "log-errors" "/server/utilities/logging" "Servers SHOULD return standard JSON-RPC errors for common failure cases"
                "why a server failed is known to the server alone";
            NotObservable Must "log-no-secrets" "/server/utilities/logging" "Log messages MUST NOT contain: Credentials or secrets; Personal identifying information; Internal system details that could aid attacks"
                "what is a secret is known to its owner; what looks like one is noted as CAP010";
            NotObservable Should "log-considerate" "/server/utilities/logging" "Servers SHOULD: Rate limit log messages; Include relevant context in data field; Use consistent logger names; Remove sensitive information"
                "no number says how many are too many";
            NotObservable Should "log-implementations" "/server/utilities/logging" "Implementations SHOULD: Rate limit messages; Validate all data fields; Control log access; Monitor for sensitive content"
                "what an implementation checks is inside it";
        }
    };
}

/// Lists in pages.
macro_rules! pages {
    ($revision:literal) => {
        $crate::protocol::mcp::clauses::of! { $revision;
            NotObservable Must "page-size" "/server/utilities/pagination" "clients MUST NOT assume a fixed page size"
                "what a client assumes is inside it";
            NotObservable Should "stable-cursors" "/server/utilities/pagination" "Servers SHOULD: Provide stable cursors; Handle invalid cursors gracefully"
                "a cursor that is used once does not show whether it is stable";
            NotObservable Should "end-of-pages" "/server/utilities/pagination" "Clients SHOULD: Treat a missing `nextCursor` as the end of results; Support both paginated and non-paginated flows"
                "a client that asks from the beginning again may have a reason";
        }
    };
}

pub(super) use {http, log_messages, open_streams, pages, polled_streams, version_header};
