//! The rulings and remarks that all four revisions of MCP with a handshake have in common, each on its own revision's
//! sentence.

/// Remarks that hold in all four revisions, then those of one.
macro_rules! remarks {
    ($($own:expr),* $(,)?) => {
        &[
            $crate::protocol::tables::in_part(&CANCEL_STOP, "work inside the receiver is not seen; requests and progress that go on are"),
            $crate::protocol::tables::unseen(&CANCEL_FREE, "resources of the receiver are not in the messages"),
            $crate::protocol::tables::allows(&CANCEL_IGNORED, "an answer to a cancelled request: why response-after-cancel is never an error"),
            $crate::protocol::tables::unseen(&LATE_ANSWER_IGNORED, "what the sender of the cancel does with an answer is not in the messages"),
            $crate::protocol::tables::unseen(&RACES_HANDLED, "how a side takes a crossing is inside it"),
            $crate::protocol::tables::unseen(&BAD_CANCEL_IGNORED, "a cancel that is ignored leaves no trace; an error without an id is judged as a reply to a notification"),
            $crate::protocol::tables::in_part(&CANCEL_IN_PROGRESS, "what the sender believes is not seen; that the answer had reached it is"),
            $crate::protocol::tables::in_part(&PING_EMPTY, "nothing says how soon is promptly"),
            $crate::protocol::tables::in_part(&TIMEOUT_CANCELS, "a timeout inside the sender is not seen; a request that is sent again is"),
            $($own),*
        ]
    };
}

/// The rulings that hold in all four revisions with the same severity, each resting on its own revision's
/// sentence; then what the revision adds.
macro_rules! rulings {
    ($($own:expr),* $(,)?) => {
        &[
            $crate::protocol::tables::error("CAN001", &CANCEL_SAME_DIRECTION),
            $crate::protocol::tables::error("CAN003", &CANCEL_NOT_INITIALIZE),
            $crate::protocol::tables::error("CAN004", &CANCEL_SAME_DIRECTION),
            $crate::protocol::tables::error("CAN005", &CANCEL_IN_PROGRESS),
            $crate::protocol::tables::bare("CAN006", $crate::protocol::Severity::Note),
            $crate::protocol::tables::bare("CAN008", $crate::protocol::Severity::Warning),
            $crate::protocol::tables::warning("CAN010", &CANCEL_NO_RESPONSE),
            $crate::protocol::tables::bare("CAN013", $crate::protocol::Severity::Note),
            $crate::protocol::tables::bare("CAN018", $crate::protocol::Severity::Note),
            $crate::protocol::tables::warning("CAN019", &CANCEL_STOP),
            $crate::protocol::tables::bare("CAN023", $crate::protocol::Severity::Note),
            $crate::protocol::tables::note("CAN025", &TIMEOUT_CANCELS),
            $crate::protocol::tables::error("CAN030", &CANCEL_SAME_DIRECTION),
            $crate::protocol::tables::error("RPC001", &VALID_MESSAGE),
            $crate::protocol::tables::bare("RPC001/http", $crate::protocol::Severity::Error),
            $crate::protocol::tables::error("RPC002", &$crate::protocol::jsonrpc::VERSION),
            $crate::protocol::tables::error("RPC005", &ERROR_CODE),
            $crate::protocol::tables::error("RPC006", &ID_NOT_NULL),
            $crate::protocol::tables::error("RPC007", &ID_TYPE),
            $crate::protocol::tables::error("RPC007/fraction", &ID_TYPE),
            $crate::protocol::tables::error("RPC008", &$crate::protocol::jsonrpc::REPLY),
            $crate::protocol::tables::error("RPC009", &SAME_ID),
            $crate::protocol::tables::error("RPC010", &ID_USED_ONCE),
            $crate::protocol::tables::error("RPC011", &ID_USED_ONCE),
            $crate::protocol::tables::error("RPC012", &SAME_ID),
            $crate::protocol::tables::error("RPC015", &$crate::protocol::jsonrpc::BATCH_NOT_EMPTY),
            $crate::protocol::tables::error("RPC016", &NOTIFICATION_NO_ID),
            $crate::protocol::tables::note("RPC017", &$crate::protocol::jsonrpc::RESERVED_CODES),
            $crate::protocol::tables::error("RPC020", &$crate::protocol::jsonrpc::PARAMS),
            $crate::protocol::tables::warning("RPC020/null", &$crate::protocol::jsonrpc::PARAMS),
            $crate::protocol::tables::error("STK001", &$crate::protocol::jsonrpc::REPLY),
            $crate::protocol::tables::bare("STK002", $crate::protocol::Severity::Note),
            $crate::protocol::tables::bare("STK003", $crate::protocol::Severity::Note),
            $crate::protocol::tables::warning("HOP001", &CANCEL_STOP),
            $crate::protocol::tables::warning("HOP002", &CANCEL_STOP),
            $crate::protocol::tables::bare("HOP003", $crate::protocol::Severity::Note),
            $crate::protocol::tables::bare("HOP004", $crate::protocol::Severity::Note),
            $crate::protocol::tables::bare("STK004", $crate::protocol::Severity::Warning),
            $crate::protocol::tables::error("LIF001", &INITIALIZE_FIRST),
            $crate::protocol::tables::warning("LIF002", &CLIENT_WAITS),
            $crate::protocol::tables::warning("LIF003", &SERVER_WAITS),
            $crate::protocol::tables::bare("LIF004", $crate::protocol::Severity::Note),
            $crate::protocol::tables::error("LIF005", &INITIALIZED_SENT),
            $crate::protocol::tables::error("LIF016", &PING_EMPTY),
            $crate::protocol::tables::error("LIF024", &TOOLS_DECLARED),
            $crate::protocol::tables::error("LIF024/resources", &RESOURCES_DECLARED),
            $crate::protocol::tables::error("LIF024/roots", &ROOTS_DECLARED),
            $crate::protocol::tables::error("PAY003/blob", &BINARY_ENCODED),
            $crate::protocol::tables::error("PAY008", &ROOT_IS_FILE),
            $crate::protocol::tables::warning("LIF016/members", &PING_EMPTY),
            $crate::protocol::tables::error("PRG001", &PROGRESS_STOPS),
            $crate::protocol::tables::warning("PRG002", &CANCEL_STOP),
            $crate::protocol::tables::error("PRG003", &PROGRESS_TOKEN_KNOWN),
            $crate::protocol::tables::error("PRG004", &PROGRESS_INCREASES),
            $crate::protocol::tables::error("PRG005", &PROGRESS_TOKEN_UNIQUE),
            $crate::protocol::tables::error("PRG006", &PROGRESS_TOKEN_KNOWN),
            $crate::protocol::tables::error("PRG007", &PROGRESS_TOKEN_TYPE),
            $($own),*
        ]
    };
}

pub(super) use {remarks, rulings};
