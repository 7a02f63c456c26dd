//! A profile: one protocol revision as data.

use std::fmt;

use super::{Clause, Facts, Feature, Gate, Method, Remark, Ruling, Side};
use crate::jsonrpc::Kind;

/// The protocol a profile belongs to. Only this layer compares families.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Model Context Protocol.
    Mcp,
    /// Agent Client Protocol.
    Acp,
    /// Language Server Protocol.
    Lsp,
    /// Debug Adapter Protocol.
    Dap,
    /// JSON-RPC 2.0 with nothing above it.
    Jsonrpc,
}

/// What is owed to a request after it was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterCancel {
    /// Nothing: it is not to be answered (MCP).
    Silence,
    /// An answer all the same (LSP, ACP).
    Answer,
    /// The protocol knows no cancel.
    Undefined,
}

/// What a server may cancel by notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerCancel {
    /// Its own requests, as any issuer.
    OwnRequests,
    /// Only a `subscriptions/listen` request of the client (MCP 2026-07-28).
    ListenOnly,
}

/// Which messages a side holds back until the handshake allows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// None.
    Nothing,
    /// Its requests but these.
    RequestsBut(&'static [&'static str]),
    /// Its requests and notifications but these.
    MessagesBut(&'static [&'static str]),
}

impl Waits {
    /// True if such a message is held back.
    fn hold(self, kind: Kind, method: &str) -> bool {
        match self {
            Waits::Nothing => false,
            Waits::RequestsBut(exempt) => kind == Kind::Request && !exempt.contains(&method),
            Waits::MessagesBut(exempt) => {
                matches!(kind, Kind::Request | Kind::Notification) && !exempt.contains(&method)
            }
        }
    }
}

/// Which requests of the client have to come after `initialize`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// None.
    Nothing,
    /// Those whose methods begin so.
    Under(&'static str),
    /// All but these.
    AllBut(&'static [&'static str]),
}

/// How a connection begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The handshake request, where there is one.
    pub initialize: Option<&'static str>,
    /// The notification that ends the handshake, where there is one.
    pub initialized: Option<&'static str>,
    /// The request after which nothing but `exit` may follow (LSP).
    pub shutdown: Option<&'static str>,
    /// The last notification (LSP).
    pub exit: Option<&'static str>,
}

/// One protocol revision.
pub struct Profile {
    /// Family, for this layer's own use.
    pub family: Family,
    /// `mcp`, `acp`, `lsp`, `dap` or `jsonrpc`.
    pub name: &'static str,
    /// The revision as the protocol writes it.
    pub revision: &'static str,
    /// Method and id member of the cancel notification (in DAP of the cancel request).
    pub cancel: Option<(&'static str, &'static str)>,
    /// What is owed to a cancelled request.
    pub after_cancel: AfterCancel,
    /// The error code that says "cancelled", where the protocol defines one.
    pub cancelled_code: Option<i64>,
    /// What a server may cancel.
    pub server_cancel: ServerCancel,
    /// How a connection begins and ends.
    pub opening: Opening,
    /// True if every request states its revision (MCP 2026-07-28).
    pub revision_per_request: bool,
    /// True if closing an HTTP response stream is the cancel (MCP 2026-07-28).
    pub stream_close_cancels: bool,
    /// True if a closed HTTP stream keeps its requests in flight (MCP 2025-03-26 to 2025-11-25).
    pub stream_close_is_no_cancel: bool,
    /// True if a server may close the connection of a stream before the answer, once it has sent an event with an id: the client
    /// asks for the rest of it.
    pub server_may_hang_up: bool,
    /// Notification that carries progress, where there is one.
    pub progress: Option<&'static str>,
    /// True if clients tell of the text documents that they open, change and close (LSP).
    pub documents: bool,
    /// True if requests can create tasks that outlive them.
    pub tasks: bool,
    /// True if the protocol has prompt turns that `session/cancel` ends.
    pub turns: bool,
    /// True if a turn lasts until the agent reports that it is idle, and not only until the prompt is answered (ACP 2).
    pub turns_end_idle: bool,
    /// True if an id may not be used twice in a connection, answered or not.
    pub ids_used_once: bool,
    /// True if error text is proof that a cancel was acted on (MCP only).
    pub cancel_text_is_proof: bool,
    /// True if the cancel needs a capability of the receiver (ACP RFD of 2025-11, DAP).
    pub cancel_needs_capability: bool,
    /// True for a family whose revision could not be told: rulings are the weakest of all its revisions.
    pub unknown_revision: bool,
    /// Methods of the family, sorted by name.
    pub methods: &'static [Method],
    /// Requests that need a capability of their receiver.
    pub gates: &'static [Gate],
    /// Messages of the server that need to have been declared by either side.
    pub features: &'static [Feature],
    /// Which requests of the client have to come after `initialize`.
    pub after_initialize: Bound,
    /// What the client holds back until the handshake allows it.
    pub client_waits: Waits,
    /// What the server holds back until the handshake allows it.
    pub server_waits: Waits,
    /// True if the server waits for the notification that ends the handshake, and not only until it has answered.
    pub server_waits_for_initialized: bool,
    /// True if the notification that ends the handshake may be sent only once.
    pub initialized_once: bool,
    /// True if `initialize` must not be cancelled even after its answer; in LSP the ban ends with the answer.
    pub initialize_cancel_always_wrong: bool,
    /// True if a progress value may stay as it is from one report to the next (LSP percentages).
    pub progress_may_rest: bool,
    /// True if the schema of the cancel lets its request id be `null` (ACP).
    pub null_id_in_schema: bool,
    /// Methods that earlier revisions have and this one has dropped.
    pub removed: &'static [&'static str],
    /// Error codes that the protocol defines.
    pub codes: &'static [i64],
    /// Error codes that it forbids.
    pub forbidden_codes: &'static [(i64, i64)],
    /// Error codes that new implementations should not use.
    pub discouraged_codes: &'static [(i64, i64)],
    /// Which rules apply, how severe they are here, and on which clause they rest.
    pub rulings: &'static [Ruling],
    /// Clauses that no rule judges, or none whole, each with the reason.
    pub remarks: &'static [&'static [Remark]],
}

/// Its name: there is one of each, and all that it holds is hundreds of sentences.
impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Profile({})", self.label())
    }
}

impl Profile {
    /// `mcp 2025-11-25`, as printed and stored.
    pub fn label(&self) -> String {
        if self.unknown_revision { self.name.to_string() } else { format!("{} {}", self.name, self.revision) }
    }

    /// The ruling for a rule, or `None` where the rule does not apply.
    pub fn ruling(&self, rule: &str) -> Option<&'static Ruling> {
        self.rulings.iter().find(|ruling| ruling.rule == rule)
    }

    /// The ruling for a rule over HTTP, where the revision says the same on another page.
    pub fn ruling_over_http(&self, rule: &str) -> Option<&'static Ruling> {
        let http = |ruling: &&Ruling| ruling.rule.strip_suffix("/http") == Some(rule);
        self.rulings.iter().find(http).or_else(|| self.ruling(rule))
    }

    /// What is known of clauses that no rule judges, or none whole.
    pub fn remarks(&self) -> impl Iterator<Item = &'static Remark> {
        self.remarks.iter().flat_map(|list| list.iter())
    }

    /// The ruling for a rule about a capability, where the revision has a sentence on that one.
    pub fn ruling_on(&self, rule: &str, capability: &str) -> Option<&'static Ruling> {
        self.ruling(&format!("{rule}/{}", capability.to_ascii_lowercase())).or_else(|| self.ruling(rule))
    }

    /// The clause that a rule rests on in this profile.
    pub fn clause(&self, rule: &str) -> Option<&'static Clause> {
        self.ruling(rule).and_then(|ruling| ruling.clause)
    }

    /// What is known of a method. The lists are sorted by name: this is asked for every message.
    pub fn method(&self, name: &str) -> Option<&'static Method> {
        self.methods.binary_search_by(|method| method.name.cmp(name)).ok().map(|at| &self.methods[at])
    }

    /// The capability that a request needs of its receiver.
    pub fn needs(&self, method: &str) -> Option<&'static str> {
        self.gates.iter().find(|gate| gate.guards(method)).map(|gate| gate.needs)
    }

    /// What a message of the server needs to have been declared, and by whom.
    pub fn feature(&self, method: &str, facts: &Facts<'_>) -> Option<(Side, &'static str)> {
        let uses = |feature: &&Feature| feature.method == method && (feature.used)(facts);
        self.features.iter().find(uses).map(|feature| (feature.by, feature.needs))
    }

    /// True if the server creates tokens for progress by a request of its own (LSP).
    pub fn creates_tokens(&self) -> bool {
        self.method("window/workDoneProgress/create").is_some()
    }

    /// The capability of a side that answers a request by this result: what it gives is proof that it has it.
    pub fn offered(&self, method: &str, facts: &Facts<'_>) -> Option<&'static str> {
        let (list, offers) = match method {
            "tools/list" => ("tools", "tools"),
            "prompts/list" => ("prompts", "prompts"),
            "resources/list" => ("resources", "resources"),
            "resources/templates/list" => ("resourceTemplates", "resources"),
            "roots/list" => ("roots", "roots"),
            "completion/complete" => ("completion", "completions"),
            "sampling/createMessage" => ("", "sampling"),
            "elicitation/create" => ("", "elicitation"),
            _ => return None,
        };
        (self.family == Family::Mcp && (list.is_empty() || facts.listed.has(list))).then_some(offers)
    }

    /// True if a result that asks for input may answer this method (MCP 2026-07-28).
    pub fn may_ask_for_input(&self, method: &str) -> bool {
        matches!(method, "prompts/get" | "resources/read" | "tools/call")
    }

    /// True if a notification comes to those only who have subscribed to it (MCP 2026-07-28).
    pub fn is_subscribed(&self, method: &str) -> bool {
        self.revision_per_request
            && matches!(
                method,
                "notifications/tools/list_changed"
                    | "notifications/prompts/list_changed"
                    | "notifications/resources/list_changed"
                    | "notifications/resources/updated"
            )
    }

    /// The HTTP status that belongs to an error code; `stated` where the request has all that each must have in `_meta` (MCP 2026-07-28).
    pub fn status_of(&self, code: i64, stated: bool) -> Option<u16> {
        match code {
            -32601 if self.revision_per_request => Some(404),
            -32022..=-32020 if self.revision_per_request => Some(400),
            -32602 if self.revision_per_request && !stated => Some(400),
            _ => None,
        }
    }

    /// True if a cancelled request is still owed an answer.
    pub fn answers_cancelled(&self) -> bool {
        self.after_cancel == AfterCancel::Answer
    }
}

/// The order of a handshake, and which methods and updates belong where.
impl Profile {
    /// True for the request that begins a session.
    pub fn opens_session(&self, issuer: Side, method: &str) -> bool {
        issuer == Side::Client && self.opening.initialize == Some(method)
    }

    /// True if the client may send this request only after `initialize`.
    pub fn must_follow_initialize(&self, method: &str) -> bool {
        let Some(initialize) = self.opening.initialize else { return false };
        let bound = match self.after_initialize {
            Bound::Nothing => false,
            Bound::Under(prefix) => method.starts_with(prefix),
            Bound::AllBut(exempt) => !exempt.contains(&method),
        };
        bound && method != initialize
    }

    /// True if the client holds back such a message until the handshake allows it.
    pub fn client_waits(&self, kind: Kind, method: &str) -> bool {
        self.client_waits.hold(kind, method)
    }

    /// True if the server holds back such a message until the handshake allows it.
    pub fn server_waits(&self, kind: Kind, method: &str) -> bool {
        self.server_waits.hold(kind, method)
    }

    /// True if the revision has dropped a method that earlier ones have.
    pub fn removed_method(&self, method: &str) -> bool {
        self.removed.contains(&method)
    }

    /// True if an update of this kind is part of a prompt turn. The others tell of the session, or replay it.
    pub fn belongs_to_turn(&self, update: &str) -> bool {
        matches!(update, "agent_message_chunk" | "agent_thought_chunk" | "tool_call" | "tool_call_update" | "plan")
    }
}

#[cfg(test)]
mod tests {
    use crate::protocol::profiles;

    #[test]
    fn methods_are_sorted_unique_and_found() {
        for profile in profiles() {
            for pair in profile.methods.windows(2) {
                assert!(pair[0].name < pair[1].name, "{}: {} before {}", profile.label(), pair[0].name, pair[1].name);
            }
            for method in profile.methods {
                assert_eq!(profile.method(method.name).map(|found| found.name), Some(method.name));
            }
            assert!(profile.method("no/such").is_none() && profile.method("").is_none());
        }
    }
}
