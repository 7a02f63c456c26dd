//! MCP 2025-03-26: its sentences, its rulings, and what of it no rule judges.

use super::HANDSHAKE;
use super::clauses::{
    capabilities_should, logging, offered, one_kind_of_response, paged, revision, shared, streamable_http,
};
use super::features::{features, since_2025_03_26};
use super::rulings::{remarks, rulings};
use super::table::{http, log_messages, open_streams};
use crate::protocol::jsonrpc::{self as jr};
use crate::protocol::tables::{bare, error, in_part, note, warning};
use crate::protocol::{Profile, Remark, Ruling, Severity};

/// The revision.
pub static PROFILE: Profile = Profile {
    revision: "2025-03-26",
    stream_close_is_no_cancel: true,
    gates: super::GATES_2025_03_26,
    rulings: RULINGS,
    remarks: TABLE,
    ..HANDSHAKE
};

shared!("2025-03-26", "/basic");
one_kind_of_response!("2025-03-26", "/basic");
capabilities_should!("2025-03-26");
streamable_http!("2025-03-26");
paged!("2025-03-26");
logging!("2025-03-26");
revision! { "2025-03-26";
    CURSORS_OPAQUE Must "cursors-opaque" "/server/utilities/pagination"
        "Clients MUST treat cursors as opaque tokens: Don't make assumptions about cursor format; Don't attempt to parse or modify cursors; Don't persist cursors across sessions";
    INITIALIZE_NOT_BATCHED Must "initialize-not-batched" "/basic/lifecycle"
        "initialize request MUST NOT be part of a JSON-RPC batch";
}
offered!("2025-03-26");

static REMARKS: &[Remark] = remarks![
    in_part(&OWN_POST, "that it was a new one shows only where a log tells requests apart"),
    in_part(&CURSOR_CODE, "that a cursor was invalid is known to the server alone; an error that says it is judged"),
];

static RULINGS: &[Ruling] = rulings![
    bare("SCH001", Severity::Error),
    bare("SCH002", Severity::Error),
    bare("SCH004", Severity::Note),
    error("RPC003", &RESULT_OR_ERROR),
    error("RPC004", &RESULT_OR_ERROR),
    error("CAN007", &CANCEL_SAME_DIRECTION),
    warning("CAN024", &DISCONNECT_IS_NO_CANCEL),
    warning("LIF019", &CAPABILITIES),
    warning("LIF027", &CAPABILITIES),
    error("RPC014", &INITIALIZE_NOT_BATCHED),
    error("RPC021", &SAME_ID),
    note("RPC022", &jr::BATCH_ANSWER),
    error("LIF023", &LOGGING_DECLARED),
    error("LIF022", &CURSORS_OPAQUE),
    warning("PAY015", &CURSOR_CODE),
    error("TRN001", &GET_STREAM_NO_RESPONSE),
    error("TRN002", &NO_BROADCAST),
    error("TRN004", &SESSION_HEADER),
    error("TRN007", &ACCEPTED_202),
    error("TRN008", &RESPONSE_TYPE),
    error("TRN009", &ENDED_SESSION),
    error("TRN011", &ACCEPT_BOTH),
    error("RPC005/members", &jr::ERROR_MEMBERS),
    error("RPC019", &jr::RESULT_OR_ERROR),
    error("RPC023", &jr::NO_REPLY),
    error("TRN012", &GET_ACCEPT),
    error("TRN013", &SESSION_ASCII),
    error("TRN014", &OWN_POST),
];

static TABLE: &[&[Remark]] = &[
    REMARKS,
    http!("2025-03-26"),
    open_streams!("2025-03-26"),
    log_messages!("2025-03-26"),
    features!("2025-03-26"),
    since_2025_03_26!("2025-03-26"),
];

/// Of MCP whose revision the log does not tell. This one is quoted: its sentences are those of all four but for the strength of
/// LIF019, and there it is the weaker.
pub(super) static RULINGS_UNKNOWN: &[Ruling] = rulings![
    // Without a revision there is no schema: these never speak.
    bare("SCH001", Severity::Error),
    bare("SCH002", Severity::Error),
    bare("SCH004", Severity::Note),
    error("RPC003", &RESULT_OR_ERROR),
    error("RPC004", &RESULT_OR_ERROR),
    error("CAN007", &CANCEL_SAME_DIRECTION),
    warning("LIF019", &CAPABILITIES),
    warning("LIF027", &CAPABILITIES),
    error("LIF022", &CURSORS_OPAQUE),
    warning("PAY015", &CURSOR_CODE),
    error("RPC005/members", &jr::ERROR_MEMBERS),
    error("RPC019", &jr::RESULT_OR_ERROR),
    error("RPC023", &jr::NO_REPLY),
];
