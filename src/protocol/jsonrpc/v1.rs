//! JSON-RPC 1.0: Bitcoin Core and its relatives, and older servers. A response has `result` and `error`, one of them
//! null; a notification has the id null; there need be no `jsonrpc` member. None of that is a fault here.

use super::BASE;
use crate::protocol::tables::{bare, clauses, error};
use crate::protocol::{Profile, Ruling, Severity};

clauses! { "jsonrpc-1.0/", "https://www.jsonrpc.org/specification_v1";
    REPLY Must "reply" "#a1.2Response" "the service must reply with a response";
    SAME_ID Must "same-id" "#a1.2Response" "This must be the same id as the request it is responding to.";
}

/// JSON-RPC 1.0.
pub static PROFILE: Profile = Profile { revision: "1.0", codes: &[], rulings: RULINGS, ..BASE };

static RULINGS: &[Ruling] = &[
    bare("RPC001", Severity::Error),
    error("RPC009", &SAME_ID),
    bare("RPC010", Severity::Warning),
    error("RPC012", &SAME_ID),
    error("STK001", &REPLY),
    bare("STK002", Severity::Note),
    bare("STK003", Severity::Note),
    bare("HOP001", Severity::Note),
    bare("HOP002", Severity::Note),
    bare("HOP003", Severity::Note),
    bare("HOP004", Severity::Note),
];
