//! MCP 2026-07-28: no handshake, every request states its revision, only the client issues requests, and closing an
//! HTTP response stream is a cancel.
//!
//! The revision contradicts itself in two places. Whether a cancelled request may be answered: the transport pages say
//! MUST NOT, the cancellation page SHOULD; the transport pages are cited. How a server ends a listen request: CAN022
//! rests on no sentence and is off unless selected.

use super::jsonrpc::{self as jr, BASE};
use super::tables::{bare, clauses, error, in_part, note, unseen, warning};
use super::{AfterCancel, Bound, Family, Gate, Profile, Remark, Ruling, ServerCancel, Severity, mcp, mcp_2026_table};

/// The revision.
pub static PROFILE: Profile = Profile {
    family: Family::Mcp,
    name: "mcp",
    revision: "2026-07-28",
    cancel: Some(("notifications/cancelled", "requestId")),
    after_cancel: AfterCancel::Silence,
    server_cancel: ServerCancel::ListenOnly,
    revision_per_request: true,
    stream_close_cancels: true,
    progress: Some("notifications/progress"),
    // As an extension (SEP-2663), whose cancels are acknowledged at once and take effect later.
    tasks: true,
    cancel_text_is_proof: true,
    methods: mcp::METHODS,
    gates: GATES,
    after_initialize: Bound::AllBut(&["ping", "server/discover"]),
    client_waits: mcp::REQUESTS_BUT_PING,
    server_waits: mcp::REQUESTS_BUT_PING,
    server_waits_for_initialized: true,
    removed: REMOVED,
    codes: &[-32700, -32603, -32602, -32601, -32600, -32022, -32021, -32020],
    forbidden_codes: &[(-32099, -32023), (-32042, -32042), (-32002, -32002)],
    discouraged_codes: &[(-32019, -32000)],
    rulings: RULINGS,
    remarks: &[REMARKS, mcp_2026_table::REMARKS],
    ..BASE
};

/// What a side must have declared: the server when it is asked for it, the client in the request that is answered by a question.
const GATES: &[Gate] = &[
    Gate::new("resources/", "resources"),
    Gate::new("tools/", "tools"),
    Gate::new("prompts/", "prompts"),
    Gate::new("completion/complete", "completions"),
    Gate::new("sampling/createMessage", "sampling"),
    Gate::new("elicitation/create", "elicitation"),
    Gate::new("roots/list", "roots"),
];

/// What the revisions with a handshake have, and this one has dropped.
const REMOVED: &[&str] = &[
    "initialize",
    "logging/setLevel",
    "ping",
    "resources/subscribe",
    "resources/unsubscribe",
    "tasks/list",
    "tasks/result",
];

/// A revision of the same kind that this program does not know: only what JSON-RPC itself says.
pub static UNKNOWN: Profile = Profile {
    revision: "unknown",
    unknown_revision: true,
    forbidden_codes: &[],
    discouraged_codes: &[],
    rulings: RULINGS_UNKNOWN,
    remarks: &[],
    ..PROFILE
};

static RULINGS_UNKNOWN: &[Ruling] = &[
    bare("CAN006", Severity::Note),
    bare("CAN008", Severity::Warning),
    bare("CAN023", Severity::Note),
    bare("RPC001", Severity::Error),
    error("RPC002", &jr::VERSION),
    error("RPC003", &jr::RESULT_OR_ERROR),
    error("RPC004", &jr::RESULT_OR_ERROR),
    error("RPC005", &jr::ERROR_CODE),
    error("RPC008", &jr::REPLY),
    error("RPC009", &jr::SAME_ID),
    error("RPC012", &jr::SAME_ID),
    error("RPC015", &jr::BATCH_NOT_EMPTY),
    error("RPC019", &jr::RESULT_OR_ERROR),
    error("RPC020", &jr::PARAMS),
    warning("RPC020/null", &jr::PARAMS),
    error("RPC023", &jr::NO_REPLY),
    error("STK001", &jr::REPLY),
    bare("STK002", Severity::Note),
    bare("STK003", Severity::Note),
    bare("HOP001", Severity::Warning),
    bare("HOP002", Severity::Warning),
    bare("HOP003", Severity::Note),
    bare("HOP004", Severity::Note),
    bare("STK004", Severity::Warning),
];

mcp::clauses::progress!("2026-07-28", "/basic/patterns/progress");

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
    LISTEN_CARRIES_ID Stated "listen-carries-id" "/patterns/subscriptions"
        "All notifications delivered on the stream carry `io.modelcontextprotocol/subscriptionId` in `_meta`";
    NO_BATCH Must "no-batch" "/transports/streamable-http"
        "The body of the HTTP POST MUST be a single JSON-RPC request or notification";
    LISTEN_TYPES Must "listen-types" "/patterns/subscriptions"
        "The server MUST NOT send notification types the client has not explicitly requested";
    LISTEN_ACK_FIRST Must "listen-ack-first" "/patterns/subscriptions"
        "MUST ... `notifications/subscriptions/acknowledged`";
}

clauses! { "mcp-2026-07-28/", "https://modelcontextprotocol.io/specification/2026-07-28/server";
    OUTPUT_CONFORMS Must "output-conforms" "/tools" "Servers MUST provide structured results that conform to this schema";
}

clauses! { "mcp-2026-07-28/", "https://modelcontextprotocol.io/seps/2663-tasks-extension";
    TASK_NOT_BY_NOTIFICATION Must "task-not-by-notification" "" "MUST NOT be used for task cancellation";
    TASK_CANCEL_EMPTY Must "task-cancel-empty" "" "MUST acknowledge ... with an empty result";
}

static REMARKS: &[Remark] = &[
    in_part(&CLIENT_CANCELS, "a timeout inside the client is not seen; a request that is sent again is"),
    in_part(&CANCEL_IN_PROGRESS, "what the client believes is not seen; that the answer had reached it is"),
    in_part(&NOTHING_AFTER_CANCEL, "work inside the server is not seen; messages for the request are"),
    unseen(
        &DISCONNECT_CANCELS,
        "that work was ended is not in the messages; messages after the stream was closed are judged by another clause",
    ),
    in_part(
        &SCHEMA_TRUTH,
        "methods that the schema does not have and values that a filter took are not judged, and nothing without --schema",
    ),
    in_part(
        &OUTPUT_CONFORMS,
        "patterns, formats and conditions of a schema are not judged, and nothing without --schema",
    ),
    unseen(&STDIO_CANCELS, "a cancel that was not sent leaves no trace: that the client wanted one is inside it"),
];

static RULINGS: &[Ruling] = &[
    error("CAN002", &SERVER_CANCEL),
    error("CAN004", &CANCEL_OWN),
    error("CAN005", &CANCEL_IN_PROGRESS),
    bare("CAN006", Severity::Note),
    error("CAN007", &CANCEL_OWN),
    bare("CAN008", Severity::Warning),
    error("CAN010", &NOTHING_AFTER_CANCEL),
    error("CAN010/http", &NOTHING_AFTER_CANCEL_HTTP),
    bare("CAN013", Severity::Note),
    error("CAN017", &TASK_NOT_BY_NOTIFICATION),
    note("CAN020", &HTTP_NO_CANCEL),
    error("CAN021", &NOTHING_AFTER_CANCEL),
    error("CAN021/http", &NOTHING_AFTER_CANCEL_HTTP),
    bare("CAN022", Severity::Note),
    bare("CAN023", Severity::Note),
    note("CAN025", &CLIENT_CANCELS),
    error("CAN030", &CANCEL_OWN),
    bare("RPC001", Severity::Error),
    error("RPC002", &jr::VERSION),
    error("RPC003", &jr::RESULT_OR_ERROR),
    error("RPC004", &jr::RESULT_OR_ERROR),
    error("RPC005", &ERROR_CODE),
    error("RPC006", &ID_NOT_NULL),
    error("RPC007", &ID_TYPE),
    error("RPC007/fraction", &ID_TYPE),
    error("RPC008", &jr::REPLY),
    error("RPC009", &SAME_ID),
    error("RPC010", &ID_NOT_IN_FLIGHT),
    error("RPC012", &SAME_ID),
    error("RPC021/result", &SAME_ID),
    error("RPC013", &NO_BATCH),
    error("RPC015", &jr::BATCH_NOT_EMPTY),
    error("RPC016", &NOTIFICATION_NO_ID),
    error("RPC017", &CODE_DEFINED),
    note("RPC017/discouraged", &CODE_LEGACY),
    error("RPC019", &jr::RESULT_OR_ERROR),
    error("RPC020", &jr::PARAMS),
    warning("RPC020/null", &jr::PARAMS),
    error("STK001", &jr::REPLY),
    error("RPC023", &jr::NO_REPLY),
    bare("STK002", Severity::Note),
    bare("STK003", Severity::Note),
    bare("HOP001", Severity::Warning),
    bare("HOP002", Severity::Warning),
    bare("HOP003", Severity::Note),
    bare("HOP004", Severity::Note),
    bare("STK004", Severity::Warning),
    note("LIF010", &DUAL_ERA),
    error("LIF011", &REQUEST_META),
    error("LIF012", &REQUEST_META),
    error("LIF013", &RESULT_TYPE),
    error("LIF014", &SERVER_NO_REQUESTS),
    error("LIF015", &CLIENT_NO_RESPONSES),
    error("LIF017", &RETRY_ID),
    error("LIF018", &INPUT_REQUIRED),
    bare("LIF019", Severity::Warning),
    error("LIF020", &INPUT_DECLARED),
    error("PRG001", &PROGRESS_STOPS),
    error("PRG002", &NOTHING_AFTER_CANCEL),
    error("PRG002/http", &NOTHING_AFTER_CANCEL_HTTP),
    error("PRG003", &PROGRESS_TOKEN_KNOWN),
    error("PRG004", &PROGRESS_INCREASES),
    error("PRG005", &PROGRESS_TOKEN_UNIQUE),
    error("PRG006", &PROGRESS_TOKEN_KNOWN),
    error("PRG007", &PROGRESS_TOKEN_TYPE),
    error("TSK010", &TASK_CANCEL_EMPTY),
    error("TRN003", &STREAM_SCOPE),
    error("TRN005", &VERSION_HEADER),
    error("TRN005/stated", &VERSION_MATCHES),
    error("TRN006", &MIRRORED),
    error("TRN007", &ACCEPTED_202),
    error("TRN008", &RESPONSE_TYPE),
    error("TRN010", &UNKNOWN_404),
    error("TRN010/-32020", &MISMATCH_400),
    error("TRN010/-32022", &UNSUPPORTED_400),
    error("TRN011", &ACCEPT_BOTH),
    error("SUB001", &LISTEN_ACK_FIRST),
    error("SUB002", &LISTEN_CARRIES_ID),
    error("SUB003", &LISTEN_TYPES),
    error("SCH001", &SCHEMA_TRUTH),
    error("SCH002", &SCHEMA_TRUTH),
    error("SCH003", &OUTPUT_CONFORMS),
    bare("SCH004", Severity::Note),
];
