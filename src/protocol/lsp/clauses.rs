//! The sentences that rules rest on, by revision.

/// The sentences, the same in both revisions.
macro_rules! shared {
    ($revision:literal) => {
        crate::protocol::tables::clauses! {
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
            CREATE_DECLARED Must "create-declared" "#serverInitiatedProgress"
                "servers are only allowed to use `window/workDoneProgress/create` request if the client signals corresponding support";
            ABSENT Should "absent-capability" "#initialize"
                "A missing property should be interpreted as an absence of the capability";
            REFUSED_TOKEN Must "refused-token" "#window_workDoneProgress_create"
                "a server must not send any progress notification using the token provided";
            STEADILY_RISING Should "steadily-rising" "#workDoneProgressBegin" "The value should be steadily rising";
            UNCHANGED Must "unchanged-by-result-id" "#textDocument_diagnostic"
                "A server can only return `unchanged` if result ids are provided";
            BEGIN_PAYLOAD Must "begin-payload" "#workDoneProgressBegin"
                "To start progress reporting a `$/progress` notification with the following payload must be sent";
            EDIT_OR_COMMAND Must "edit-or-command" "#codeAction"
                "A CodeAction must set either `edit` and/or a `command`";
        }
    };
}

pub mod v3_17 {
    shared!("3.17");
    crate::protocol::tables::clauses! {
        "lsp-3.17/", "https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/";
        OPEN_ONCE Must "open-once" "#textDocument_didOpen"
            "An open notification must not be sent more than once without a corresponding close notification send before";
        CHANGE_OPEN Must "change-open" "#textDocument_didChange"
            "Before a client can change a text document it must claim ownership of its content using the `textDocument/didOpen` notification";
        CLOSE_OPEN Stated "close-open" "#textDocument_didClose"
            "A close notification requires a previous open notification to be sent";
        VERSION_INCREASES Stated "version-increases" "#versionedTextDocumentIdentifier"
            "The version number of a document will increase after each change, including undo/redo";
        REGISTERED_BEFORE Stated "registered-before" "#client_unregisterCapability"
            "to unregister a previously registered capability";
        CREATED_BY_SERVER Stated "created-by-server" "#window_workDoneProgress_cancel"
            "to cancel a progress initiated on the server side using the `window/workDoneProgress/create`";
        EDIT_ON_ONE_LINE Must "edit-on-one-line" "#completionItem"
            "The range of the edit must be a single line range and it must contain the position at which completion has been requested";
        INSERT_WITHIN_REPLACE Must "insert-within-replace" "#completionItem"
            "the edit's insert range must be a prefix of the edit's replace range";
        EDITS_APART Must "additional-edits" "#completionItem"
            "Edits must not overlap (including the same insert position) with the main edit nor with themselves";
        RANGE_IN_PARENT Must "range-in-parent" "#selectionRange"
            "`parent.range` must contain `this.range`";
        COMMIT_CHARACTERS Should "commit-characters" "#completionItem"
            "commit characters should have `length=1`";
        ONE_KIND_OF_CHANGES Should "changes-or-document-changes" "#workspaceEdit"
            "The edit should either provide `changes` or `documentChanges`";
        CELL_URIS_UNIQUE Must "cell-uris-unique" "#notebookDocument_synchronization"
            "The URIs must be unique across ALL notebook cells";
        SYMBOLS_NOT_MIXED Must "symbol-kinds-not-mixed" "#textDocument_documentSymbol"
            "`DocumentSymbol[]` and `SymbolInformation[]` can not be mixed";
        SYMBOL_NAME Must "symbol-name" "#documentSymbol"
            "must not be an empty string or a string only consisting of white spaces";
        LABEL_IS_SUBSTRING Should "label-is-substring" "#parameterInformation"
            "a label of type string should be a substring of its containing signature label";
    }
}

pub mod v3_18 {
    shared!("3.18");
    crate::protocol::tables::clauses! {
        "lsp-3.18/", "https://microsoft.github.io/language-server-protocol/specifications/lsp/3.18/specification/";
        // The second half says "requests" and means batches.
        NO_BATCH Must "no-batch" "#baseProtocol"
            "does not support JSON-RPC batch messages ... must not send JSON-RPC requests";
        CHANGE_OPEN Must "change-open" "#textDocument_didChange"
            "Before a client can change a text document it must claim ownership of its content using the `textDocument/didOpen` notification";
    }
}
