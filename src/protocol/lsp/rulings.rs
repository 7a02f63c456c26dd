//! Which rules apply, how severe they are, and on which clause they rest.

use super::clauses::{v3_17, v3_18};
use crate::protocol::jsonrpc as jr;
use crate::protocol::tables::{bare, error, in_part, note, warning};
use crate::protocol::{Remark, Ruling, Severity};

/// What of a sentence is judged, and what is not, in either revision.
macro_rules! both_in_part {
    ($revision:ident; $($own:expr),* $(,)?) => {
        &[
            in_part(
                &$revision::EDIT_OR_COMMAND,
                "before it is resolved an action may lack both; whether a server resolves what it gives is not said of each",
            ),
            in_part(&$revision::BEGIN_PAYLOAD, "the title is looked at, which alone must be there"),
            $($own),*
        ]
    };
}

pub static IN_PART_3_17: &[Remark] = both_in_part![v3_17;
    in_part(&v3_17::EDIT_ON_ONE_LINE, "that the edit contains the position is not looked at: a client may have changed the text since"),
    in_part(&v3_17::ONE_KIND_OF_CHANGES, "an edit with neither changes nothing"),
    in_part(&v3_17::CELL_URIS_UNIQUE, "cells that two messages tell of are not compared"),
];

pub static IN_PART_3_18: &[Remark] = both_in_part![v3_18;];

/// The rulings of both revisions, each resting on its own revision's sentence; then what the revision adds.
macro_rules! rulings {
    ($revision:ident; $($own:expr),* $(,)?) => {
        &[
            // No sentence forbids a cancel of an unknown, finished or foreign request.
            bare("CAN001", Severity::Warning),
            // Nothing at all may be sent before the answer to `initialize`, and so no cancel of it.
            error("CAN003", &$revision::CLIENT_WAITS),
            bare("CAN004", Severity::Warning),
            bare("CAN005", Severity::Warning),
            bare("CAN006", Severity::Note),
            bare("CAN007", Severity::Warning),
            bare("CAN008", Severity::Warning),
            error("CAN011", &$revision::CANCEL_ANSWERED),
            warning("CAN012", &$revision::CANCEL_CODE),
            warning("CAN013", &$revision::CANCELLED_BY_CLIENT),
            warning("CAN014", &$revision::SERVER_CANCELLED),
            bare("CAN030", Severity::Warning),
            bare("RPC001", Severity::Error),
            error("RPC002", &jr::VERSION),
            error("RPC003", &jr::RESULT_OR_ERROR),
            error("RPC004", &jr::RESULT_OR_ERROR),
            error("RPC005", &jr::ERROR_CODE),
            error("RPC005/members", &jr::ERROR_MEMBERS),
            // The types of an id stand in an interface, not in a sentence.
            bare("RPC006", Severity::Error),
            error("RPC007", &jr::ID_TYPE),
            bare("RPC007/fraction", Severity::Error),
            error("RPC008", &$revision::ANSWERED),
            error("RPC009", &jr::SAME_ID),
            bare("RPC010", Severity::Warning),
            error("RPC012", &jr::SAME_ID),
            error("RPC015", &jr::BATCH_NOT_EMPTY),
            bare("RPC016", Severity::Error),
            note("RPC017", &jr::RESERVED_CODES),
            error("RPC018", &$revision::DOLLAR_REJECTED),
            error("RPC019", &jr::RESULT_OR_ERROR),
            error("RPC020", &jr::PARAMS),
            warning("RPC020/null", &jr::PARAMS),
            error("RPC021", &jr::SAME_ID),
            error("STK001", &$revision::ANSWERED),
            error("RPC023", &$revision::NO_REPLY),
            bare("STK002", Severity::Note),
            bare("STK003", Severity::Note),
            bare("HOP001", Severity::Note),
            bare("HOP002", Severity::Note),
            bare("HOP003", Severity::Note),
            bare("HOP004", Severity::Note),
            bare("STK004", Severity::Warning),
            error("LIF001", &$revision::CLIENT_WAITS),
            error("LIF002", &$revision::CLIENT_WAITS),
            error("LIF003", &$revision::SERVER_WAITS),
            error("LIF004", &$revision::INITIALIZE_ONCE),
            error("LIF005", &$revision::INITIALIZED_FIRST),
            error("LIF006", &$revision::AFTER_SHUTDOWN),
            warning("LIF007", &$revision::SHUTDOWN_ANSWER),
            warning("LIF008", &$revision::NOT_INITIALIZED),
            warning("LIF009", &$revision::EXIT_WAITS),
            warning("LIF019", &$revision::ABSENT),
            error("LIF019/window.workdoneprogress", &$revision::CREATE_DECLARED),
            warning("PRG001", &$revision::TOKEN_VALID),
            bare("PRG003", Severity::Warning),
            note("PRG004", &$revision::STEADILY_RISING),
            bare("PRG007", Severity::Error),
            warning("PRG008", &$revision::TOKEN_ONCE),
            bare("PRG009", Severity::Note),
            error("PRG012", &$revision::PARTIAL_RESULTS),
            error("PRG013", &$revision::REFUSED_TOKEN),
            error("DOC005", &$revision::UNCHANGED),
            error("PAY021", &$revision::EDIT_OR_COMMAND),
            error("PAY021/begin", &$revision::BEGIN_PAYLOAD),
            // The shapes stand in interfaces, not in sentences.
            bare("SCH001", Severity::Warning),
            bare("SCH002", Severity::Warning),
            $($own),*
        ]
    };
}

pub static V3_17: &[Ruling] = rulings![v3_17;
    // 3.17 says nothing of batches.
    bare("RPC013", Severity::Warning),
    error("DOC001", &v3_17::OPEN_ONCE),
    error("DOC002", &v3_17::CHANGE_OPEN),
    warning("DOC002/close", &v3_17::CLOSE_OPEN),
    warning("DOC003", &v3_17::VERSION_INCREASES),
    note("LIF032", &v3_17::REGISTERED_BEFORE),
    error("PAY020", &v3_17::EDIT_ON_ONE_LINE),
    error("PAY020/insert", &v3_17::INSERT_WITHIN_REPLACE),
    error("PAY020/overlap", &v3_17::EDITS_APART),
    error("PAY020/parent", &v3_17::RANGE_IN_PARENT),
    warning("PAY021/changes", &v3_17::ONE_KIND_OF_CHANGES),
    warning("PAY021/commit", &v3_17::COMMIT_CHARACTERS),
    warning("PAY021/label", &v3_17::LABEL_IS_SUBSTRING),
    error("PAY021/mixed", &v3_17::SYMBOLS_NOT_MIXED),
    error("PAY021/name", &v3_17::SYMBOL_NAME),
    error("PAY022", &v3_17::CELL_URIS_UNIQUE),
    warning("PRG010", &v3_17::CREATED_BY_SERVER),
    error("PRG011", &v3_17::CREATED_BY_SERVER),
];

// What 3.18 says of opened and closed documents and of the cancel of progress is known, its wording is not.
pub static V3_18: &[Ruling] = rulings![v3_18;
    error("RPC013", &v3_18::NO_BATCH),
    bare("DOC001", Severity::Warning),
    error("DOC002", &v3_18::CHANGE_OPEN),
    bare("DOC002/close", Severity::Warning),
    bare("DOC003", Severity::Warning),
    bare("LIF032", Severity::Note),
    bare("PRG010", Severity::Warning),
    bare("PRG011", Severity::Error),
];
