//! Which rules apply, how severe they are, and on which clause they rest; and what is known of clauses beyond that.

use super::clauses::*;
use crate::protocol::jsonrpc as jr;
use crate::protocol::tables::{allows, bare, error, in_part, note, warning};
use crate::protocol::{Remark, Ruling, Severity};

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
            error("RPC005/members", &jr::ERROR_MEMBERS),
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
            bare("SES013", Severity::Error),
            $($own),*
        ]
    };
}

pub static REMARKS_2: &[Remark] = &[
    in_part(
        &IDLE_STATE,
        "that no report ever came may have its reason in what the client owes; one that says otherwise is judged",
    ),
    in_part(
        &ENDED_CALL_REFUSED,
        "another code may have another reason, and which calls there are is known to the agent alone",
    ),
    in_part(
        &ENDED_TERMINAL_REFUSED,
        "another code may have another reason, and which terminals there are is known to the agent alone",
    ),
    in_part(
        &CALL_CANCEL_WITHDRAWN,
        "until when an offer must be taken back is not said; one that is made anew is judged",
    ),
    in_part(
        &TERMINAL_CANCEL_WITHDRAWN,
        "until when an offer must be taken back is not said; one that is made anew is judged",
    ),
    in_part(
        &CLOSED_AFTER_IDLE,
        "whether work was in the foreground is seen where the agent has reported that it is running",
    ),
];

pub static REMARKS_RFD: &[Remark] = &[
    in_part(
        &RFD_NESTED_CANCELLED,
        "work inside the receiver is not seen; its requests that stay open behind the answer are",
    ),
    allows(&UPDATES_AFTER_CANCEL, "updates between a cancel and the end of the turn"),
    in_part(&TURN_STOPS, "work inside the agent is not seen; new requests to the client are"),
];

pub static REMARKS_1: &[Remark] = &[
    allows(&PENDING_FIRST, "notifications between a cancel and its answer"),
    allows(&UPDATES_AFTER_CANCEL, "updates between a cancel and the end of the turn"),
    in_part(&TURN_STOPS, "work inside the agent is not seen; new requests to the client are"),
];

/// The rulings of version 1 behind `$own`, with the methods of cancellation of its RFD or without.
macro_rules! version_1 {
    ($($own:expr),* $(,)?) => {
        rulings![
            $($own,)*
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
            error("LIF019/loadsession", &LOAD_DECLARED),
            error("LIF019/sessioncapabilities.list", &LIST_DECLARED),
            error("LIF019/fs.readtextfile", &FILES_DECLARED),
            error("LIF019/terminal", &TERMINALS_DECLARED),
            error("LIF019/fs.writetextfile", &FILES_DECLARED),
            bare("LIF021", Severity::Error),
            error("LIF021/session.notices", &NOTICES_DECLARED),
            error("LIF021/session.compaction", &COMPACTION_DECLARED),
            error("LIF021/sessioncapabilities.additionaldirectories", &ROOTS_DECLARED),
            error("LIF022", &CURSOR_OPAQUE),
            error("SES013/mode", &MODE_OFFERED),
            error("SES013/value", &VALUE_OFFERED),
            error("SES013/login", &LOGIN_OFFERED),
            error("SES013/terminal", &TERMINAL_LOGIN),
            warning("SES013/option", &OPTION_OFFERED),
            error("SES014", &CONTENT_DECLARED),
            error("SES014/mcp", &TRANSPORT_DECLARED),
            error("SES015", &PATHS_ABSOLUTE),
            error("SES015/cwd", &CWD_ABSOLUTE),
            error("SES015/roots", &ROOTS_ABSOLUTE),
            error("SES016", &SET_UP_FIRST),
            error("SES018", &STOP_REASON),
            error("SES019", &RELEASED_INVALID),
        ]
    };
}

pub static RFD: &[Ruling] = version_1![
    bare("LIF019", Severity::Error),
    error("CAN003", &RFD_INITIALIZE),
    error("CAN011", &RFD_ANSWERED),
    error("CAN012", &RFD_ANSWERED),
    error("CAN015", &RFD_TOO_EARLY),
    error("CAN016", &RFD_CAPABILITY),
    error("CAN018", &RFD_NESTED_CANCELLED),
];

// CAN012 is an error here for a peer that has shown its support; the rule lowers it where that is not evident.
pub static V1: &[Ruling] = version_1![
    error("LIF019", &OMITTED_UNSUPPORTED),
    error("CAN011", &CANCEL_ANSWERED),
    error("CAN012", &CANCEL_ANSWERED),
    bare("CAN018", Severity::Note),
];

// The prompt is answered when it is accepted, so that a cancel shows in a state update and not in the answer:
// no SES001, SES002, SES005, SES010.
pub static V2: &[Ruling] = rulings![
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
    error("LIF022", &CURSOR_OPAQUE_2),
    bare("SES013/mode", Severity::Error),
    bare("SES013/value", Severity::Error),
    error("SES013/login", &LOGIN_OFFERED_2),
    error("SES013/terminal", &TERMINAL_LOGIN_2),
    warning("SES013/option", &OPTION_OFFERED_2),
    error("SES015", &PATHS_ABSOLUTE_2),
    error("SES015/cwd", &CWD_ABSOLUTE_2),
    error("SES015/roots", &ROOTS_ABSOLUTE_2),
    bare("LIF021", Severity::Error),
    error("LIF021/session.additionaldirectories", &ROOTS_DECLARED_2),
    error("PAY014/plan", &PLAN_URI_ABSOLUTE),
    error("PAY022", &COMMAND_NAMES),
    error("PAY022/options", &OPTION_IDS_UNIQUE),
    error("SES016", &SET_UP_FIRST_2),
    error("SES017", &NO_EMPTY_PROMPT),
    error("SES020", &CALL_CANCEL_OFFERED),
    error("SES020/terminal", &TERMINAL_CANCEL_OFFERED),
    note("SES021", &ENDED_CALL_REFUSED),
    note("SES021/terminal", &ENDED_TERMINAL_REFUSED),
    warning("SES022", &CALL_CANCEL_WITHDRAWN),
    warning("SES022/terminal", &TERMINAL_CANCEL_WITHDRAWN),
    error("SES023", &CLOSED_AFTER_IDLE),
    note("LIF019/session.delete", &DELETE_OFFERED),
    note("LIF019/session.fork", &FORK_OFFERED),
    note("LIF019/session.archive", &ARCHIVE_OFFERED),
    note("LIF019/session.status", &STATUS_OFFERED),
    note("LIF019/session.title", &TITLE_OFFERED),
];
