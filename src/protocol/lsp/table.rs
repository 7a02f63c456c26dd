//! What LSP 3.17 and 3.18 say and no rule judges, each sentence with the reason. Sentences that rules rest on stand in `clauses`.
//!
//! A sentence that says again what another one says has no row of its own. Not read, because no text of them could be had: of 3.17 the
//! pages on `textDocument/willSave` and `textDocument/didSave`; of 3.18 those on documents but for `textDocument/didChange`, on notebooks,
//! and on language features but for completion, code actions and pull diagnostics.

use crate::protocol::Remark;
use crate::protocol::tables::table;

/// What both revisions say in the same words.
macro_rules! shared {
    ($revision:literal) => {
        table! { concat!("lsp-", $revision, "/"), concat!("https://microsoft.github.io/language-server-protocol/specifications/lsp/", $revision, "/specification/");
            NotObservable Should "charset" "#contentPart" "If a server or client receives a header with a different encoding than `utf-8` it should respond with an error"
                "a log of messages has no headers";
            NotObservable Should "null-result" "#responseMessage" "The result property of the ResponseMessage should be set to `null` in this case to signal a successful request"
                "that a request had no value to give is known to its receiver alone; a response with neither member is judged";
            NotObservable Should "codes-outside-range" "#errorCodes" "No LSP error codes should be defined between the start and end range"
                "it binds the pages of the protocol";
            NotObservable Should "content-modified" "#errorCodes" "A server should NOT send this error code if it detects a content change"
                "what a server had not processed is known to it alone";
            NotObservable Should "cancel-what-is-of-no-use" "#errorCodes" "If a client decides that a result is not of any use anymore the client should cancel the request"
                "what a client still has use for is known to it alone";
            By Should "params-are-objects" "#languageServerProtocol" "the parameters passed to request/notification messages should be of `object` type (if passed at all)"
                "SCH001; methods that are not of the protocol may have arrays";
            By Must "properties-listed" "#languageServerProtocol" "a mandatory property must be listed"
                "SCH001; that of a result, by the rule on results";
            NotObservable Should "answers-in-order" "#messageOrdering" "Responses to requests should be sent in roughly the same order as the requests appear on the server or client side"
                "what is still roughly the same order is not said";
            NotObservable Should "no-harmful-order" "#messageOrdering" "the server most likely should not reorder `textDocument/definition` and `textDocument/rename` requests"
                "whether an order changes an answer is known to the server alone";
            NotObservable Should "unknown-server-capabilities" "#messageDocumentation" "Clients should ignore server capabilities they don't understand"
                "what is ignored leaves no trace";
            NotObservable Should "unknown-client-capabilities" "#initialize" "Servers receiving a `ClientCapabilities` object literal with unknown properties should ignore these properties"
                "what is ignored leaves no trace";
            NotObservable Must "old-capabilities-mandatory" "#initialize" "Clients cannot opt out of providing them"
                "a client in which no document is opened or changed has nothing to tell";
            NotObservable Should "early-notifications-dropped" "#initialize" "Notifications should be dropped, except for the exit notification"
                "what is dropped leaves no trace";
            NotObservable Should "parent-process" "#initializeParams" "If the parent process is not alive then the server should exit (see exit notification) its process"
                "the process that started the server is not in the messages";
            NotObservable Must "sync-mandatory" "#textDocument_synchronization" "clients can not opt out supporting them"
                "a client in which no document is opened or changed has nothing to tell";
            NotObservable Must "sync-all-or-none" "#textDocument_synchronization" "a server must either implement all three of them or none"
                "what a server makes of a notification is inside the server";
            NotJudged Must "progress-announced" "#clientInitiatedProgress" "a server needs to signal general work done progress reporting support in the corresponding server capability"
                "which declaration a method belongs to is in no fact that rules read";
            Persons Should "cancelled-partial-results" "#partialResults" "the client is free to use the provided results but should make clear that the request got canceled and may be incomplete"
                "what a person is shown is not in the messages";
            NotObservable Should "failed-partial-results" "#partialResults" "in all other cases the provided partial results shouldn't be used"
                "what a client does with it is inside the client";
            NotObservable Must "utf-16-supported" "#positionEncodingKind" "This is the default and must always be supported by servers"
                "what a server can do beyond what it is asked is not in the messages";
            NotJudged Must "first-literal-is-report" "#textDocument_diagnostic" "The first literal send need to be a `DocumentDiagnosticReport`"
                "that member is in no fact that rules read";
            Persons Should "higher-version-wins" "#workspace_diagnostic" "diagnostics for a higher document version should win over those from a lower document version"
                "what a person is shown is not in the messages";
            Persons Should "document-pull-wins" "#workspace_diagnostic" "diagnostics from a document pull should win over diagnostics"
                "what a person is shown is not in the messages";
            NotObservable Should "commands-by-server" "#textDocument_codeAction" "the commands specified in a code actions should be handled by the server and not by the client"
                "who runs a command that nobody sends is not in the messages";
            NotJudged Should "edits-preferred" "#textDocument_codeAction" "If the client supports providing edits with a code action then that mode should be used"
                "that member is in no fact that rules read";
            NotJudged Should "data-with-resolve" "#textDocument_codeAction" "a client should offer data support if it offers resolve support"
                "a capability that guards no message is in no fact that rules read";
            NotJudged Should "attributes-kept" "#textDocument_codeAction" "servers shouldn't alter existing attributes of a code action in a codeAction/resolve request"
                "that member is in no fact that rules read";
            NotJudged Must "literals-announced" "#textDocument_codeAction" "Clients need to announce their support for code action literals"
                "that member is in no fact that rules read";
            NotObservable Should "fixes-are-safe" "#codeActionKind" "They should not suppress errors or perform unsafe fixes"
                "what a fix does to a program is not in the messages";
            NotObservable Should "preferred-fix" "#codeAction" "A quick fix should be marked preferred if it properly addresses the underlying error"
                "whether it does is no matter of messages";
            Persons Should "disabled-actions" "#codeAction" "Clients should follow the following guidelines regarding disabled code actions"
                "what a person is shown is not in the messages";
            NotJudged Should "documentation-resolved" "#textDocument_completion" "The returned completion item should have the documentation property filled in"
                "that member is in no fact that rules read";
            NotJudged Must "unresolved-properties" "#textDocument_completion" "must be provided in the `textDocument/completion` response and must not be changed during resolve"
                "that member is in no fact that rules read";
            Persons Should "completions-filtered" "#textDocument_completion" "clients should be able to filter an already received completion list if the user continues typing"
                "what a person is shown is not in the messages";
            Persons Should "filter-by-word" "#textDocument_completion" "the client should filter against what the user has already typed"
                "what a person is shown is not in the messages";
            NotJudged Must "unknown-tags-kept" "#completionClientCapabilities" "Clients especially need to preserve unknown tags when sending a completion item back to the server in a resolve call"
                "that member is in no fact that rules read";
            NotJudged Must "item-defaults" "#completionList" "Servers are only allowed to return default values if the client signals support for this"
                "that member is in no fact that rules read";
            NotObservable Should "no-cancel-by-server" "#implementationConsiderations" "servers should therefore not decide by themselves to cancel requests"
                "why a server cancels is known to it alone";
            Persons Should "content-modified-not-shown" "#implementationConsiderations" "generally should not show it in the UI"
                "what a person is shown is not in the messages";
        }
    };
}

/// 3.17, where 3.18 says the same.
pub static BOTH_3_17: &[Remark] = shared!("3.17");
/// 3.18, where 3.17 says the same.
pub static BOTH_3_18: &[Remark] = shared!("3.18");

/// 3.17 alone.
pub static V3_17: &[Remark] = table! { "lsp-3.17/", "https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/";
    NotJudged Should "additional-edits-elsewhere" "#completionItem" "Additional text edits should be used to change text unrelated to the current cursor position"
        "that member is in no fact that rules read";
    NotObservable Should "edits-not-commands" "#completionItem" "additional modifications to the current document should be described with the additionalTextEdits-property"
        "what a command changes is not in the messages";
    NotObservable Should "unqualified-label" "#completionItem" "the label itself should be an unqualified name of the completion item"
        "which name is qualified is a matter of the language";
    NotObservable Should "restart" "#implementationConsiderations" "it should try to restart the server"
        "a log of one connection has one life of a server";
    NotObservable Should "no-endless-restart" "#implementationConsiderations" "clients should be careful not to restart a crashing server endlessly"
        "a log of one connection has one life of a server";
    NotObservable Should "process-id-passed" "#implementationConsiderations" "an editor should also pass its process id to the server"
        "command lines are not in the messages";
    NotObservable Must "not-both-registrations" "#client_registerCapability" "Server must not register the same capability both statically through the initialize result and dynamically for the same document selector"
        "what is declared in the handshake names no document selector to compare";
    NotObservable Should "set-trace" "#setTrace" "A notification that should be used by the client to modify the trace setting of the server"
        "what else a client might use is not in the messages";
    NotObservable Must "content-not-read" "#textDocument_didOpen" "the server must not try to read the document's content using the document's Uri"
        "what a server reads is not in the messages";
    NotObservable Must "language-changes" "#textDocument_didOpen" "the client needs to send a `textDocument/didClose` to the server followed by a `textDocument/didOpen` with the new language id"
        "that a language has changed is known to the client alone";
    NotObservable Must "state-synchronized" "#textDocument_didChange" "the client must ensure that the document's state is synchronized with the server"
        "the state of a document in the client is not in the messages";
    NotJudged Should "annotated-edits" "#textDocumentEdit" "servers shouldn't send `AnnotatedTextEdit` literals back to the client"
        "that member is in no fact that rules read";
    NotObservable Must "operations-in-order" "#workspaceEdit" "clients need to execute the operations in the order in which they are provided"
        "what a client does with it is inside the client";
    NotJudged Should "operations-supported" "#workspaceEditClientCapabilities" "Clients should at least support 'create', 'rename' and 'delete' files and folders"
        "a capability that guards no message is in no fact that rules read";
    NotObservable Should "no-format-of-cell-uris" "#notebookDocument_synchronization" "servers should not rely on any format for this URI"
        "what a server does with it is inside the server";
    NotObservable Should "cells-are-documents" "#notebookDocument_synchronization" "clients should model them as text documents"
        "what a client does with it is inside the client";
    NotObservable Should "cell-uris-opaque" "#notebookDocument_synchronization" "the URI of a notebook cell's text document should be opaque"
        "what a server does with it is inside the server";
    NotJudged Must "position-in-range" "#textDocument_selectionRange" "positions[i] must be contained in result[i].range"
        "that member is in no fact that rules read";
    NotObservable Should "no-hierarchy-from-ranges" "#textDocument_documentSymbol" "neither the symbol's location range nor the symbol's container name should be used to infer a hierarchy"
        "what a client does with it is inside the client";
    NotObservable Should "document-symbols" "#textDocument_documentSymbol" "Servers should whenever possible return `DocumentSymbol`"
        "what is possible is known to the server alone";
    NotObservable Must "invalid-name-is-error" "#renameParams" "request must return a ResponseError with an appropriate message set"
        "whether a name is valid is a matter of the language";
    NotObservable Should "null-is-no-change" "#textDocument_rename" "`null` should be treated the same was as `WorkspaceEdit` with no changes"
        "what a client does with it is inside the client";
    NotObservable Should "default-rename-range" "#textDocument_prepareRename" "the client should use its default behavior to compute the rename range"
        "what a client does with it is inside the client";
    Persons Should "rename-error-shown" "#textDocument_prepareRename" "Clients should show the information in their user interface"
        "what a person is shown is not in the messages";
    NotObservable Should "scoped-setting" "#workspace_configuration" "the client should return the setting scoped to the provided resource"
        "what is set in a client is known to it alone";
    NotJudged Must "null-for-no-setting" "#workspace_configuration" "`null` needs to be present in the returned array"
        "how many settings were asked for is in no fact that rules read";
    NotObservable Should "empty-registration" "#workspace_configuration" "the server should register for an empty configuration change"
        "what a server still has to react to is known to it alone";
    NotObservable Must "empty-diagnostics-pushed" "#textDocument_publishDiagnostics" "it has to push the empty array to clear former diagnostics"
        "what a server has computed is known to it alone";
    NotJudged Should "null-for-no-signature" "#signatureHelp" "request should return `null`"
        "that member is in no fact that rules read";
    NotObservable Should "active-signature" "#signatureHelp" "implementors should make an active decision about"
        "what a server does with it is inside the server";
    NotObservable Should "hints-recomputed" "#workspace_inlayHint_refresh" "the client should ask the server to recompute the inlay hints for these editors"
        "which editors are shown is known to the client alone";
    NotObservable Should "refresh-with-care" "#inlayHintWorkspaceClientCapabilities" "It should be used with absolute care"
        "how much care was taken is not in the messages";
    Persons Should "hint-padding" "#inlayHint" "Padding should use the editor's background color"
        "what a person is shown is not in the messages";
    NotObservable Must "edits-not-sorted" "#textDocument_semanticTokens" "A client applying the edits must not assume that they are sorted"
        "what a client does with it is inside the client";
    Persons Should "token-past-line" "#textDocument_semanticTokens" "it should be treated as if the token ends at the end of the line"
        "what a person is shown is not in the messages";
    NotObservable Must "retrigger" "#semanticTokensClientCapabilities" "If a server does the client needs to retrigger the request"
        "until when is not said";
    NotObservable Should "full-beside-range" "#textDocument_semanticTokens" "servers should also implement the `textDocument/semanticTokens/full` request as well"
        "in which case a server is, is known to it alone";
    NotObservable Should "tokens-recomputed" "#semanticTokens_refreshRequest" "the client should ask the server to recompute the semantic tokens for these editors"
        "which editors are shown is known to the client alone";
};

/// 3.18 alone.
pub static V3_18: &[Remark] = table! { "lsp-3.18/", "https://microsoft.github.io/language-server-protocol/specifications/lsp/3.18/specification/";
    NotObservable Should "relevant-commands" "#textDocument_codeAction" "Servers should only return relevant commands"
        "what is relevant is no matter of messages";
    NotObservable Should "quick-fixes-by-default" "#textDocument_codeAction" "if a client asks for code actions without any kind the standard quick fix code actions should be returned"
        "what a server has to offer is known to it alone";
    Persons Should "one-documentation" "#codeActionOptions" "At most one documentation entry should be shown per provider"
        "what a person is shown is not in the messages";
    NotJudged Must "apply-kind" "#completionList" "Servers are only allowed to return `applyKind` if the client signals support for this"
        "that member is in no fact that rules read";
    NotObservable Must "apply-kind-for-all" "#completionClientCapabilities" "If a client supports `applyKind` it must support it for all fields"
        "what a client makes of a field is inside the client";
    NotObservable Should "synchronized-state" "#languageFeatures" "The language features should be computed on the synchronized state of the document"
        "what a server computes from is inside the server";
};
