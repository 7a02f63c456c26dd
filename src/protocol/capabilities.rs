//! Capabilities: what a side declares in its handshake, as far as judgement asks for it.

use super::placeholder::is_placeholder;

/// The declared capabilities that judgement asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// `tasks.cancel` (MCP 2025-11-25).
    pub tasks_cancel: bool,
    /// `tasks.requests.tools.call`.
    pub tasks_tools_call: bool,
    /// `tasks.requests.sampling.createMessage`.
    pub tasks_sampling: bool,
    /// `tasks.requests.elicitation.create`.
    pub tasks_elicitation: bool,
    /// `cancellation.request: true`, or the other spelling `supportsRequestCancellation: true` (ACP RFD); `supportsCancelRequest: true` (DAP).
    pub request_cancellation: bool,
    /// True where a member about cancellation is declared at all, whatever its value.
    pub mentions_cancellation: bool,
    /// `textDocument.semanticTokens.serverCancelSupport` (LSP client).
    pub semantic_tokens_server_cancel: bool,
    /// What of `CAPABILITIES` is declared, one bit each.
    pub features: u64,
}

/// Capabilities that requests need, by the member that declares them. One that is declared as `false` or `null` is not.
const CAPABILITIES: &[&str] = &[
    "tools",
    "prompts",
    "resources",
    "resources.subscribe",
    "logging",
    "sampling",
    "elicitation",
    "roots",
    "completions",
    "elicitation.url",
    "sampling.tools",
    "sampling.context",
    "tools.listChanged",
    "prompts.listChanged",
    "resources.listChanged",
    "roots.listChanged",
    "loadSession",
    "terminal",
    "fs.readTextFile",
    "fs.writeTextFile",
    "sessionCapabilities.additionalDirectories",
    "sessionCapabilities.list",
    "sessionCapabilities.resume",
    "sessionCapabilities.close",
    "sessionCapabilities.fork",
    "sessionCapabilities.delete",
    "auth.logout",
    "promptCapabilities.image",
    "promptCapabilities.audio",
    "promptCapabilities.embeddedContext",
    "mcpCapabilities.http",
    "mcpCapabilities.sse",
    "session.notices",
    "session.compaction",
    "session.additionalDirectories",
    "session.delete",
    "session.fork",
    "session.archive",
    "session.status",
    "session.title",
    "window.workDoneProgress",
    "window.showDocument.support",
    "workspace.applyEdit",
    "workspace.configuration",
    "workspace.workspaceFolders",
    "workspace.codeLens.refreshSupport",
    "workspace.semanticTokens.refreshSupport",
    "workspace.inlineValue.refreshSupport",
    "workspace.inlayHint.refreshSupport",
    "workspace.diagnostics.refreshSupport",
    "workspace.foldingRange.refreshSupport",
    "tasks",
    "tasks.list",
    FORM,
];

/// Elicitation by a form: declared by all who do not name another mode alone (MCP 2025-11-25: an empty object means it).
const FORM: &str = "elicitation.form";

/// They are kept as the bits of one number.
const _: () = assert!(CAPABILITIES.len() <= u64::BITS as usize);

/// The bit of a capability of the list.
fn bit_of(name: &str) -> Option<u64> {
    CAPABILITIES.iter().position(|known| *known == name).map(|at| 1 << at)
}

/// What of the list an object declares.
fn features_of(value: &serde_json::Value) -> u64 {
    let declared = |name: &str| {
        let declared = name.split('.').try_fold(value, |value, key| value.get(key));
        declared.is_some_and(|it| !it.is_null() && it.as_bool() != Some(false))
    };
    let is_there = |name: &str| declared(name) || name == FORM && !declared("elicitation.url");
    CAPABILITIES.iter().zip(0..).filter(|(name, _)| is_there(name)).fold(0, |bits, (_, at)| bits | 1 << at)
}

impl Capabilities {
    /// Reads a capabilities object. Handshakes are rare, so a tree is built here.
    pub fn from_json(raw: &str) -> Capabilities {
        let value: serde_json::Value = serde_json::from_str(raw).unwrap_or_default();
        let has = |pointer: &str| value.pointer(pointer).is_some_and(|value| !value.is_null());
        let yes = |pointer: &str| value.pointer(pointer).is_some_and(|value| value.as_bool() == Some(true));
        Capabilities {
            tasks_cancel: has("/tasks/cancel"),
            tasks_tools_call: has("/tasks/requests/tools/call"),
            tasks_sampling: has("/tasks/requests/sampling/createMessage"),
            tasks_elicitation: has("/tasks/requests/elicitation/create"),
            request_cancellation: yes("/cancellation/request")
                || yes("/supportsRequestCancellation")
                || yes("/supportsCancelRequest"),
            mentions_cancellation: has("/cancellation") || has("/supportsRequestCancellation"),
            semantic_tokens_server_cancel: yes("/textDocument/semanticTokens/serverCancelSupport"),
            features: features_of(&value),
        }
    }

    /// What is declared here or there.
    pub fn or(self, other: Capabilities) -> Capabilities {
        Capabilities {
            request_cancellation: self.request_cancellation || other.request_cancellation,
            features: self.features | other.features,
            ..self
        }
    }

    /// True if a filter has taken something out of what was declared.
    pub fn are_blotted(raw: &str) -> bool {
        raw.split('"').any(|text| is_placeholder(&format!("\"{text}\"")))
    }

    /// True if a capability of the list is declared; one that is not in it counts as declared.
    pub fn declares(&self, name: &str) -> bool {
        bit_of(name).is_none_or(|bit| self.features & bit != 0)
    }
}
