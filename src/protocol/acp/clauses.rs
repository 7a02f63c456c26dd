//! The sentences that rules rest on, or that a remark is about. Those that no rule judges stand in `table`.

use crate::protocol::tables::clauses;

clauses! { "acp-rfd-2025-11/", "https://agentclientprotocol.com/rfds/request-cancellation";
    RFD_INITIALIZE Must "initialize-not-cancelled" "" "CANNOT be cancelled";
    RFD_TOO_EARLY Must "cancel-after-capabilities" "" "Until capabilities are exchanged, NO requests can be cancelled";
    RFD_ANSWERED Must "cancel-answered" ""
        "MUST send one of these responses for the original request ... Error response with code `-32800`";
    RFD_NESTED_CANCELLED Must "nested-cancelled" ""
        "MUST cancel the corresponding request activity and all nested activities";
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

clauses! { "acp-1/", "https://agentclientprotocol.com/protocol/v1";
    LOAD_DECLARED Must "load-declared" "/session-setup" "Clients MUST NOT attempt to call `session/load`";
    LIST_DECLARED Must "list-declared" "/session-list" "Clients MUST NOT attempt to call `session/list`";
    FILES_DECLARED Must "files-declared" "/file-system"
        "the Agent MUST NOT attempt to call the corresponding filesystem method";
    TERMINALS_DECLARED Must "terminals-declared" "/terminals"
        "If `terminal` is `false` or not present, the Agent MUST NOT attempt to call any terminal methods";
    RELEASED_INVALID Stated "released-invalid" "/terminals"
        "After release the terminal ID becomes invalid for all other `terminal/*` methods";
    TERMINAL_LOGIN Must "terminal-login-not-passed" "/schema" "The client MUST NOT pass this method to `authenticate`";
    ROOTS_ABSOLUTE Must "roots-absolute" "/session-setup"
        "each `additionalDirectories` entry MUST be an absolute path";
    ROOTS_DECLARED Must "roots-gated" "/session-setup"
        "Clients MUST gate usage on that capability being present during initialization";
    CURSOR_OPAQUE Must "cursor-opaque" "/session-list" "Clients MUST treat cursors as opaque tokens";
    NOTICES_DECLARED Must "notices-declared" "/draft/prompt-turn"
        "The Agent MUST NOT send `notice` updates unless the Client advertised support";
    COMPACTION_DECLARED Must "compaction-declared" "/draft/prompt-turn"
        "The Agent MUST NOT send `compaction_update` or `compaction_summary_chunk` unless the Client advertised support";
    SET_UP_FIRST Must "set-up-first" "/draft/prompt-turn"
        "Before sending prompts, Clients MUST first complete the initialization phase and session setup";
    CONTENT_DECLARED Must "content-declared" "/draft/prompt-turn"
        "Clients MUST restrict types of content according to the Prompt Capabilities";
    TRANSPORT_DECLARED Must "transport-declared" "/session-setup"
        "Before using HTTP or SSE transports, Clients MUST verify the Agent's capabilities during initialization";
    STOP_REASON Must "stop-reason" "/draft/prompt-turn"
        "the Agent MUST respond to the original `session/prompt` request with a `StopReason`";
    MODE_OFFERED Must "mode-offered" "/session-modes" "Must be one of the modes listed in `availableModes`";
    VALUE_OFFERED Must "value-offered" "/session-config-options"
        "Must be one of the values listed in the option's `options` array";
    LOGIN_OFFERED Must "login-offered" "/schema" "Must be one of the methods advertised in the initialize response";
    OPTION_OFFERED Stated "option-offered" "/tool-calls" "The ID of the selected permission option";
    PATHS_ABSOLUTE Must "paths-absolute" "/overview" "All file paths in the protocol MUST be absolute";
    CWD_ABSOLUTE Must "cwd-absolute" "/session-setup" "This directory: MUST be an absolute path";
}

clauses! { "acp-2/", "https://agentclientprotocol.com/protocol/v2";
    CANCEL_ANSWERED_2 Must "cancel-answered" "/cancellation"
        "MUST send one of these responses for the original request: A valid response ... An error response with code -32800";
    CURSOR_OPAQUE_2 Must "cursor-opaque" "/draft/session-list" "Clients MUST treat cursors as opaque tokens";
    SET_UP_FIRST_2 Must "set-up-first" "/draft/prompt-lifecycle"
        "Before sending prompts, Clients MUST first complete the initialization phase and session setup";
    LOGIN_OFFERED_2 Must "login-offered" "/draft/authentication"
        "This value must match one of the methods advertised in the `initialize` response";
    OPTION_OFFERED_2 Stated "option-offered" "/draft/tool-calls" "The ID of the selected permission option";
    PATHS_ABSOLUTE_2 Must "paths-absolute" "/draft/overview" "All file paths in the protocol MUST be absolute";
    CWD_ABSOLUTE_2 Must "cwd-absolute" "/draft/session-setup" "This directory: MUST be an absolute path";
    TERMINAL_LOGIN_2 Must "terminal-login-not-passed" "/schema" "The client MUST NOT pass this method to `auth/login`";
    ROOTS_ABSOLUTE_2 Must "roots-absolute" "/draft/session-setup"
        "each `additionalDirectories` entry MUST be an absolute path";
    ROOTS_DECLARED_2 Must "roots-gated" "/draft/session-setup"
        "Clients MUST only send `additionalDirectories` when the Agent advertises `session.additionalDirectories`";
    COMMAND_NAMES Must "command-names" "/schema"
        "MUST NOT contain whitespace and MUST be unique within the command list";
    OPTION_IDS_UNIQUE Must "option-ids-unique" "/schema"
        "MUST be unique within the request";
    PLAN_URI_ABSOLUTE Must "plan-uris-absolute" "/draft/agent-plan"
        "Plan file URIs MUST be absolute";
    NO_EMPTY_PROMPT Must "no-empty-prompt" "/schema" "Clients MUST NOT send an empty array";
    CALL_CANCEL_OFFERED Must "call-cancel-advertised" "/schema"
        "Clients MUST NOT send it unless the tool call currently advertises `capabilities.cancel`";
    TERMINAL_CANCEL_OFFERED Must "terminal-cancel-advertised" "/schema"
        "Clients MUST NOT send it unless the terminal currently advertises `capabilities.cancel`";
    ENDED_CALL_REFUSED Stated "ended-call-refused" "/schema"
        "The Agent responds with `-32602` if the tool call is unknown, already final, or not cancellable";
    ENDED_TERMINAL_REFUSED Stated "ended-terminal-refused" "/schema"
        "The Agent responds with `-32602` if the terminal is unknown, has already exited, or is not cancellable";
    CALL_CANCEL_WITHDRAWN Should "call-cancel-withdrawn" "/schema"
        "Agents SHOULD stop advertising it once the tool call reaches a final status";
    TERMINAL_CANCEL_WITHDRAWN Should "terminal-cancel-withdrawn" "/schema"
        "Agents SHOULD stop advertising it once the terminal reports `exitStatus`";
    CLOSED_AFTER_IDLE Must "close-after-idle" "/schema"
        r#"the Agent MUST send the final updates for that work and the idle `state_update` with `stopReason: "cancelled"` before responding successfully to `session/close`"#;
    DELETE_OFFERED Stated "delete-offered" "/schema"
        "Only available if the Agent supports the `session.delete` capability";
    FORK_OFFERED Stated "fork-offered" "/draft/schema"
        "Only available if the Agent supports the `session.fork` capability";
    ARCHIVE_OFFERED Stated "archive-offered" "/draft/schema"
        "Only available if the Agent supports the `session.archive` capability";
    STATUS_OFFERED Stated "status-offered" "/draft/schema"
        "Only available if the Agent supports the `session.status` capability";
    TITLE_OFFERED Stated "title-offered" "/draft/schema"
        "Only available if the Agent supports the `session.title` capability";
    IDLE_STATE Must "idle-state" "/prompt-lifecycle"
        "MUST send an idle `state_update` ... with the `cancelled` stop reason";
    BATCH_LIFECYCLE Should "batch-lifecycle" "/transports" "SHOULD NOT batch lifecycle-sensitive messages";
}
