//! The rulings and remarks that all four revisions of MCP with a handshake have in common, each on its own revision's
//! sentence.

/// Remarks that hold in all four revisions, then those of one.
macro_rules! remarks {
    ($($own:expr),* $(,)?) => {
        &[
            $crate::protocol::jsonrpc2::in_part(&CANCEL_STOP, "work inside the receiver is not seen; requests and progress that go on are"),
            $crate::protocol::jsonrpc2::unseen(&CANCEL_FREE, "resources of the receiver are not in the messages"),
            $crate::protocol::jsonrpc2::allows(&CANCEL_IGNORED, "an answer to a cancelled request: why response-after-cancel is never an error"),
            $crate::protocol::jsonrpc2::unseen(&LATE_ANSWER_IGNORED, "what the sender of the cancel does with an answer is not in the messages"),
            $crate::protocol::jsonrpc2::unseen(&RACES_HANDLED, "how a side takes a crossing is inside it"),
            $crate::protocol::jsonrpc2::unseen(&BAD_CANCEL_IGNORED, "a cancel that is ignored leaves no trace; an error without an id is judged as a reply to a notification"),
            $crate::protocol::jsonrpc2::in_part(&CANCEL_IN_PROGRESS, "what the sender believes is not seen; that the answer had reached it is"),
            $crate::protocol::jsonrpc2::in_part(&PING_EMPTY, "nothing says how soon is promptly"),
            $crate::protocol::jsonrpc2::in_part(&TIMEOUT_CANCELS, "a timeout inside the sender is not seen; a request that is sent again is"),
            $($own),*
        ]
    };
}

/// The rulings that hold in all four revisions with the same severity, each resting on its own revision's
/// sentence; then what the revision adds.
macro_rules! rulings {
    ($($own:expr),* $(,)?) => {
        &[
            $crate::protocol::jsonrpc2::error("CAN001", &CANCEL_SAME_DIRECTION),
            $crate::protocol::jsonrpc2::error("CAN003", &CANCEL_NOT_INITIALIZE),
            $crate::protocol::jsonrpc2::error("CAN004", &CANCEL_SAME_DIRECTION),
            $crate::protocol::jsonrpc2::error("CAN005", &CANCEL_IN_PROGRESS),
            $crate::protocol::jsonrpc2::bare("CAN006", $crate::protocol::Severity::Note),
            $crate::protocol::jsonrpc2::bare("CAN008", $crate::protocol::Severity::Warning),
            $crate::protocol::jsonrpc2::warning("CAN010", &CANCEL_NO_RESPONSE),
            $crate::protocol::jsonrpc2::bare("CAN013", $crate::protocol::Severity::Note),
            $crate::protocol::jsonrpc2::bare("CAN018", $crate::protocol::Severity::Note),
            $crate::protocol::jsonrpc2::warning("CAN019", &CANCEL_STOP),
            $crate::protocol::jsonrpc2::bare("CAN023", $crate::protocol::Severity::Note),
            $crate::protocol::jsonrpc2::note("CAN025", &TIMEOUT_CANCELS),
            $crate::protocol::jsonrpc2::error("CAN030", &CANCEL_SAME_DIRECTION),
            $crate::protocol::jsonrpc2::error("RPC001", &VALID_MESSAGE),
            $crate::protocol::jsonrpc2::error("RPC002", &$crate::protocol::jsonrpc2::VERSION),
            $crate::protocol::jsonrpc2::error("RPC005", &ERROR_CODE),
            $crate::protocol::jsonrpc2::error("RPC006", &ID_NOT_NULL),
            $crate::protocol::jsonrpc2::error("RPC007", &ID_TYPE),
            $crate::protocol::jsonrpc2::error("RPC007/fraction", &ID_TYPE),
            $crate::protocol::jsonrpc2::error("RPC008", &$crate::protocol::jsonrpc2::REPLY),
            $crate::protocol::jsonrpc2::error("RPC009", &SAME_ID),
            $crate::protocol::jsonrpc2::error("RPC010", &ID_USED_ONCE),
            $crate::protocol::jsonrpc2::error("RPC011", &ID_USED_ONCE),
            $crate::protocol::jsonrpc2::error("RPC012", &SAME_ID),
            $crate::protocol::jsonrpc2::error("RPC015", &$crate::protocol::jsonrpc2::BATCH_NOT_EMPTY),
            $crate::protocol::jsonrpc2::error("RPC016", &NOTIFICATION_NO_ID),
            $crate::protocol::jsonrpc2::note("RPC017", &$crate::protocol::jsonrpc2::RESERVED_CODES),
            $crate::protocol::jsonrpc2::error("RPC020", &$crate::protocol::jsonrpc2::PARAMS),
            $crate::protocol::jsonrpc2::warning("RPC020/null", &$crate::protocol::jsonrpc2::PARAMS),
            $crate::protocol::jsonrpc2::error("STK001", &$crate::protocol::jsonrpc2::REPLY),
            $crate::protocol::jsonrpc2::bare("STK002", $crate::protocol::Severity::Note),
            $crate::protocol::jsonrpc2::bare("STK003", $crate::protocol::Severity::Note),
            $crate::protocol::jsonrpc2::warning("HOP001", &CANCEL_STOP),
            $crate::protocol::jsonrpc2::warning("HOP002", &CANCEL_STOP),
            $crate::protocol::jsonrpc2::bare("HOP003", $crate::protocol::Severity::Note),
            $crate::protocol::jsonrpc2::bare("HOP004", $crate::protocol::Severity::Note),
            $crate::protocol::jsonrpc2::bare("STK004", $crate::protocol::Severity::Warning),
            $crate::protocol::jsonrpc2::error("LIF001", &INITIALIZE_FIRST),
            $crate::protocol::jsonrpc2::warning("LIF002", &CLIENT_WAITS),
            $crate::protocol::jsonrpc2::warning("LIF003", &SERVER_WAITS),
            $crate::protocol::jsonrpc2::bare("LIF004", $crate::protocol::Severity::Note),
            $crate::protocol::jsonrpc2::error("LIF005", &INITIALIZED_SENT),
            $crate::protocol::jsonrpc2::error("LIF016", &PING_EMPTY),
            $crate::protocol::jsonrpc2::error("LIF024", &TOOLS_DECLARED),
            $crate::protocol::jsonrpc2::error("LIF024/resources", &RESOURCES_DECLARED),
            $crate::protocol::jsonrpc2::error("LIF024/roots", &ROOTS_DECLARED),
            $crate::protocol::jsonrpc2::error("PAY003/blob", &BINARY_ENCODED),
            $crate::protocol::jsonrpc2::error("PAY008", &ROOT_IS_FILE),
            $crate::protocol::jsonrpc2::warning("LIF016/members", &PING_EMPTY),
            $crate::protocol::jsonrpc2::error("PRG001", &PROGRESS_STOPS),
            $crate::protocol::jsonrpc2::warning("PRG002", &CANCEL_STOP),
            $crate::protocol::jsonrpc2::error("PRG003", &PROGRESS_TOKEN_KNOWN),
            $crate::protocol::jsonrpc2::error("PRG004", &PROGRESS_INCREASES),
            $crate::protocol::jsonrpc2::error("PRG005", &PROGRESS_TOKEN_UNIQUE),
            $crate::protocol::jsonrpc2::error("PRG006", &PROGRESS_TOKEN_KNOWN),
            $crate::protocol::jsonrpc2::error("PRG007", &PROGRESS_TOKEN_TYPE),
            $($own),*
        ]
    };
}

pub(super) use {remarks, rulings};
