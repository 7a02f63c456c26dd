//! JSON-RPC with nothing above it: 2.0, and 1.0 in `v1`.
//!
//! The envelope clauses stand here because the other protocols inherit them: where a protocol has no sentence of
//! its own, its rulings cite these.

mod table;
pub mod v1;

use super::tables::{bare, clauses, error, in_part, note, unseen, warning};
use super::{AfterCancel, Bound, Family, Opening, Profile, Remark, Ruling, ServerCancel, Severity, Waits};

/// The codes of JSON-RPC 2.0 itself.
pub(super) const CODES: [i64; 5] = [-32700, -32603, -32602, -32601, -32600];

clauses! { "jsonrpc-2.0/", "https://www.jsonrpc.org/specification";
    VERSION Must "version" "#request_object" r#"MUST be exactly "2.0""#;
    ID_TYPE Must "id-type" "#request_object" "MUST contain a String, Number, or NULL value";
    ID_NOT_NULL Should "id-not-null" "#request_object" "SHOULD normally not be Null";
    ID_NO_FRACTION Should "id-no-fraction" "#request_object" "Numbers SHOULD NOT contain fractional parts";
    PARAMS Must "params-structured" "#parameter_structures" "MUST be provided as a Structured value";
    REPLY Must "reply" "#response_object" "When a rpc call is made, the Server MUST reply with a Response";
    SAME_ID Must "same-id" "#response_object" "It MUST be the same as the value of the id member in the Request Object";
    UNREAD_ID Must "unread-id" "#response_object" "If there was an error in detecting the id ... it MUST be Null";
    RESULT_OR_ERROR Must "result-or-error" "#response_object"
        "Either the result member or error member MUST be included, but both members MUST NOT be included";
    ERROR_CODE Must "error-code" "#error_object" "MUST be an integer";
    ERROR_MEMBERS Must "error-members" "#error_object"
        "MUST contain the error member with a value that is a Object with the following members";
    RESERVED_CODES Stated "reserved-codes" "#error_object" "reserved for pre-defined errors";
    NO_REPLY Must "no-reply-to-notification" "#notification"
        "The Server MUST NOT reply to a Notification, including those that are within a batch request";
    RESERVED_METHODS Must "reserved-methods" "#request_object"
        "reserved for rpc-internal methods and extensions and MUST NOT be used for anything else";
    BATCH_NOT_EMPTY Must "batch-not-empty" "#batch" "MUST NOT return an empty Array";
    BATCH_ANSWER Should "batch-answer" "#batch" "Server should respond with an Array";
}

/// What every family starts from: no handshake, no cancel, no methods.
pub(super) const BASE: Profile = Profile {
    family: Family::Jsonrpc,
    name: "jsonrpc",
    revision: "2.0",
    cancel: None,
    after_cancel: AfterCancel::Undefined,
    cancelled_code: None,
    server_cancel: ServerCancel::OwnRequests,
    opening: Opening { initialize: None, initialized: None, shutdown: None, exit: None },
    revision_per_request: false,
    stream_close_cancels: false,
    stream_close_is_no_cancel: false,
    server_may_hang_up: false,
    progress: None,
    documents: false,
    tasks: false,
    turns: false,
    turns_end_idle: false,
    ids_used_once: false,
    cancel_text_is_proof: false,
    cancel_needs_capability: false,
    unknown_revision: false,
    methods: &[],
    gates: &[],
    features: &[],
    after_initialize: Bound::Nothing,
    client_waits: Waits::Nothing,
    server_waits: Waits::Nothing,
    server_waits_for_initialized: false,
    initialized_once: false,
    initialize_cancel_always_wrong: true,
    progress_may_rest: false,
    null_id_in_schema: false,
    removed: &[],
    codes: &CODES,
    forbidden_codes: &[],
    discouraged_codes: &[],
    rulings: &[],
    remarks: &[],
};

/// JSON-RPC 2.0 with nothing above it.
pub static PROFILE: Profile = Profile { rulings: RULINGS, remarks: &[REMARKS, table::V2], ..BASE };

static REMARKS: &[Remark] = &[
    in_part(&NO_REPLY, "a reply to a notification has no id that would name it: only one without an id is seen"),
    in_part(
        &RESERVED_METHODS,
        "what is an extension is known to its makers alone, but for `rpc.discover`: such a name is only noted",
    ),
    unseen(&UNREAD_ID, "that an id could not be read is known to its receiver alone"),
];

static RULINGS: &[Ruling] = &[
    bare("RPC001", Severity::Error),
    error("RPC002", &VERSION),
    error("RPC003", &RESULT_OR_ERROR),
    error("RPC004", &RESULT_OR_ERROR),
    error("RPC005", &ERROR_CODE),
    error("RPC005/members", &ERROR_MEMBERS),
    warning("RPC006", &ID_NOT_NULL),
    error("RPC007", &ID_TYPE),
    warning("RPC007/fraction", &ID_NO_FRACTION),
    error("RPC008", &REPLY),
    error("RPC009", &SAME_ID),
    // That ids are unique is stated nowhere.
    bare("RPC010", Severity::Warning),
    error("RPC012", &SAME_ID),
    error("RPC015", &BATCH_NOT_EMPTY),
    note("RPC017", &RESERVED_CODES),
    error("RPC019", &RESULT_OR_ERROR),
    error("RPC020", &PARAMS),
    error("RPC020/null", &PARAMS),
    error("RPC021", &SAME_ID),
    note("RPC022", &BATCH_ANSWER),
    error("STK001", &REPLY),
    error("RPC023", &NO_REPLY),
    note("RPC024", &RESERVED_METHODS),
    bare("STK002", Severity::Note),
    bare("STK003", Severity::Note),
    bare("HOP001", Severity::Note),
    bare("HOP002", Severity::Note),
    bare("HOP003", Severity::Note),
    bare("HOP004", Severity::Note),
    bare("STK004", Severity::Warning),
];
