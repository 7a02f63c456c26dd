//! The sentences that rules rest on, or that a remark is about. Those that no rule judges stand in `table`.

use crate::protocol::tables::clauses;

clauses! { "acp-rfd-2025-11/", "https://agentclientprotocol.com/rfds/request-cancellation";
    RFD_INITIALIZE Must "initialize-not-cancelled" "" "CANNOT be cancelled";
    RFD_TOO_EARLY Must "cancel-after-capabilities" "" "Until capabilities are exchanged, NO requests can be cancelled";
    RFD_ANSWERED Must "cancel-answered" ""
        "MUST send one of these responses for the original request ... Error response with code `-32800`";
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
