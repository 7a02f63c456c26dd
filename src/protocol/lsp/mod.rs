//! LSP 3.17 and 3.18. A cancelled request is still answered; what the two revisions differ in is batches.

mod clauses;
pub(in crate::protocol) mod flaws;
mod methods;
mod rulings;
mod table;

use super::jsonrpc::BASE;
use super::{AfterCancel, Bound, Family, Gate, Opening, Profile, Waits};

/// The revisions, oldest first.
pub static PROFILES: &[Profile; 2] = &[
    Profile {
        revision: "3.17",
        rulings: rulings::V3_17,
        remarks: &[table::BOTH_3_17, table::V3_17, rulings::IN_PART_3_17],
        ..LSP
    },
    Profile {
        revision: "3.18",
        rulings: rulings::V3_18,
        remarks: &[table::BOTH_3_18, table::V3_18, rulings::IN_PART_3_18],
        ..LSP
    },
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
    after_initialize: Bound::AllBut(&[]),
    client_waits: Waits::MessagesBut(&[]),
    server_waits: Waits::MessagesBut(&[
        "window/showMessage",
        "window/logMessage",
        "telemetry/event",
        "window/showMessageRequest",
        "$/progress",
    ]),
    initialized_once: true,
    // Nothing may be sent before the answer to `initialize`; after it, a cancel is one that comes late.
    initialize_cancel_always_wrong: false,
    progress_may_rest: true,
    methods: methods::METHODS,
    gates: GATES,
    // -32001 and -32002 are "unknown" and "server not initialized"; -32800 to -32803 lie outside JSON-RPC's range.
    codes: &[-32803, -32802, -32801, -32800, -32700, -32603, -32602, -32601, -32600, -32002, -32001],
    ..BASE
};

/// What a client must have declared before it is asked.
const GATES: &[Gate] = &[
    Gate::new("window/workDoneProgress/create", "window.workDoneProgress"),
    Gate::new("window/showDocument", "window.showDocument.support"),
    Gate::new("workspace/applyEdit", "workspace.applyEdit"),
    Gate::new("workspace/configuration", "workspace.configuration"),
    Gate::new("workspace/workspaceFolders", "workspace.workspaceFolders"),
    Gate::new("workspace/codeLens/refresh", "workspace.codeLens.refreshSupport"),
    Gate::new("workspace/semanticTokens/refresh", "workspace.semanticTokens.refreshSupport"),
    Gate::new("workspace/inlineValue/refresh", "workspace.inlineValue.refreshSupport"),
    Gate::new("workspace/inlayHint/refresh", "workspace.inlayHint.refreshSupport"),
    Gate::new("workspace/diagnostic/refresh", "workspace.diagnostics.refreshSupport"),
    Gate::new("workspace/foldingRange/refresh", "workspace.foldingRange.refreshSupport"),
];
