//! The sentences of MCP 2024-11-05 to 2025-11-25 that rulings rest on, one module per revision.
//!
//! The revisions share most of their wording. Each has its own copy all the same, so that a finding links to the
//! revision that the connection speaks.

use crate::protocol::tables::clauses;

/// [`clauses`] for one revision; pages are relative to it.
macro_rules! revision {
    ($revision:literal; $($clause:tt)*) => {
        clauses! {
            concat!("mcp-", $revision, "/"),
            concat!("https://modelcontextprotocol.io/specification/", $revision);
            $($clause)*
        }
    };
}

/// A table of one revision; pages are relative to it.
macro_rules! of {
    ($revision:literal; $($line:tt)*) => {
        $crate::protocol::tables::table! {
            concat!("mcp-", $revision, "/"), concat!("https://modelcontextprotocol.io/specification/", $revision);
            $($line)*
        }
    };
}
pub(super) use of;

/// The sentences that all four revisions have in common; the page on messages moved once.
macro_rules! shared {
    ($revision:literal, $messages:literal) => {
        revision! { $revision;
            CANCEL_SAME_DIRECTION Must "cancel-same-direction" "/basic/utilities/cancellation"
                "Cancellation notifications MUST only reference requests that: Were previously issued in the same direction";
            CANCEL_IN_PROGRESS Must "cancel-in-progress" "/basic/utilities/cancellation"
                "Cancellation notifications MUST only reference requests that: ... Are believed to still be in-progress";
            CANCEL_NOT_INITIALIZE Must "cancel-not-initialize" "/basic/utilities/cancellation"
                "The `initialize` request MUST NOT be cancelled by clients";
            CANCEL_STOP Should "cancel-stop" "/basic/utilities/cancellation"
                "Receivers ... SHOULD: Stop processing";
            CANCEL_NO_RESPONSE Should "cancel-no-response" "/basic/utilities/cancellation"
                "Receivers ... SHOULD: ... Not send a response for the cancelled request";
            CANCEL_FREE Should "cancel-free" "/basic/utilities/cancellation"
                "Receivers ... SHOULD: ... Free associated resources";
            CANCEL_IGNORED May "cancel-ignored" "/basic/utilities/cancellation"
                "Receivers MAY ignore cancellation notifications if";
            LATE_ANSWER_IGNORED Should "late-answer-ignored" "/basic/utilities/cancellation"
                "SHOULD ignore any response to the request that arrives afterward";
            RACES_HANDLED Must "races-handled" "/basic/utilities/cancellation"
                "Both parties MUST handle these race conditions gracefully";
            BAD_CANCEL_IGNORED Should "bad-cancel-ignored" "/basic/utilities/cancellation"
                "Invalid cancellation notifications SHOULD be ignored";
            ID_TYPE Must "id-type" $messages "MUST include a string or integer ID";
            ID_NOT_NULL Must "id-not-null" $messages "MUST NOT be `null`";
            ID_USED_ONCE Must "id-used-once" $messages
                "MUST NOT have been previously used by the requestor within the same session";
            ERROR_CODE Must "error-code" $messages "Error codes MUST be integers";
            NOTIFICATION_NO_ID Must "notification-no-id" $messages "Notifications MUST NOT include an ID";
            VALID_MESSAGE Must "valid-message" "/basic/transports"
                "MUST NOT write anything ... that is not a valid MCP message";
            INITIALIZE_FIRST Must "initialize-first" "/basic/lifecycle"
                "initialization phase MUST be the first interaction";
            INITIALIZED_SENT Must "initialized-sent" "/basic/lifecycle" "MUST send an `initialized` notification";
            CLIENT_WAITS Should "client-waits" "/basic/lifecycle"
                "SHOULD NOT send requests other than pings before the server has responded to the `initialize` request";
            SERVER_WAITS Should "server-waits" "/basic/lifecycle"
                "SHOULD NOT send requests other than pings and logging before receiving the `initialized` notification";
            PING_EMPTY Must "ping-empty" "/basic/utilities/ping"
                "The receiver MUST respond promptly with an empty response";
        }
        crate::protocol::mcp::clauses::progress!($revision, "/basic/utilities/progress");
    };
}

/// The sentences on progress, which 2026-07-28 keeps under another address.
macro_rules! progress {
    ($revision:literal, $page:literal) => {
        crate::protocol::tables::clauses! {
            concat!("mcp-", $revision, "/"), concat!("https://modelcontextprotocol.io/specification/", $revision, $page);
            PROGRESS_TOKEN_TYPE Must "progress-token-type" "" "MUST be a string or integer";
            PROGRESS_TOKEN_UNIQUE Must "progress-token-unique" "" "MUST be unique across all active requests";
            PROGRESS_INCREASES Must "progress-increases" "" "`progress` value MUST increase";
            PROGRESS_TOKEN_KNOWN Must "progress-token-known" ""
                "MUST only reference tokens that: Were provided in an active request";
            PROGRESS_STOPS Must "progress-stops" "" "MUST stop after completion";
        }
    };
}
pub(in crate::protocol) use progress;

/// Responses, until 2025-11-25 gave results and errors a section each.
macro_rules! one_kind_of_response {
    ($revision:literal, $messages:literal) => {
        revision! { $revision;
            SAME_ID Must "same-id" $messages "Responses MUST include the same ID";
            RESULT_OR_ERROR Must "result-or-error" $messages
                "Either a `result` or an `error` MUST be set ... MUST NOT set both";
        }
    };
}

/// What only the revisions with Streamable HTTP and a handshake say.
macro_rules! streamable_http {
    ($revision:literal) => {
        revision! { $revision;
            DISCONNECT_IS_NO_CANCEL Should "disconnect-is-no-cancel" "/basic/transports"
                "Disconnection SHOULD NOT be interpreted as the client cancelling its request";
            GET_STREAM_NO_RESPONSE Must "get-stream-no-response" "/basic/transports"
                "MUST NOT send a JSON-RPC response on the ... stream unless resuming";
            NO_BROADCAST Must "no-broadcast" "/basic/transports"
                "MUST NOT broadcast the same message across multiple streams";
            ACCEPT_BOTH Must "accept-both" "/basic/transports"
                "The client MUST include an `Accept` header, listing both `application/json` and `text/event-stream` as supported content types";
            ACCEPTED_202 Must "accepted-202" "/basic/transports"
                "If the server accepts the input, the server MUST return HTTP status code 202 Accepted with no body";
            RESPONSE_TYPE Must "response-type" "/basic/transports"
                "the server MUST either return `Content-Type: text/event-stream`, to initiate an SSE stream, or `Content-Type: application/json`, to return one JSON object";
            SESSION_HEADER Must "session-header" "/basic/transports"
                "clients using the Streamable HTTP transport MUST include it in the ... header on all of their subsequent HTTP requests";
            ENDED_SESSION Must "ended-session" "/basic/transports"
                "after which it MUST respond to requests containing that session ID with HTTP 404 Not Found";
            TIMEOUT_CANCELS Should "timeout-cancels" "/basic/lifecycle"
                "the sender SHOULD issue a cancellation notification for that request and stop waiting";
        }
    };
}

/// Batches, dropped in 2025-06-18.
macro_rules! no_batch {
    ($revision:literal) => {
        revision! { $revision;
            NO_BATCH Must "no-batch" "/basic/transports"
                "MUST be a single JSON-RPC request, notification, or response";
            VERSION_HEADER Must "version-header" "/basic/transports"
                "the client MUST include the `MCP-Protocol-Version: <protocol-version>` HTTP header on all subsequent requests to the MCP server";
            VERSION_NEGOTIATED Should "version-negotiated" "/basic/transports"
                "The protocol version sent by the client SHOULD be the one negotiated during initialization";
            CAPABILITIES Must "capabilities" "/basic/lifecycle"
                "Both parties MUST: ... Only use capabilities that were successfully negotiated";
        }
    };
}

/// What messages and structured results look like.
macro_rules! schema {
    ($revision:literal) => {
        revision! { $revision;
            SCHEMA_TRUTH Stated "schema-truth" "/basic"
                "This is the source of truth for all protocol messages and structures";
            OUTPUT_CONFORMS Must "output-conforms" "/server/tools"
                "Servers MUST provide structured results that conform to this schema";
        }
    };
}

/// The same sentence was a SHOULD before 2025-06-18.
macro_rules! capabilities_should {
    ($revision:literal) => {
        revision! { $revision;
            CAPABILITIES Should "capabilities" "/basic/lifecycle"
                "Both parties SHOULD: ... Only use capabilities that were successfully negotiated";
        }
    };
}

/// 2024-11-05.
pub mod v2024_11_05 {
    use super::clauses;
    shared!("2024-11-05", "/basic/messages");
    one_kind_of_response!("2024-11-05", "/basic/messages");
    capabilities_should!("2024-11-05");
    revision! { "2024-11-05";
        TIMEOUT_CANCELS Should "timeouts" "/basic/lifecycle" "SHOULD implement appropriate timeouts";
        CURSORS_OPAQUE Must "cursors-opaque" "/server/utilities/pagination"
            "Clients MUST treat cursors as opaque tokens: Don't make assumptions about cursor format; Don't attempt to parse or modify cursors; Don't persist cursors across sessions";
    }
}

/// Log messages, whose page says the same from 2025-03-26 on.
macro_rules! logging {
    ($revision:literal) => {
        revision! { $revision;
            LOGGING_DECLARED Must "logging-declared" "/server/utilities/logging"
                "Servers that emit log message notifications MUST declare the `logging` capability";
        }
    };
}

/// 2025-03-26.
pub mod v2025_03_26 {
    use super::clauses;
    shared!("2025-03-26", "/basic");
    one_kind_of_response!("2025-03-26", "/basic");
    capabilities_should!("2025-03-26");
    streamable_http!("2025-03-26");
    logging!("2025-03-26");
    revision! { "2025-03-26";
        INITIALIZE_NOT_BATCHED Must "initialize-not-batched" "/basic/lifecycle"
            "initialize request MUST NOT be part of a JSON-RPC batch";
    }
}

/// 2025-06-18.
pub mod v2025_06_18 {
    use super::clauses;
    shared!("2025-06-18", "/basic");
    schema!("2025-06-18");
    one_kind_of_response!("2025-06-18", "/basic");
    streamable_http!("2025-06-18");
    logging!("2025-06-18");
    no_batch!("2025-06-18");
}

/// 2025-11-25, the revision with tasks in the core.
pub mod v2025_11_25 {
    use super::clauses;
    shared!("2025-11-25", "/basic");
    schema!("2025-11-25");
    streamable_http!("2025-11-25");
    logging!("2025-11-25");
    no_batch!("2025-11-25");
    revision! { "2025-11-25";
        SAME_ID Must "same-id" "/basic" "Result responses MUST include the same ID as the request they correspond to";
        RESULT_FIELD Must "result-field" "/basic" "Result responses MUST include a `result` field";
        CANCEL_NAMES_REQUEST Must "cancel-names-request" "/schema"
            "This MUST be provided for cancelling non-task requests. This MUST NOT be used for cancelling tasks";
        CANCEL_TASK Must "cancel-task" "/basic/utilities/cancellation"
            "For task-augmented requests, the `tasks/cancel` request MUST be used instead of the `notifications/cancelled` notification";
        TASK_CANCEL_TERMINAL Must "task-cancel-terminal" "/basic/utilities/tasks"
            "MUST reject cancellation requests for tasks already in a terminal status ... with error code `-32602`";
        TASK_CANCELLED_STATUS Must "task-cancelled-status" "/basic/utilities/tasks"
            "MUST transition the task to `cancelled` status before sending the response";
        TASK_STAYS_CANCELLED Must "task-stays-cancelled" "/basic/utilities/tasks"
            "Once a task is cancelled, it MUST remain in `cancelled`";
        TASK_TERMINAL Must "task-terminal" "/basic/utilities/tasks" "MUST NOT transition";
        TASK_BEGINS Must "task-begins" "/basic/utilities/tasks" "MUST begin in the `working` status";
        TASK_RESULT_BLOCKS Must "task-result-blocks" "/basic/utilities/tasks"
            "MUST block the response until the task reaches a terminal status";
        TASK_IGNORED Must "task-ignored" "/basic/utilities/tasks"
            "MUST process requests of that type normally, ignoring any task-augmentation metadata";
        FORM_VALIDATED Should "form-validated" "/client/elicitation"
            "Clients SHOULD validate all responses against the provided schema";
        ELICITATION_MODE Must "elicitation-mode" "/client/elicitation"
            "Servers MUST NOT send elicitation requests with modes that are not supported by the client";
        SAMPLING_TOOLS Must "sampling-tools" "/client/sampling"
            "Servers MUST NOT send tool-enabled sampling requests to Clients that have not declared support for tool use via the `sampling.tools` capability";
        CURSORS_OPAQUE Must "cursors-opaque" "/server/utilities/pagination"
            "Clients MUST treat cursors as opaque tokens: Don't make assumptions about cursor format; Don't attempt to parse or modify cursors; Don't persist cursors across sessions";
        TASK_UNKNOWN Must "task-unknown" "/basic/utilities/tasks"
            "Receivers MUST return standard JSON-RPC errors for the following protocol error cases: Invalid or nonexistent `taskId` in `tasks/get`, `tasks/result`, or `tasks/cancel`: `-32602`";
        TASK_ID_UNIQUE Must "task-id-unique" "/basic/utilities/tasks"
            "Task IDs MUST be unique among all tasks controlled by the receiver";
        TASK_CREATED Must "task-created" "/basic/utilities/tasks"
            "Receivers that accept a task-augmented request MUST return a `CreateTaskResult` as the response";
        TASK_RELATED Must "task-related" "/basic/utilities/tasks"
            "The `tasks/result` operation MUST include this metadata in its response";
        TASK_CAPABILITY Must "task-capability" "/basic/utilities/tasks"
            "clients MUST NOT attempt to use task augmentation on that server's tools";
    }
}
