//! MCP 2024-11-05: its sentences, its rulings, and what of it no rule judges.

use super::HANDSHAKE;
use super::clauses::{capabilities_should, offered, one_kind_of_response, paged, revision, shared};
use super::features::features;
use super::rulings::{remarks, rulings};
use super::table::pages;
use crate::protocol::jsonrpc::{self as jr};
use crate::protocol::tables::{bare, error, in_part, warning};
use crate::protocol::{Profile, Remark, Ruling, Severity};

/// The revision.
pub static PROFILE: Profile = Profile { revision: "2024-11-05", rulings: RULINGS, remarks: TABLE, ..HANDSHAKE };

shared!("2024-11-05", "/basic/messages");
paged!("2024-11-05");
one_kind_of_response!("2024-11-05", "/basic/messages");
capabilities_should!("2024-11-05");
revision! { "2024-11-05";
    TIMEOUT_CANCELS Should "timeouts" "/basic/lifecycle" "SHOULD implement appropriate timeouts";
    CURSORS_OPAQUE Must "cursors-opaque" "/server/utilities/pagination"
        "Clients MUST treat cursors as opaque tokens: Don't make assumptions about cursor format; Don't attempt to parse or modify cursors; Don't persist cursors across sessions";
}
offered!("2024-11-05");

static REMARKS: &[Remark] = remarks![in_part(
    &CURSOR_CODE,
    "that a cursor was invalid is known to the server alone; an error that says it is judged"
),];

static RULINGS: &[Ruling] = rulings![
    bare("SCH001", Severity::Error),
    bare("SCH002", Severity::Error),
    bare("SCH004", Severity::Note),
    error("RPC003", &RESULT_OR_ERROR),
    error("RPC004", &RESULT_OR_ERROR),
    error("CAN007", &CANCEL_SAME_DIRECTION),
    warning("LIF019", &CAPABILITIES),
    warning("LIF027", &CAPABILITIES),
    error("LIF022", &CURSORS_OPAQUE),
    // Silent on batches: it refers to JSON-RPC, which has them.
    bare("RPC013", Severity::Note),
    error("RPC021", &SAME_ID),
    error("RPC005/members", &jr::ERROR_MEMBERS),
    error("RPC019", &jr::RESULT_OR_ERROR),
    error("RPC023", &jr::NO_REPLY),
    warning("PAY015", &CURSOR_CODE),
];

static TABLE: &[&[Remark]] = &[REMARKS, pages!("2024-11-05"), features!("2024-11-05"), super::features::V2024_11_05];
