//! LSP 3.17 and 3.18. A cancelled request is still answered; what the two revisions differ in is batches.

mod methods;

use super::jsonrpc2::{self as jr, BASE, bare, error, note, warning};
use super::{AfterCancel, Family, Opening, Profile, Ruling, Severity};

/// The revisions, oldest first.
pub static PROFILES: &[Profile; 2] = &[
    Profile { revision: "3.17", rulings: RULINGS_3_17, ..LSP },
    Profile { revision: "3.18", rulings: RULINGS_3_18, ..LSP },
];

/// 3.17, which is meant where nothing else is stated: LSP messages carry no revision.
pub fn current() -> &'static Profile {
    &PROFILES[0]
}

const LSP: Profile = Profile {
    family: Family::Lsp,
    name: "lsp",
    cancel: Some(("$/cancelRequest", "id")),
    after_cancel: AfterCancel::Answer,
    cancelled_code: Some(-32800),
    opening: Opening {
        initialize: Some("initialize"),
        initialized: Some("initialized"),
        shutdown: Some("shutdown"),
        exit: Some("exit"),
    },
    progress: Some("$/progress"),
    documents: true,
    methods: methods::METHODS,
    // -32001 and -32002 are "unknown" and "server not initialized"; -32800 to -32803 lie outside JSON-RPC's range.
    codes: &[-32803, -32802, -32801, -32800, -32700, -32603, -32602, -32601, -32600, -32002, -32001],
    ..BASE
};

/// The sentences, the same in both revisions.
macro_rules! shared {
    ($revision:literal) => {
        crate::protocol::jsonrpc2::clauses! {
            concat!("lsp-", $revision, "/"),
            concat!(
                "https://microsoft.github.io/language-server-protocol/specifications/lsp/",
                $revision,
                "/specification/"
            );
            ANSWERED Must "answered" "#requestMessage"
                "Every processed request must send a response back to the sender of the request";
            NO_REPLY Must "no-reply-to-notification" "#notificationMessage"
                "A processed notification message must not send a response back";
            CANCEL_ANSWERED Must "cancel-answered" "#cancelRequest"
                "A request that got canceled still needs to return from the server and send a response back. It can not be left open / hanging.";
            CANCEL_CODE Should "cancel-code" "#cancelRequest"
                "If the request returns an error response on cancellation it is advised to set the error code to `ErrorCodes.RequestCancelled`";
            CANCELLED_BY_CLIENT Stated "cancelled-by-client" "#errorCodes"
                "The client has canceled a request and a server has detected the cancel";
            SERVER_CANCELLED Should "server-cancelled" "#errorCodes"
                "should only be used for requests that explicitly support being server cancellable";
            DOLLAR_REJECTED Must "dollar-rejected" "#dollarRequests"
                "it must error the request with ... MethodNotFound";
            CLIENT_WAITS Must "client-waits" "#initialize"
                "Until the server has responded ... the client must not send any additional requests or notifications";
            // Quoted from the page itself: the catalogue only retells it.
            SERVER_WAITS Must "server-waits" "#initialize"
                "the server is not allowed to send any requests or notifications to the client until it has responded";
            NOT_INITIALIZED Should "not-initialized" "#initialize" "the response should be an error with `code: -32002`";
            INITIALIZE_ONCE Must "initialize-once" "#initialize" "may only be sent once";
            INITIALIZED_FIRST Must "initialized-first" "#initialized"
                "but before the client is sending any other request or notification ... may only be sent once";
            AFTER_SHUTDOWN Must "after-shutdown" "#shutdown"
                "Clients must not send any notifications other than `exit` or requests";
            SHUTDOWN_ANSWER Should "after-shutdown-answer" "#shutdown" "should error with `InvalidRequest`";
            EXIT_WAITS Should "exit-waits" "#shutdown"
                "should also wait with sending the `exit` notification until they have received a response";
            TOKEN_VALID Stated "token-valid" "#workDoneProgress"
                "is only valid as long as the request has not send a response back";
            TOKEN_ONCE Should "token-once" "#workDoneProgress"
                "should only be used once (e.g. only one begin, many report and one end notification should be sent to it)";
            PARTIAL_RESULTS Must "partial-results" "#partialResults"
                "the whole result must be reported using n `$/progress` ... The final response has to be empty";
        }
    };
}

mod v3_17 {
    shared!("3.17");
    crate::protocol::jsonrpc2::clauses! {
        "lsp-3.17/", "https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/";
        OPEN_ONCE Must "open-once" "#textDocument_didOpen"
            "An open notification must not be sent more than once without a corresponding close notification send before";
        CHANGE_OPEN Must "change-open" "#textDocument_didChange"
            "Before a client can change a text document it must claim ownership of its content using the `textDocument/didOpen` notification";
        CLOSE_OPEN Stated "close-open" "#textDocument_didClose"
            "A close notification requires a previous open notification to be sent";
        VERSION_INCREASES Stated "version-increases" "#versionedTextDocumentIdentifier"
            "The version number of a document will increase after each change, including undo/redo";
    }
}

mod v3_18 {
    shared!("3.18");
    crate::protocol::jsonrpc2::clauses! {
        "lsp-3.18/", "https://microsoft.github.io/language-server-protocol/specifications/lsp/3.18/specification/";
        // The second half says "requests" and means batches.
        NO_BATCH Must "no-batch" "#baseProtocol"
            "does not support JSON-RPC batch messages ... must not send JSON-RPC requests";
    }
}

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
            warning("PRG001", &$revision::TOKEN_VALID),
            bare("PRG003", Severity::Warning),
            bare("PRG004", Severity::Note),
            bare("PRG007", Severity::Error),
            warning("PRG008", &$revision::TOKEN_ONCE),
            bare("PRG009", Severity::Note),
            bare("PRG010", Severity::Warning),
            bare("PRG011", Severity::Error),
            error("PRG012", &$revision::PARTIAL_RESULTS),
            bare("PRG013", Severity::Error),
            // The shapes stand in interfaces, not in sentences.
            bare("SCH001", Severity::Warning),
            bare("SCH002", Severity::Warning),
            $($own),*
        ]
    };
}

static RULINGS_3_17: &[Ruling] = rulings![v3_17;
    // 3.17 says nothing of batches.
    bare("RPC013", Severity::Warning),
    error("DOC001", &v3_17::OPEN_ONCE),
    error("DOC002", &v3_17::CHANGE_OPEN),
    warning("DOC002/close", &v3_17::CLOSE_OPEN),
    warning("DOC003", &v3_17::VERSION_INCREASES),
];

// What 3.18 says of documents is known, its wording is not.
static RULINGS_3_18: &[Ruling] = rulings![v3_18;
    error("RPC013", &v3_18::NO_BATCH),
    bare("DOC001", Severity::Warning),
    bare("DOC002", Severity::Warning),
    bare("DOC003", Severity::Warning),
];
