//! ACP: the request-cancellation RFD as it stood in November 2025, protocol version 1, and the draft of version 2.
//!
//! The RFD is version 1 with another dialect of per-request cancellation (and a capability for it), so its prompt turns
//! are judged by the sentences of version 1. Where version 2 is only known to keep a rule of version 1, not its
//! wording, the ruling there rests on no clause.

use super::Sender::{Both, Client, Server};
use super::acp_table;
use super::jsonrpc2::{self as jr, BASE, allows, bare, clauses, error, in_part, note, warning};
use super::{AfterCancel, Family, Gate, Method, Opening, Profile, Remark, Ruling, Severity};

/// The revisions, oldest first.
pub static PROFILES: &[Profile; 3] = &[
    Profile {
        revision: "rfd-2025-11",
        cancel: Some(("$/cancelRequest", "id")),
        cancel_needs_capability: true,
        rulings: RULINGS_RFD,
        ..ACP
    },
    Profile { revision: "1", rulings: RULINGS_1, remarks: &[REMARKS_1, acp_table::REMARKS], ..ACP },
    Profile { revision: "2", turns_end_idle: true, gates: &[], remarks: &[REMARKS_2], rulings: RULINGS_2, ..ACP },
];

/// Version 1, which is meant where nothing else is stated.
pub fn stable() -> &'static Profile {
    &PROFILES[1]
}

/// Version 2.
pub fn draft() -> &'static Profile {
    &PROFILES[2]
}

const ACP: Profile = Profile {
    family: Family::Acp,
    name: "acp",
    cancel: Some(("$/cancel_request", "requestId")),
    after_cancel: AfterCancel::Answer,
    cancelled_code: Some(-32800),
    opening: Opening { initialize: Some("initialize"), initialized: None, shutdown: None, exit: None },
    turns: true,
    methods: METHODS,
    gates: GATES,
    // -32000 is "authentication required", -32002 "resource not found".
    codes: &[-32800, -32700, -32603, -32602, -32601, -32600, -32002, -32000],
    ..BASE
};

/// What a side must have declared before it is asked, in version 1.
const GATES: &[Gate] = &[
    Gate::new("session/load", "loadSession"),
    Gate::new("terminal/", "terminal"),
    Gate::new("fs/read_text_file", "fs.readTextFile"),
    Gate::new("fs/write_text_file", "fs.writeTextFile"),
];

clauses! { "acp-rfd-2025-11/", "https://agentclientprotocol.com/rfds/request-cancellation";
    RFD_INITIALIZE Must "initialize-not-cancelled" "" "CANNOT be cancelled";
    RFD_TOO_EARLY Must "cancel-after-capabilities" "" "Until capabilities are exchanged, NO requests can be cancelled";
    RFD_CAPABILITY Must "cancel-capability" "" "MUST Check the recipient's capabilities ... Not send";
}

clauses! { "acp-1/", "https://agentclientprotocol.com/protocol/v1";
    CANCEL_ANSWERED Must "cancel-answered" "/cancellation"
        "MUST send one of these responses for the original request: A valid response ... An error response with code -32800";
    PENDING_FIRST May "pending-first" "/cancellation" "MAY finish sending any pending notifications before responding";
    UPDATES_AFTER_CANCEL May "updates-after-cancel" "/prompt-turn"
        "The Agent MAY send `session/update` ... after receiving the `session/cancel`";
    ID_NOT_NULL Should "id-not-null" "/schema" "SHOULD normally not be Null";
    PERMISSION_CANCELLED Must "permission-cancelled" "/prompt-turn"
        "The Client MUST respond to all pending `session/request_permission` requests with the `cancelled` outcome";
    TURN_CANCELLED Must "turn-cancelled" "/prompt-turn"
        "the Agent MUST respond to the original `session/prompt` request with the `cancelled` stop reason";
    TURN_NO_ERROR Must "turn-no-error" "/prompt-turn" "Agents MUST catch these errors";
    UPDATES_BEFORE_ANSWER Must "updates-before-answer" "/prompt-turn"
        "it MUST ensure that it does so before responding to the `session/prompt` request";
    TURN_STOPS Should "turn-stops" "/prompt-turn"
        "it SHOULD stop all language model requests and all tool call invocations as soon as possible";
    INITIALIZE_FIRST Must "initialize-first" "/initialization"
        "Clients MUST initialize ... before a Session can be created";
    OMITTED_UNSUPPORTED Must "omitted-unsupported" "/initialization"
        "Clients and Agents MUST treat all capabilities omitted in the `initialize` request as UNSUPPORTED";
    CLOSE_CANCELS Must "close-cancels" "/session-setup"
        "MUST cancel any ongoing work ... as if `session/cancel` had been called";
    SINGLE_MESSAGES Stated "single-messages" "/transports"
        "Messages are individual JSON-RPC requests, notifications, or responses";
}

clauses! { "acp-2/", "https://agentclientprotocol.com/protocol/v2";
    CANCEL_ANSWERED_2 Must "cancel-answered" "/cancellation"
        "MUST send one of these responses for the original request: A valid response ... An error response with code -32800";
    IDLE_STATE Must "idle-state" "/prompt-lifecycle"
        "MUST send an idle `state_update` ... with the `cancelled` stop reason";
    BATCH_LIFECYCLE Should "batch-lifecycle" "/transports" "SHOULD NOT batch lifecycle-sensitive messages";
}

/// What holds in all revisions alike, then what the revision adds.
macro_rules! rulings {
    ($($own:expr),* $(,)?) => {
        &[
            // No sentence forbids a cancel of an unknown, finished or foreign request.
            bare("CAN001", Severity::Warning),
            bare("CAN004", Severity::Warning),
            bare("CAN005", Severity::Warning),
            bare("CAN006", Severity::Note),
            bare("CAN007", Severity::Error),
            bare("CAN008", Severity::Warning),
            bare("CAN030", Severity::Warning),
            bare("RPC001", Severity::Error),
            error("RPC002", &jr::VERSION),
            error("RPC003", &jr::RESULT_OR_ERROR),
            error("RPC004", &jr::RESULT_OR_ERROR),
            error("RPC005", &jr::ERROR_CODE),
            error("RPC007", &jr::ID_TYPE),
            warning("RPC007/fraction", &jr::ID_NO_FRACTION),
            error("RPC008", &jr::REPLY),
            error("RPC009", &jr::SAME_ID),
            bare("RPC010", Severity::Warning),
            error("RPC012", &jr::SAME_ID),
            error("RPC015", &jr::BATCH_NOT_EMPTY),
            bare("RPC016", Severity::Error),
            note("RPC017", &jr::RESERVED_CODES),
            error("RPC019", &jr::RESULT_OR_ERROR),
            error("RPC020", &jr::PARAMS),
            error("RPC020/null", &jr::PARAMS),
            error("RPC021", &jr::SAME_ID),
            error("STK001", &jr::REPLY),
            error("RPC023", &jr::NO_REPLY),
            bare("STK002", Severity::Note),
            bare("STK003", Severity::Note),
            bare("HOP001", Severity::Warning),
            bare("HOP002", Severity::Warning),
            bare("HOP003", Severity::Note),
            bare("HOP004", Severity::Note),
            bare("STK004", Severity::Warning),
            bare("LIF004", Severity::Note),
            bare("SES006", Severity::Warning),
            bare("SES007", Severity::Note),
            bare("SCH001", Severity::Warning),
            bare("SCH002", Severity::Warning),
            bare("SES009", Severity::Error),
            bare("SES011", Severity::Note),
            bare("SES012", Severity::Note),
            $($own),*
        ]
    };
}

static REMARKS_2: &[Remark] = &[in_part(
    &IDLE_STATE,
    "that no report ever came may have its reason in what the client owes; one that says otherwise is judged",
)];

static REMARKS_1: &[Remark] = &[
    allows(&PENDING_FIRST, "notifications between a cancel and its answer"),
    allows(&UPDATES_AFTER_CANCEL, "updates between a cancel and the end of the turn"),
    in_part(&TURN_STOPS, "work inside the agent is not seen; new requests to the client are"),
];

static RULINGS_RFD: &[Ruling] = rulings![
    bare("LIF019", Severity::Error),
    error("CAN003", &RFD_INITIALIZE),
    error("CAN011", &jr::REPLY),
    bare("CAN012", Severity::Error),
    error("CAN015", &RFD_TOO_EARLY),
    error("CAN016", &RFD_CAPABILITY),
    bare("CAN018", Severity::Error),
    warning("CAN019", &TURN_STOPS),
    warning("RPC006", &ID_NOT_NULL),
    error("RPC013", &SINGLE_MESSAGES),
    error("LIF001", &INITIALIZE_FIRST),
    error("SES001", &TURN_CANCELLED),
    error("SES002", &TURN_NO_ERROR),
    error("SES003", &PERMISSION_CANCELLED),
    error("SES004", &PERMISSION_CANCELLED),
    error("SES005", &UPDATES_BEFORE_ANSWER),
    error("SES010", &CLOSE_CANCELS),
];

// CAN012 is an error here for a peer that has shown its support; the rule lowers it where that is not evident.
static RULINGS_1: &[Ruling] = rulings![
    error("LIF019", &OMITTED_UNSUPPORTED),
    error("CAN011", &CANCEL_ANSWERED),
    error("CAN012", &CANCEL_ANSWERED),
    bare("CAN018", Severity::Note),
    warning("CAN019", &TURN_STOPS),
    warning("RPC006", &ID_NOT_NULL),
    error("RPC013", &SINGLE_MESSAGES),
    error("LIF001", &INITIALIZE_FIRST),
    error("SES001", &TURN_CANCELLED),
    error("SES002", &TURN_NO_ERROR),
    error("SES003", &PERMISSION_CANCELLED),
    error("SES004", &PERMISSION_CANCELLED),
    error("SES005", &UPDATES_BEFORE_ANSWER),
    error("SES010", &CLOSE_CANCELS),
];

// The prompt is answered when it is accepted, so that a cancel shows in a state update and not in the answer:
// no SES001, SES002, SES005, SES010.
static RULINGS_2: &[Ruling] = rulings![
    bare("LIF019", Severity::Error),
    error("CAN011", &CANCEL_ANSWERED_2),
    error("CAN012", &CANCEL_ANSWERED_2),
    bare("CAN018", Severity::Note),
    bare("CAN019", Severity::Warning),
    warning("RPC006", &jr::ID_NOT_NULL),
    warning("RPC014", &BATCH_LIFECYCLE),
    note("RPC022", &jr::BATCH_ANSWER),
    bare("LIF001", Severity::Error),
    bare("SES003", Severity::Error),
    bare("SES004", Severity::Error),
    error("SES008", &IDLE_STATE),
];

/// Stable and unstable methods of all versions, sorted by name.
static METHODS: &[Method] = &[
    Method::notification("$/cancelRequest", Both),
    Method::notification("$/cancel_request", Both),
    Method::asking("auth/login", Client),
    Method::request("auth/logout", Client),
    Method::asking("authenticate", Client),
    Method::notification("document/didChange", Client),
    Method::notification("document/didClose", Client),
    Method::notification("document/didFocus", Client),
    Method::notification("document/didOpen", Client),
    Method::notification("document/didSave", Client),
    Method::notification("elicitation/complete", Server),
    Method::asking("elicitation/create", Server),
    Method::request("fs/read_text_file", Server),
    Method::request("fs/write_text_file", Server),
    Method::quick("initialize", Client),
    Method::request("logout", Client),
    Method::request("mcp/connect", Server),
    Method::request("mcp/disconnect", Server),
    // `mcp/message` is left out: it is a request or a notification, as what it carries is.
    Method::notification("nes/accept", Client),
    Method::request("nes/close", Client),
    Method::notification("nes/reject", Client),
    Method::request("nes/start", Client),
    Method::request("nes/suggest", Client),
    Method::request("providers/configure", Client),
    Method::request("providers/disable", Client),
    Method::quick("providers/list", Client),
    Method::request("providers/list_api", Client),
    Method::request("providers/restore", Client),
    Method::request("providers/set", Client),
    Method::notification("session/cancel", Client),
    Method::request("session/close", Client),
    Method::request("session/delete", Client),
    Method::asking("session/elicitation", Server),
    Method::notification("session/elicitation/complete", Server),
    Method::request("session/fork", Client),
    Method::quick("session/list", Client),
    Method::request("session/load", Client),
    Method::request("session/new", Client),
    Method::request("session/prompt", Client),
    Method::asking("session/request_permission", Server),
    Method::request("session/resume", Client),
    Method::request("session/setTitle", Client),
    Method::request("session/set_config_option", Client),
    Method::request("session/set_mode", Client),
    Method::request("session/set_model", Client),
    Method::notification("session/update", Server),
    Method::request("terminal/create", Server),
    Method::request("terminal/kill", Server),
    Method::request("terminal/output", Server),
    Method::request("terminal/release", Server),
    Method::long_lived("terminal/wait_for_exit", Server),
];
