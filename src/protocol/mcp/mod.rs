//! MCP with a handshake: revisions 2024-11-05, 2025-03-26, 2025-06-18 and 2025-11-25, as data.
//!
//! 2026-07-28 is another model and lives in `mcp_2026`; the list of methods is shared.

pub(super) mod clauses;
mod features;
mod methods;
mod table;

use super::jsonrpc::{self as jr, BASE};
use super::tables::{allows, bare, error, in_part, note, unseen, warning};
use super::{
    AfterCancel, Bound, Facts, Family, Feature, Gate, Opening, Profile, Remark, Ruling, Severity, Side, Waits,
};

pub use methods::METHODS;

/// The revisions, oldest first.
pub static PROFILES: [Profile; 4] = [
    Profile { revision: "2024-11-05", rulings: RULINGS_2024_11_05, remarks: table::V2024_11_05, ..HANDSHAKE },
    Profile {
        revision: "2025-03-26",
        stream_close_is_no_cancel: true,
        rulings: RULINGS_2025_03_26,
        remarks: table::V2025_03_26,
        ..HANDSHAKE
    },
    Profile {
        revision: "2025-06-18",
        stream_close_is_no_cancel: true,
        rulings: RULINGS_2025_06_18,
        remarks: table::V2025_06_18,
        ..HANDSHAKE
    },
    Profile {
        revision: "2025-11-25",
        stream_close_is_no_cancel: true,
        tasks: true,
        codes: CODES_2025_11_25,
        rulings: RULINGS_2025_11_25,
        remarks: table::V2025_11_25,
        ..HANDSHAKE
    },
];

/// MCP whose revision the log does not tell: only what all four revisions say, at its weakest.
pub static UNKNOWN: Profile = Profile {
    revision: "unknown",
    unknown_revision: true,
    codes: CODES_2025_11_25,
    rulings: RULINGS_UNKNOWN,
    ..HANDSHAKE
};

/// What the four revisions have in common.
const HANDSHAKE: Profile = Profile {
    family: Family::Mcp,
    name: "mcp",
    cancel: Some(("notifications/cancelled", "requestId")),
    after_cancel: AfterCancel::Silence,
    opening: Opening {
        initialize: Some("initialize"),
        initialized: Some("notifications/initialized"),
        shutdown: None,
        exit: None,
    },
    progress: Some("notifications/progress"),
    ids_used_once: true,
    cancel_text_is_proof: true,
    methods: METHODS,
    gates: GATES,
    features: FEATURES,
    // `server/discover` is the probe of a client that also speaks the revision without a handshake.
    after_initialize: Bound::AllBut(&["ping", "server/discover"]),
    client_waits: REQUESTS_BUT_PING,
    server_waits: REQUESTS_BUT_PING,
    server_waits_for_initialized: true,
    codes: CODES,
    ..BASE
};

/// What a side must have declared before it is asked. `completion/complete` is left out: the oldest revision has no
/// capability for it.
const GATES: &[Gate] = &[
    Gate::new("resources/subscribe", "resources.subscribe"),
    Gate::new("resources/", "resources"),
    Gate::new("tools/", "tools"),
    Gate::new("prompts/", "prompts"),
    Gate::new("logging/setLevel", "logging"),
    Gate::new("sampling/createMessage", "sampling"),
    Gate::new("elicitation/create", "elicitation"),
    Gate::new("roots/list", "roots"),
];

/// What the server may send only if it was declared.
const FEATURES: &[Feature] = &[
    Feature { method: "notifications/message", used: |_| true, by: Side::Server, needs: "logging" },
    Feature {
        method: "elicitation/create",
        used: |facts| Facts::is(facts.mode, "url"),
        by: Side::Client,
        needs: "elicitation.url",
    },
    Feature {
        method: "sampling/createMessage",
        used: |facts| facts.offers_tools,
        by: Side::Client,
        needs: "sampling.tools",
    },
];

/// What both sides hold back until the handshake is over.
pub(super) const REQUESTS_BUT_PING: Waits = Waits::RequestsBut(&["ping"]);

/// -32002 is "resource not found".
const CODES: &[i64] = &[-32700, -32603, -32602, -32601, -32600, -32002];
/// -32042 is "URL elicitation required", of this revision only.
const CODES_2025_11_25: &[i64] = &[-32700, -32603, -32602, -32601, -32600, -32042, -32002];

/// Remarks that hold in all four revisions, then those of one.
macro_rules! remarks {
    ($revision:ident; $($own:expr),* $(,)?) => {
        &[
            in_part(&clauses::$revision::CANCEL_STOP, "work inside the receiver is not seen; requests and progress that go on are"),
            unseen(&clauses::$revision::CANCEL_FREE, "resources of the receiver are not in the messages"),
            allows(&clauses::$revision::CANCEL_IGNORED, "an answer to a cancelled request: why response-after-cancel is never an error"),
            unseen(&clauses::$revision::LATE_ANSWER_IGNORED, "what the sender of the cancel does with an answer is not in the messages"),
            unseen(&clauses::$revision::RACES_HANDLED, "how a side takes a crossing is inside it"),
            unseen(&clauses::$revision::BAD_CANCEL_IGNORED, "a cancel that is ignored leaves no trace; an error without an id is judged as a reply to a notification"),
            in_part(&clauses::$revision::CANCEL_IN_PROGRESS, "what the sender believes is not seen; that the answer had reached it is"),
            in_part(&clauses::$revision::PING_EMPTY, "nothing says how soon is promptly"),
            in_part(&clauses::$revision::TIMEOUT_CANCELS, "a timeout inside the sender is not seen; a request that is sent again is"),
            $($own),*
        ]
    };
}

static REMARKS_2024_11_05: &[Remark] = remarks![v2024_11_05;];
static REMARKS_2025_03_26: &[Remark] = remarks![v2025_03_26;];
static REMARKS_2025_06_18: &[Remark] = remarks![v2025_06_18;
    in_part(&clauses::v2025_06_18::SCHEMA_TRUTH, "methods that the schema does not have and values that a filter took are not judged, and nothing without --schema"),
    in_part(&clauses::v2025_06_18::OUTPUT_CONFORMS, "patterns, formats and conditions of a schema are not judged, and nothing without --schema"),
];
static REMARKS_2025_11_25: &[Remark] = remarks![v2025_11_25;
    in_part(&clauses::v2025_11_25::SCHEMA_TRUTH, "methods that the schema does not have and values that a filter took are not judged, and nothing without --schema"),
    in_part(&clauses::v2025_11_25::OUTPUT_CONFORMS, "patterns, formats and conditions of a schema are not judged, and nothing without --schema"),
    in_part(&clauses::v2025_11_25::FORM_VALIDATED, "that a client looks is not seen; what it sends is, with --schema"),
    unseen(&clauses::v2025_11_25::TASK_IGNORED, "that a receiver looked at the member is not in the messages"),
];

/// The rulings that hold in all four revisions with the same severity, each resting on its own revision's
/// sentence; then what the revision adds.
macro_rules! rulings {
    ($revision:ident; $($own:expr),* $(,)?) => {
        &[
            error("CAN001", &clauses::$revision::CANCEL_SAME_DIRECTION),
            error("CAN003", &clauses::$revision::CANCEL_NOT_INITIALIZE),
            error("CAN004", &clauses::$revision::CANCEL_SAME_DIRECTION),
            error("CAN005", &clauses::$revision::CANCEL_IN_PROGRESS),
            bare("CAN006", Severity::Note),
            bare("CAN008", Severity::Warning),
            warning("CAN010", &clauses::$revision::CANCEL_NO_RESPONSE),
            bare("CAN013", Severity::Note),
            bare("CAN018", Severity::Note),
            warning("CAN019", &clauses::$revision::CANCEL_STOP),
            bare("CAN023", Severity::Note),
            note("CAN025", &clauses::$revision::TIMEOUT_CANCELS),
            error("CAN030", &clauses::$revision::CANCEL_SAME_DIRECTION),
            error("RPC001", &clauses::$revision::VALID_MESSAGE),
            error("RPC002", &jr::VERSION),
            error("RPC005", &clauses::$revision::ERROR_CODE),
            error("RPC006", &clauses::$revision::ID_NOT_NULL),
            error("RPC007", &clauses::$revision::ID_TYPE),
            error("RPC007/fraction", &clauses::$revision::ID_TYPE),
            error("RPC008", &jr::REPLY),
            error("RPC009", &clauses::$revision::SAME_ID),
            error("RPC010", &clauses::$revision::ID_USED_ONCE),
            error("RPC011", &clauses::$revision::ID_USED_ONCE),
            error("RPC012", &clauses::$revision::SAME_ID),
            error("RPC015", &jr::BATCH_NOT_EMPTY),
            error("RPC016", &clauses::$revision::NOTIFICATION_NO_ID),
            note("RPC017", &jr::RESERVED_CODES),
            error("RPC019", &jr::RESULT_OR_ERROR),
            error("RPC020", &jr::PARAMS),
            warning("RPC020/null", &jr::PARAMS),
            error("STK001", &jr::REPLY),
            error("RPC023", &jr::NO_REPLY),
            bare("STK002", Severity::Note),
            bare("STK003", Severity::Note),
            warning("HOP001", &clauses::$revision::CANCEL_STOP),
            warning("HOP002", &clauses::$revision::CANCEL_STOP),
            bare("HOP003", Severity::Note),
            bare("HOP004", Severity::Note),
            bare("STK004", Severity::Warning),
            error("LIF001", &clauses::$revision::INITIALIZE_FIRST),
            warning("LIF002", &clauses::$revision::CLIENT_WAITS),
            warning("LIF003", &clauses::$revision::SERVER_WAITS),
            bare("LIF004", Severity::Note),
            error("LIF005", &clauses::$revision::INITIALIZED_SENT),
            error("LIF016", &clauses::$revision::PING_EMPTY),
            warning("LIF016/members", &clauses::$revision::PING_EMPTY),
            error("PRG001", &clauses::$revision::PROGRESS_STOPS),
            warning("PRG002", &clauses::$revision::CANCEL_STOP),
            error("PRG003", &clauses::$revision::PROGRESS_TOKEN_KNOWN),
            error("PRG004", &clauses::$revision::PROGRESS_INCREASES),
            error("PRG005", &clauses::$revision::PROGRESS_TOKEN_UNIQUE),
            error("PRG006", &clauses::$revision::PROGRESS_TOKEN_KNOWN),
            error("PRG007", &clauses::$revision::PROGRESS_TOKEN_TYPE),
            $($own),*
        ]
    };
}

static RULINGS_2024_11_05: &[Ruling] = rulings![v2024_11_05;
    error("RPC003", &clauses::v2024_11_05::RESULT_OR_ERROR),
    error("RPC004", &clauses::v2024_11_05::RESULT_OR_ERROR),
    error("CAN007", &clauses::v2024_11_05::CANCEL_SAME_DIRECTION),
    warning("LIF019", &clauses::v2024_11_05::CAPABILITIES),
    error("LIF022", &clauses::v2024_11_05::CURSORS_OPAQUE),
    bare("SCH001", Severity::Error),
    bare("SCH002", Severity::Error),
    bare("SCH004", Severity::Note),
    // Silent on batches: it refers to JSON-RPC, which has them.
    bare("RPC013", Severity::Note),
    error("RPC021", &clauses::v2024_11_05::SAME_ID),
];

static RULINGS_2025_03_26: &[Ruling] = rulings![v2025_03_26;
    error("RPC003", &clauses::v2025_03_26::RESULT_OR_ERROR),
    error("RPC004", &clauses::v2025_03_26::RESULT_OR_ERROR),
    error("CAN007", &clauses::v2025_03_26::CANCEL_SAME_DIRECTION),
    warning("CAN024", &clauses::v2025_03_26::DISCONNECT_IS_NO_CANCEL),
    warning("LIF019", &clauses::v2025_03_26::CAPABILITIES),
    error("RPC014", &clauses::v2025_03_26::INITIALIZE_NOT_BATCHED),
    error("RPC021", &clauses::v2025_03_26::SAME_ID),
    note("RPC022", &jr::BATCH_ANSWER),
    error("LIF023", &clauses::v2025_03_26::LOGGING_DECLARED),
    // The page on pages was not to be had.
    bare("LIF022", Severity::Warning),
    bare("SCH001", Severity::Error),
    bare("SCH002", Severity::Error),
    bare("SCH004", Severity::Note),
    error("TRN001", &clauses::v2025_03_26::GET_STREAM_NO_RESPONSE),
    error("TRN002", &clauses::v2025_03_26::NO_BROADCAST),
    error("TRN004", &clauses::v2025_03_26::SESSION_HEADER),
    error("TRN007", &clauses::v2025_03_26::ACCEPTED_202),
    error("TRN008", &clauses::v2025_03_26::RESPONSE_TYPE),
    error("TRN009", &clauses::v2025_03_26::ENDED_SESSION),
    error("TRN011", &clauses::v2025_03_26::ACCEPT_BOTH),
];

static RULINGS_2025_06_18: &[Ruling] = rulings![v2025_06_18;
    error("RPC003", &clauses::v2025_06_18::RESULT_OR_ERROR),
    error("RPC004", &clauses::v2025_06_18::RESULT_OR_ERROR),
    error("CAN007", &clauses::v2025_06_18::CANCEL_SAME_DIRECTION),
    warning("CAN024", &clauses::v2025_06_18::DISCONNECT_IS_NO_CANCEL),
    error("LIF019", &clauses::v2025_06_18::CAPABILITIES),
    error("RPC013", &clauses::v2025_06_18::NO_BATCH),
    error("RPC021", &clauses::v2025_06_18::SAME_ID),
    error("LIF023", &clauses::v2025_06_18::LOGGING_DECLARED),
    // The page on pages was not to be had.
    bare("LIF022", Severity::Warning),
    error("SCH001", &clauses::v2025_06_18::SCHEMA_TRUTH),
    error("SCH002", &clauses::v2025_06_18::SCHEMA_TRUTH),
    error("SCH003", &clauses::v2025_06_18::OUTPUT_CONFORMS),
    bare("SCH004", Severity::Note),
    bare("SCH005", Severity::Warning),
    error("TRN001", &clauses::v2025_06_18::GET_STREAM_NO_RESPONSE),
    error("TRN002", &clauses::v2025_06_18::NO_BROADCAST),
    error("TRN004", &clauses::v2025_06_18::SESSION_HEADER),
    error("TRN005", &clauses::v2025_06_18::VERSION_HEADER),
    warning("TRN005/negotiated", &clauses::v2025_06_18::VERSION_NEGOTIATED),
    error("TRN007", &clauses::v2025_06_18::ACCEPTED_202),
    error("TRN008", &clauses::v2025_06_18::RESPONSE_TYPE),
    error("TRN009", &clauses::v2025_06_18::ENDED_SESSION),
    error("TRN011", &clauses::v2025_06_18::ACCEPT_BOTH),
];

// No RPC021: from here on an error may lack its id, "in error cases where the ID could not be read".
static RULINGS_2025_11_25: &[Ruling] = rulings![v2025_11_25;
    // That a response has not both is left to JSON-RPC since results and errors have a section each.
    error("RPC003", &jr::RESULT_OR_ERROR),
    error("RPC004", &clauses::v2025_11_25::RESULT_FIELD),
    error("CAN007", &clauses::v2025_11_25::CANCEL_NAMES_REQUEST),
    error("CAN017", &clauses::v2025_11_25::CANCEL_TASK),
    warning("CAN024", &clauses::v2025_11_25::DISCONNECT_IS_NO_CANCEL),
    error("LIF019", &clauses::v2025_11_25::CAPABILITIES),
    error("RPC013", &clauses::v2025_11_25::NO_BATCH),
    error("RPC021/result", &clauses::v2025_11_25::SAME_ID),
    error("LIF023", &clauses::v2025_11_25::LOGGING_DECLARED),
    error("LIF021", &clauses::v2025_11_25::ELICITATION_MODE),
    error("LIF021/sampling.tools", &clauses::v2025_11_25::SAMPLING_TOOLS),
    error("LIF022", &clauses::v2025_11_25::CURSORS_OPAQUE),
    error("SCH001", &clauses::v2025_11_25::SCHEMA_TRUTH),
    error("SCH002", &clauses::v2025_11_25::SCHEMA_TRUTH),
    error("SCH003", &clauses::v2025_11_25::OUTPUT_CONFORMS),
    bare("SCH004", Severity::Note),
    warning("SCH005", &clauses::v2025_11_25::FORM_VALIDATED),
    error("TRN001", &clauses::v2025_11_25::GET_STREAM_NO_RESPONSE),
    error("TRN002", &clauses::v2025_11_25::NO_BROADCAST),
    error("TRN004", &clauses::v2025_11_25::SESSION_HEADER),
    error("TRN005", &clauses::v2025_11_25::VERSION_HEADER),
    warning("TRN005/negotiated", &clauses::v2025_11_25::VERSION_NEGOTIATED),
    error("TRN007", &clauses::v2025_11_25::ACCEPTED_202),
    error("TRN008", &clauses::v2025_11_25::RESPONSE_TYPE),
    error("TRN009", &clauses::v2025_11_25::ENDED_SESSION),
    error("TRN011", &clauses::v2025_11_25::ACCEPT_BOTH),
    error("TSK001", &clauses::v2025_11_25::TASK_CANCEL_TERMINAL),
    error("TSK002", &clauses::v2025_11_25::TASK_CANCEL_TERMINAL),
    error("TSK003", &clauses::v2025_11_25::TASK_STAYS_CANCELLED),
    error("TSK004", &clauses::v2025_11_25::TASK_TERMINAL),
    error("TSK004/first", &clauses::v2025_11_25::TASK_BEGINS),
    error("TSK005", &clauses::v2025_11_25::TASK_CANCELLED_STATUS),
    error("TSK006", &clauses::v2025_11_25::TASK_UNKNOWN),
    error("TSK007", &clauses::v2025_11_25::CAPABILITIES),
    error("TSK008", &clauses::v2025_11_25::TASK_RESULT_BLOCKS),
    warning("TSK009", &clauses::v2025_11_25::TASK_CREATED),
    error("TSK011", &clauses::v2025_11_25::TASK_RELATED),
    error("TSK012", &clauses::v2025_11_25::TASK_CAPABILITY),
    error("TSK013", &clauses::v2025_11_25::TASK_ID_UNIQUE),
];

// 2025-03-26 is quoted: its sentences are those of all four but for the strength of LIF019, and there it is the weaker.
static RULINGS_UNKNOWN: &[Ruling] = rulings![v2025_03_26;
    error("RPC003", &clauses::v2025_03_26::RESULT_OR_ERROR),
    error("RPC004", &clauses::v2025_03_26::RESULT_OR_ERROR),
    error("CAN007", &clauses::v2025_03_26::CANCEL_SAME_DIRECTION),
    warning("LIF019", &clauses::v2025_03_26::CAPABILITIES),
    bare("LIF022", Severity::Warning),
    // Without a revision there is no schema: these never speak.
    bare("SCH001", Severity::Error),
    bare("SCH002", Severity::Error),
    bare("SCH004", Severity::Note),
];
