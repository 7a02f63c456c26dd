//! Facts: the few members of a message that rules read, lifted in the one pass over it.
//!
//! The names form a fixed superset over all profiles, because `params` may stand before `method`;
//! what a member means is decided later, by the profile. Values are raw JSON text and are decoded only where used.

use std::borrow::Cow;
use std::hash::Hasher;

use super::found::{Fact, Facts, ParamsShape, Raw, is_filled};
use super::kinds::{is_relative, lists_something};
use super::placeholder::{is_placeholder, is_placeholder_id};
use super::side::Side;
use crate::json::each_member;
use crate::json::lenient_string;
use crate::jsonrpc::{Id, Lift};

impl<'a> Facts<'a> {
    /// A member as text: a string unescaped, anything else as it stands.
    pub fn text(raw: Raw<'a>) -> Option<Cow<'a, str>> {
        raw.map(lenient_string)
    }

    /// The same where its side wrote it: what a filter put there says nothing.
    pub fn told(raw: Raw<'a>) -> Option<Cow<'a, str>> {
        Facts::text(raw.filter(|raw| !is_placeholder(raw)))
    }

    /// A member as an id.
    pub fn id(raw: Raw<'a>) -> Option<Id> {
        raw.and_then(Id::from_json)
    }

    /// True if a member is the string `text`.
    pub fn is(raw: Raw<'a>, text: &str) -> bool {
        raw.is_some_and(|raw| raw.starts_with('"') && lenient_string(raw) == text)
    }

    /// What a side says of itself in `_meta` of its messages (MCP 2026-07-28). What it sends back of the other's is no name of its own.
    pub fn says_of_itself(&self, side: Side) -> Raw<'a> {
        match side {
            Side::Client => self.meta_client(),
            Side::Server => self.meta_server(),
        }
    }
}

/// Name and version of what a side says of itself, joined by a blank.
pub fn peer_name(raw: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Peer {
        name: Option<String>,
        version: Option<String>,
    }
    let peer: Peer = serde_json::from_str(raw).ok()?;
    match (peer.name, peer.version) {
        (Some(name), Some(version)) => Some(format!("{name} {version}")),
        (name, version) => name.or(version),
    }
}

/// The methods of `result.inputRequests`, in their order (MCP 2026-07-28).
pub fn input_methods(raw: &str) -> Vec<String> {
    let value: serde_json::Value = serde_json::from_str(raw).unwrap_or_default();
    let asked = value.as_object().into_iter().flatten();
    asked.filter_map(|(_, request)| request["method"].as_str().map(str::to_string)).collect()
}

pub(super) const META_REVISION: &str = "io.modelcontextprotocol/protocolVersion";
pub(super) const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub(super) const META_SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";
pub(super) const META_LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
pub(super) const META_CLIENT: &str = "io.modelcontextprotocol/clientInfo";
pub(super) const META_SERVER: &str = "io.modelcontextprotocol/serverInfo";
/// A member of a brief that stands for all those that nobody reads.
pub(super) const REST: &str = "~";
pub(super) const META_RELATED_TASK: &str = "io.modelcontextprotocol/related-task";

impl<'a> Facts<'a> {
    /// A member of the parameters of which only something is wanted.
    fn note(&mut self, key: &str, raw: &'a str) {
        match key {
            "prompt" => self.kinds.add_prompt(raw),
            "mcpServers" => self.kinds.add_servers(raw),
            "cwd" | "path" if is_relative(raw) => self.put(Fact::Relative, raw),
            "additionalDirectories" if lists_something(raw) => self.put(Fact::Roots, raw),
            "previousResultId" => self.previous_result = raw != "null",
            "subject" => self.section(Part::Subject, raw),
            _ => {}
        }
    }

    /// A text document is short but where it is opened: then it has its whole text, which is not hashed.
    fn text_document(&mut self, raw: &'a str) {
        self.section(Part::Document, raw);
        for raw in [self.document(), self.document_version()].into_iter().flatten() {
            self.params_hash = self.params_hash.wrapping_add(hash("textDocument", raw));
        }
    }
}

impl<'a> Lift<'a> for Facts<'a> {
    fn starts(&mut self, text: &'a str) {
        self.stand_in(text);
    }

    fn ends(&mut self, at: usize) {
        self.end_at(at);
    }

    fn text_instead(&mut self, raw: &'a str) {
        self.taken_out |= is_placeholder(raw);
    }

    fn param(&mut self, key: &str, raw: &'a str) {
        self.shape = ParamsShape::Object;
        let fact = match key {
            "_meta" => return self.section(Part::Meta, raw),
            "textDocument" => return self.text_document(raw),
            "update" => return self.section(Part::Update, raw),
            "value" if raw.starts_with('"') => Fact::ConfigValue,
            "value" => return self.section(Part::Value, raw),
            "task" => {
                self.task_wanted = raw != "null";
                return;
            }
            "requestId" => Fact::RequestId,
            "id" => Fact::ParamId,
            "reason" => Fact::Reason,
            "progressToken" | "token" | "progressId" => Fact::Token,
            "progress" => Fact::Progress,
            "workDoneToken" => Fact::WorkDoneToken,
            "partialResultToken" => Fact::PartialResultToken,
            "sessionId" => Fact::SessionId,
            "terminalId" => Fact::Terminal,
            "toolCallId" => Fact::ToolCall,
            "taskId" => Fact::TaskId,
            "status" => Fact::TaskStatus,
            "name" | "command" => Fact::Name,
            "uri" => Fact::Uri,
            "mode" => Fact::Mode,
            "protocolVersion" => Fact::Revision,
            "capabilities" => Fact::Capabilities,
            "clientCapabilities" => {
                self.acp_initialize = true;
                Fact::Capabilities
            }
            "clientInfo" => Fact::Peer,
            "notifications" => Fact::Notifications,
            "cursor" => Fact::Cursor,
            "requestState" | "inputResponses" => {
                self.retries = true;
                self.suspect = true;
                self.taken_out |= is_placeholder(raw);
                let fact = if key == "requestState" { Fact::RequestState } else { Fact::InputResponses };
                return self.put(fact, raw);
            }
            "includeContext" => Fact::IncludeContext,
            "modeId" | "configId" | "methodId" => Fact::Choice,
            "options" if raw.starts_with('[') => Fact::Offered,
            REST => {
                self.is_brief = true;
                self.params_hash = self.params_hash.wrapping_add(hash(key, raw));
                return;
            }
            other => {
                self.note(other, raw);
                self.suspect |= matches!(other, "message" | "messages" | "requestedSchema" | "elicitationId");
                self.offers_tools |= other == "tools" && raw != "null";
                if matches!(other, "processId" | "rootUri" | "rootPath" | "workspaceFolders") {
                    self.lsp_initialize = true;
                }
                self.params_hash = self.params_hash.wrapping_add(hash(other, raw));
                return;
            }
        };
        let is_id = matches!(fact, Fact::RequestId | Fact::ParamId | Fact::Token | Fact::TaskId);
        self.put(fact, raw);
        self.taken_out |= if is_id { is_placeholder_id(raw) } else { !WORDS.contains(&key) && is_placeholder(raw) };
        self.params_hash = self.params_hash.wrapping_add(hash(key, raw));
    }

    fn result(&mut self, key: &str, raw: &'a str) {
        if key != "_meta" {
            self.result_members = true;
            self.result_more |= key != "resultType";
        }
        let fact = match key {
            "_meta" => return self.section(Part::Meta, raw),
            "task" => {
                self.task_created = true;
                self.suspect = true;
                return self.section(Part::Task, raw);
            }
            "outcome" => return self.section(Part::Outcome, raw),
            "items" | "data" => {
                self.result_filled |= is_filled(raw);
                return;
            }
            "terminalId" => Fact::Terminal,
            "taskId" => Fact::TaskId,
            "status" => {
                self.suspect = true;
                Fact::TaskStatus
            }
            "sessionId" => Fact::SessionId,
            "protocolVersion" => Fact::Revision,
            "capabilities" | "agentCapabilities" => Fact::Capabilities,
            "serverInfo" | "agentInfo" => Fact::Peer,
            "resultType" => {
                // The extension of MCP 2026-07-28 creates a task by a result that is one.
                self.task_created |= Facts::is(Some(raw), "task");
                Fact::ResultType
            }
            "modes" | "authMethods" => Fact::Offered,
            "configOptions" => Fact::ConfigOptions,
            "kind" => {
                self.unchanged = Facts::is(Some(raw), "unchanged");
                return;
            }
            "stopReason" => Fact::StopReason,
            "inputRequests" => Fact::InputRequests,
            "tasks" => Fact::Tasks,
            "nextCursor" => Fact::NextCursor,
            "cacheScope" => Fact::CacheScope,
            "requestState" => Fact::RequestState,
            other => {
                match other {
                    "tools" | "prompts" | "resources" | "resourceTemplates" | "roots" => {
                        self.suspect = true;
                        self.listed.note(other, raw);
                    }
                    "completion" => self.listed.note(other, raw),
                    "contents" | "messages" | "structuredContent" => self.suspect = true,
                    REST => self.is_brief = true,
                    _ => {}
                }
                self.taken_out |= is_placeholder(raw);
                return;
            }
        };
        self.put(fact, raw);
        self.taken_out |= is_placeholder(raw);
    }

    fn body(&mut self, raw: &'a str) {
        self.put(Fact::Body, raw);
    }

    fn params_without_members(&mut self) {
        self.shape = ParamsShape::Other;
    }

    fn result_list(&mut self, filled: bool) {
        self.result_filled = filled;
    }
}

/// Members that people read: nothing follows from them.
const WORDS: [&str; 4] = ["reason", "name", "command", "clientInfo"];

fn hash(key: &str, value: &str) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(key.as_bytes());
    hasher.write(value.as_bytes());
    hasher.finish()
}

/// Objects one level down in which a member is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Meta,
    RelatedTask,
    Update,
    Subject,
    Value,
    Task,
    Outcome,
    Document,
}

impl<'a> Facts<'a> {
    fn section(&mut self, part: Part, raw: &'a str) {
        self.taken_out |= is_placeholder(raw);
        each_member(raw, |key, value| {
            if part == Part::Meta && key == META_RELATED_TASK {
                return self.section(Part::RelatedTask, value);
            }
            // A permission request tells of its tool call as an update does.
            if part == Part::Subject && key == "toolCall" {
                return self.section(Part::Update, value);
            }
            if let Some(fact) = fact_of(part, key) {
                self.put(fact, value);
                self.taken_out |= is_placeholder(value) && !matches!(key, META_CLIENT | META_SERVER);
            } else if part == Part::Meta {
                self.put(Fact::OddMeta, raw);
            }
        });
    }
}

/// The member of such an object that is wanted.
fn fact_of(part: Part, key: &str) -> Option<Fact> {
    Some(match (part, key) {
        (Part::Meta, "progressToken") => Fact::ProgressToken,
        (Part::Meta, META_LOG_LEVEL) => Fact::LogLevel,
        (Part::Meta, META_REVISION) => Fact::MetaRevision,
        (Part::Meta, META_CLIENT) => Fact::MetaClient,
        (Part::Meta, META_SERVER) => Fact::MetaServer,
        (Part::Meta, META_SUBSCRIPTION) => Fact::Subscription,
        (Part::RelatedTask, "taskId") => Fact::RelatedTask,
        (Part::Update, "sessionUpdate") => Fact::Update,
        (Part::Update, "toolCallId") => Fact::ToolCall,
        (Part::Update, "status") => Fact::UpdateStatus,
        (Part::Update, "terminalId") => Fact::Terminal,
        (Part::Update, "capabilities") => Fact::Controls,
        (Part::Update, "exitStatus") => Fact::ExitStatus,
        (Part::Update, "state") => Fact::UpdateState,
        (Part::Update, "stopReason") => Fact::StopReason,
        (Part::Value, "kind") => Fact::ValueKind,
        (Part::Value, "percentage") => Fact::Progress,
        (Part::Task, "taskId") => Fact::TaskId,
        (Part::Task, "status") => Fact::TaskStatus,
        (Part::Update, "configOptions") => Fact::ConfigOptions,
        (Part::Outcome, "outcome") => Fact::Outcome,
        (Part::Outcome, "optionId") => Fact::Choice,
        (Part::Meta, META_CAPABILITIES) => Fact::MetaCapabilities,
        (Part::Document, "uri") => Fact::Document,
        (Part::Document, "version") => Fact::DocumentVersion,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jsonrpc::{Parsed, parse};

    fn facts(text: &str) -> Facts<'_> {
        match parse::<Facts<'_>>(text) {
            Ok(Parsed::One(_, facts)) => facts,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn members_are_lifted_wherever_params_stands() {
        let f = facts(r#"{"params":{"requestId":"1","reason":"x","_meta":{"progressToken":7}},"method":"m"}"#);
        assert_eq!((f.request_id(), f.progress_token()), (Some("\"1\""), Some("7")));
        assert_eq!(Facts::text(f.reason()).as_deref(), Some("x"));
    }

    #[test]
    fn results_and_nested_objects() {
        let f = facts(r#"{"id":1,"result":{"task":{"taskId":"T","status":"working"},"x":[1]}}"#);
        assert!(f.task_created && Facts::is(f.task_id(), "T") && Facts::is(f.task_status(), "working"));
        let f = facts(r#"{"id":1,"result":{"outcome":{"outcome":"cancelled"}}}"#);
        assert!(Facts::is(f.outcome(), "cancelled"));
        let f = facts(r#"{"method":"session/update","params":{"update":{"a":[],"sessionUpdate":"plan"}}}"#);
        assert!(Facts::is(f.update(), "plan"));
    }

    #[test]
    fn a_side_says_who_it_is_and_what_it_sends_back_says_nothing_of_itself() {
        let f =
            facts(r#"{"id":1,"result":{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}}}"#);
        assert_eq!(f.says_of_itself(Side::Server), None);
        assert_eq!(f.says_of_itself(Side::Client).and_then(peer_name).as_deref(), Some("c 1"));
        let f = facts(r#"{"id":1,"method":"m","params":{"_meta":{"io.modelcontextprotocol/clientInfo":"***"}}}"#);
        assert_eq!(f.says_of_itself(Side::Client).and_then(peer_name), None);
        assert!(!f.taken_out, "nothing follows from a name");
    }

    #[test]
    fn the_hash_ignores_order_and_meta() {
        let a = facts(r#"{"method":"m","params":{"a":1,"b":2,"_meta":{"progressToken":1}}}"#);
        let b = facts(r#"{"method":"m","params":{"b":2,"a":1,"_meta":{"progressToken":2}}}"#);
        assert_eq!(a.params_hash, b.params_hash);
        assert_ne!(a.params_hash, facts(r#"{"method":"m","params":{"a":1,"b":3}}"#).params_hash);
    }

    #[test]
    fn hostile_shapes_are_skipped() {
        let f = facts(r#"{"method":"m","params":[1,{"requestId":1}]}"#);
        assert_eq!((f.shape, f.request_id()), (ParamsShape::Other, None));
        facts(r#"{"method":"m","params":{"_meta":7,"update":[{}],"value":"x","task":null}}"#);
    }
}
