//! What is found in a message, and how it is kept: the members that rules read are places in its text, eight bytes each, which
//! can be lent and go to another thread without the text.

use std::fmt;
use std::ops::{Deref, DerefMut};

use super::kinds::Kinds;
use crate::json::each_member;

/// The raw JSON text of a member, `None` where it is absent.
pub type Raw<'a> = Option<&'a str>;

/// What `params` was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ParamsShape {
    /// No `params`, or an empty object.
    #[default]
    None,
    /// An object with members.
    Object,
    /// An array, `null` or a scalar.
    Other,
}

/// Lists of results that have members, one bit each (MCP).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Listed(u8);

/// Members of results that are lists of what a side offers.
const LISTS: [&str; 6] = ["tools", "prompts", "resources", "resourceTemplates", "roots", COMPLETION];

/// The one of them that has its list as `values`.
const COMPLETION: &str = "completion";

impl Listed {
    /// Notes a member of a result, if it is one of the lists.
    pub(super) fn note(&mut self, key: &str, raw: &str) {
        let Some(at) = LISTS.iter().position(|name| *name == key) else { return };
        let mut filled = is_filled(raw);
        if key == COMPLETION {
            each_member(raw, |key, raw| filled |= key == "values" && is_filled(raw));
        }
        self.0 |= u8::from(filled) << at;
    }

    /// True if the list of this name has members.
    pub fn has(self, name: &str) -> bool {
        self.names().any(|listed| listed == name)
    }

    /// The names of lists with members.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        LISTS.into_iter().enumerate().filter(move |(at, _)| self.0 >> at & 1 == 1).map(|(_, name)| name)
    }
}

/// True if a value is a list with members.
pub(super) fn is_filled(raw: &str) -> bool {
    let inside = raw.strip_prefix('[').map(str::trim_ascii_start);
    inside.is_some_and(|inside| !inside.starts_with(']'))
}

/// A member that rules read as it stands in the message: for each a name, and a method of [`Facts`].
macro_rules! facts {
    ($($(#[$about:meta])* $fact:ident $name:ident;)*) => {
        /// A member that rules read as it stands in the message.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Fact {
            $($(#[$about])* $fact,)*
        }

        /// All of them.
        pub(super) const FACTS: [Fact; [$(Fact::$fact),*].len()] = [$(Fact::$fact),*];

        impl<'a> Facts<'a> {
            $($(#[$about])* pub fn $name(&self) -> Raw<'a> { self.raw(Fact::$fact) })*
        }
    };
}

facts! {
    /// `params.requestId`.
    RequestId request_id;
    /// `params.id`.
    ParamId param_id;
    /// `params.reason`.
    Reason reason;
    /// `params._meta.progressToken`.
    ProgressToken progress_token;
    /// `params.progressToken` (MCP progress), `params.token` (LSP progress) or `params.progressId` (DAP).
    Token token;
    /// `params.progress` (MCP) or `params.value.percentage` (LSP).
    Progress progress;
    /// `params.value.kind` (LSP `begin`, `report`, `end`).
    ValueKind value_kind;
    /// `params.workDoneToken`.
    WorkDoneToken work_done_token;
    /// `params.partialResultToken`.
    PartialResultToken partial_result_token;
    /// `params.sessionId` or `result.sessionId`.
    SessionId session_id;
    /// `params.update.sessionUpdate`.
    Update update;
    /// `toolCallId` of `params`, of `params.update` or of `params.subject.toolCall` (ACP).
    ToolCall tool_call;
    /// `status` of `params.update` or of `params.subject.toolCall` (ACP).
    UpdateStatus update_status;
    /// What may be asked of a tool call or a terminal, whole: `capabilities` of `params.update` or of `params.subject.toolCall` (ACP 2).
    Controls controls;
    /// `params.update.exitStatus` (ACP 2).
    ExitStatus exit_status;
    /// `params.update.state`.
    UpdateState update_state;
    /// `params.taskId`, `result.taskId` or `result.task.taskId`.
    TaskId task_id;
    /// `params.status`, `result.status` or `result.task.status`.
    TaskStatus task_status;
    /// `result.tasks`, whole.
    Tasks tasks;
    /// `params.name`, else `params.command`.
    Name name;
    /// `params.uri`.
    Uri uri;
    /// `params.mode`.
    Mode mode;
    /// `params.protocolVersion` or `result.protocolVersion`.
    Revision revision;
    /// `params._meta["io.modelcontextprotocol/protocolVersion"]`.
    MetaRevision meta_revision;
    /// `params._meta["io.modelcontextprotocol/clientCapabilities"]`, whole.
    MetaCapabilities meta_capabilities;
    /// `_meta["io.modelcontextprotocol/clientInfo"]`, whole.
    MetaClient meta_client;
    /// `_meta["io.modelcontextprotocol/serverInfo"]`, whole.
    MetaServer meta_server;
    /// `params._meta["io.modelcontextprotocol/subscriptionId"]`.
    Subscription subscription;
    /// `_meta["io.modelcontextprotocol/related-task"].taskId`.
    RelatedTask related_task;
    /// `capabilities`, `clientCapabilities` or `agentCapabilities` of a handshake, whole.
    Capabilities capabilities;
    /// `clientInfo`, `serverInfo` or `agentInfo` of a handshake, whole.
    Peer peer;
    /// `params.notifications` of a subscription, whole.
    Notifications notifications;
    /// `result.resultType`.
    ResultType result_type;
    /// `result.inputRequests`, whole.
    InputRequests input_requests;
    /// `params.cursor`.
    Cursor cursor;
    /// `result.nextCursor`.
    NextCursor next_cursor;
    /// `params.textDocument.uri` (LSP).
    Document document;
    /// `params.textDocument.version` (LSP).
    DocumentVersion document_version;
    /// `result.stopReason` or `params.update.stopReason`.
    StopReason stop_reason;
    /// `result.outcome.outcome`.
    Outcome outcome;
    /// `params._meta["io.modelcontextprotocol/logLevel"]`.
    LogLevel log_level;
    /// `params.requestState` or `result.requestState`.
    RequestState request_state;
    /// `params.inputResponses`, whole.
    InputResponses input_responses;
    /// `params.includeContext`.
    IncludeContext include_context;
    /// `params.modeId`, `params.configId`, `params.methodId` or `result.outcome.optionId`: what was chosen (ACP).
    Choice choice;
    /// `params.value`, where it is a string: what a config option is set to (ACP).
    ConfigValue config_value;
    /// What may be chosen from, whole: `params.options`, where it is a list, `result.modes` or `result.authMethods` (ACP).
    Offered offered;
    /// `result.configOptions` or `params.update.configOptions`, whole (ACP).
    ConfigOptions config_options;
    /// `result.cacheScope` (MCP 2026-07-28).
    CacheScope cache_scope;
    /// `params.terminalId`, `params.update.terminalId` or `result.terminalId` (ACP).
    Terminal terminal;
    /// `params.cwd` or `params.path`, where it is a path that begins nowhere (ACP).
    Relative relative;
    /// `params.additionalDirectories`, where it is a list with something in it (ACP).
    Roots roots;
    /// `_meta`, whole, where it has keys that are none of the above.
    OddMeta odd_meta;
    /// `params` or `result`, whole: for a second look, where a member of it is worth one.
    Body body;
}

/// Where the members stand in the text of the message. Most messages have few of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Places {
    /// One bit for each that is there.
    there: u64,
    at: [(u32, u32); FACTS.len()],
}

impl Default for Places {
    fn default() -> Places {
        Places { there: 0, at: [(0, 0); FACTS.len()] }
    }
}

/// What was found in one message, without its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub(super) places: Places,
    /// What `params` was.
    pub shape: ParamsShape,
    /// True if `params.task` is there.
    pub task_wanted: bool,
    /// True if `result.task` is there: the answer created a task.
    pub task_created: bool,
    /// True if `params.tools` is there.
    pub offers_tools: bool,
    /// True if a member stands there that only LSP's `initialize` has.
    pub lsp_initialize: bool,
    /// True if `params.clientCapabilities` is there, as in ACP's `initialize`.
    pub acp_initialize: bool,
    /// True if `result` is a list with members, or has one as `items` or `data` (LSP).
    pub result_filled: bool,
    /// True if `result` has members besides `resultType` and `_meta`.
    pub result_more: bool,
    /// What kinds of things stand in `params.prompt` and `params.mcpServers` (ACP).
    pub kinds: Kinds,
    /// True if `params.previousResultId` is there (LSP).
    pub previous_result: bool,
    /// True if `result.kind` says that nothing has changed (LSP).
    pub unchanged: bool,
    /// True if `params` continues a request that asked for input: `inputResponses` or `requestState`.
    pub retries: bool,
    /// True if `result` has members.
    pub result_members: bool,
    /// A hash of the members of `params` but `_meta`, whatever their order.
    pub params_hash: u64,
    /// Lists of the result that have members.
    pub listed: Listed,
    /// True if a member stands there that is worth a second look.
    pub suspect: bool,
    /// True if the message is a brief: what is not in it was looked at before.
    pub is_brief: bool,
    /// True if a word of a filter stands where one of the above, or a part that may hold them, was.
    pub taken_out: bool,
}

/// Facts of one message. Sparse: most messages carry nothing but the envelope.
#[derive(Clone, Default)]
pub struct Facts<'a> {
    /// The message.
    text: &'a str,
    found: Held<'a>,
}

/// A reader makes what it finds; who hands on many messages lends it.
#[derive(Clone)]
enum Held<'a> {
    Own(Box<Found>),
    Lent(&'a Found),
}

impl Default for Held<'_> {
    fn default() -> Self {
        Held::Own(Box::default())
    }
}

impl Deref for Facts<'_> {
    type Target = Found;

    #[inline]
    fn deref(&self) -> &Found {
        match &self.found {
            Held::Own(found) => found,
            Held::Lent(found) => found,
        }
    }
}

impl DerefMut for Facts<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Found {
        match self.found {
            Held::Own(ref mut found) => found,
            Held::Lent(found) => {
                self.found = Held::Own(Box::new(*found));
                self.deref_mut()
            }
        }
    }
}

impl fmt::Debug for Facts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Facts").field(&self.text).field(&**self).finish()
    }
}

impl Found {
    /// True if all is the same but the members that are kept as they stand.
    pub(super) fn says_the_same(&self, other: &Found) -> bool {
        Found { places: other.places, ..*self } == *other
    }
}

impl<'a> Facts<'a> {
    /// What was found in a message that stands in `text`.
    pub(crate) fn lent(text: &'a str, found: &'a Found) -> Facts<'a> {
        Facts { text, found: Held::Lent(found) }
    }

    /// The text at whose beginning the message stands, of which all that is noted is a part.
    pub(super) fn stand_in(&mut self, text: &'a str) {
        self.text = text;
    }

    /// The byte at which the message ends.
    pub(super) fn end_at(&mut self, end: usize) {
        self.text = self.text.get(..end).unwrap_or(self.text);
    }

    /// The text of the message.
    pub(crate) fn message(&self) -> &'a str {
        self.text
    }

    /// A member as it stands in the message.
    #[inline]
    pub(super) fn raw(&self, fact: Fact) -> Raw<'a> {
        let places = &self.places;
        if places.there >> fact as u8 & 1 == 0 {
            return None;
        }
        let (start, end) = places.at[fact as usize];
        self.text.get(start as usize..end as usize)
    }

    /// Notes a member, which is a part of the message.
    pub(super) fn put(&mut self, fact: Fact, raw: &'a str) {
        let start = raw.as_ptr().addr() - self.text.as_ptr().addr();
        let place = u32::try_from(start).ok().zip(u32::try_from(start + raw.len()).ok());
        let found = &mut **self;
        match place {
            Some(place) => {
                found.places.there |= 1 << fact as u8;
                found.places.at[fact as usize] = place;
            }
            // Too far behind to be noted: it is not known what stands there.
            None => found.taken_out = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jsonrpc::{Parsed, parse_at};

    #[test]
    fn what_is_lent_is_what_was_found() {
        let text = r#" {"method":"m","params":{"name":"ä","uri":1}} {"name":2}"#;
        let Ok((Parsed::One(_, found), _)) = parse_at::<Facts<'_>>(text, 0) else { panic!("a message") };
        assert_eq!(found.message(), r#"{"method":"m","params":{"name":"ä","uri":1}}"#);
        let elsewhere = found.message().to_string();
        let lent = Facts::lent(&elsewhere, &found);
        assert_eq!((lent.name(), lent.uri(), lent.mode()), (Some("\"ä\""), Some("1"), None));
        let mut own = lent.clone();
        own.suspect = true;
        assert!(own.suspect && !lent.suspect && own.name() == lent.name());
    }
}
