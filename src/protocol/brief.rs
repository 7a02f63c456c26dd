//! The brief of a message: what the fold and the rules read of it, as JSON that reads back as the same envelope and the same
//! facts. It stands for the message where bodies must not travel, and is a message itself: nothing needs a second way to read it.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

use super::codes::{INITIALIZED, says_initialized};
use super::facts::{
    META_CAPABILITIES, META_CLIENT, META_LOG_LEVEL, META_RELATED_TASK, META_REVISION, META_SERVER, META_SUBSCRIPTION,
    REST,
};
use super::flaws;
use super::found::{FACTS, Fact, Facts, Found, ParamsShape, Raw};
use super::versions::{SOME_DAY, names_versions};
use crate::base64;
use crate::json::each_member;
use crate::jsonrpc::{Defect, IdField, Kind, Message, Parsed, parse};

/// The brief of a message, or its whole text where that says what no brief does (an envelope that is broken in more than one way).
pub fn brief<'t>(text: &'t str, message: &Message<'_>, facts: &Facts<'_>) -> Cow<'t, str> {
    // What a second look objects to is shown whole.
    if flaws::any(message, facts) {
        return Cow::Borrowed(text);
    }
    // Most briefs are shorter.
    let mut out = Brief { text: String::with_capacity(256), first: false };
    out.message(message, facts);
    // A reader may have put right what a logger did to the text: then the text is not what was read.
    match says(&out.text, message, facts) || !says(text, message, facts) {
        true => Cow::Owned(out.text),
        false => Cow::Borrowed(text),
    }
}

/// True if a text reads as this message.
fn says(text: &str, message: &Message<'_>, facts: &Facts<'_>) -> bool {
    let read = parse::<Facts<'_>>(text);
    matches!(read, Ok(Parsed::One(short, lifted)) if is_same(message, facts, &short, &lifted))
}

/// The brief of a batch: an array of the briefs of its members. What is no message stands as it is.
pub fn brief_batch<'a, E: 'a>(
    text: &str,
    members: impl Iterator<Item = (&'a Range<usize>, &'a Result<(Message<'a>, Facts<'a>), E>)>,
) -> String {
    let mut out = String::from("[");
    for (at, (range, member)) in members.enumerate() {
        let text = text.get(range.clone()).unwrap_or("0");
        if at > 0 {
            out.push(',');
        }
        match member {
            Ok((message, facts)) => out.push_str(&brief(text, message, facts)),
            Err(_) => out.push_str(text),
        }
    }
    out.push(']');
    out
}

/// True if two messages are one to the fold and to every rule: an error's text counts by what it says of cancelling and of the
/// handshake, and the hash of the parameters of a request by its being there, since two briefs have the same where their messages have.
fn is_same(long: &Message<'_>, facts: &Facts<'_>, short: &Message<'_>, lifted: &Facts<'_>) -> bool {
    let code = |message: &Message<'_>| {
        let error = message.error.as_ref();
        error.map(|error| (error.code, error.message.is_some(), says_initialized(error)))
    };
    let spelled = long.id_text.is_none() || long.id == IdField::Absent || long.id_text == short.id_text;
    let envelope = long.kind == short.kind && long.id == short.id && spelled && long.method == short.method;
    let error = code(long) == code(short) && long.says_cancelled() == short.says_cancelled();
    let hashed = long.kind != Kind::Request || (facts.params_hash == 0) == (lifted.params_hash == 0);
    let found = Found { params_hash: facts.params_hash, suspect: facts.suspect, is_brief: facts.is_brief, ..**lifted };
    let members = FACTS.iter().all(|fact| is_same_member(*fact, facts, lifted));
    envelope && error && long.defects == short.defects && hashed && members && facts.says_the_same(&found)
}

/// Fails to compile where a fact was added: it has to be written below, or bodies travel whole for its sake.
fn is_same_member(fact: Fact, facts: &Facts<'_>, lifted: &Facts<'_>) -> bool {
    let (long, short) = (facts.raw(fact), lifted.raw(fact));
    match fact {
        Fact::Body | Fact::OddMeta => true,
        Fact::InputResponses => long.is_some() == short.is_some(),
        Fact::RequestId
        | Fact::ParamId
        | Fact::Reason
        | Fact::ProgressToken
        | Fact::Token
        | Fact::Progress
        | Fact::ValueKind
        | Fact::WorkDoneToken
        | Fact::PartialResultToken
        | Fact::SessionId
        | Fact::Update
        | Fact::ToolCall
        | Fact::UpdateStatus
        | Fact::Controls
        | Fact::ExitStatus
        | Fact::UpdateState
        | Fact::TaskId
        | Fact::TaskStatus
        | Fact::Tasks
        | Fact::Name
        | Fact::Uri
        | Fact::Mode
        | Fact::Revision
        | Fact::MetaRevision
        | Fact::MetaCapabilities
        | Fact::MetaClient
        | Fact::MetaServer
        | Fact::Subscription
        | Fact::RelatedTask
        | Fact::Capabilities
        | Fact::Peer
        | Fact::Notifications
        | Fact::ResultType
        | Fact::InputRequests
        | Fact::Cursor
        | Fact::NextCursor
        | Fact::Document
        | Fact::DocumentVersion
        | Fact::StopReason
        | Fact::Outcome
        | Fact::LogLevel
        | Fact::RequestState
        | Fact::Choice
        | Fact::ConfigValue
        | Fact::Offered
        | Fact::ConfigOptions
        | Fact::CacheScope
        | Fact::Terminal
        | Fact::Relative
        | Fact::Roots
        | Fact::IncludeContext => long == short,
    }
}

/// An object with the keys of another, and nothing in them.
fn keys_only(raw: &str) -> String {
    let mut keys = serde_json::Map::new();
    each_member(raw, |key, _| drop(keys.insert(key.to_string(), 0.into())));
    serde_json::Value::Object(keys).to_string()
}

/// Fails to compile where a mark was added, like the facts above.
fn every_mark_has_its_place(found: &Found) {
    let Found {
        places: _,
        shape: _,
        task_wanted: _,
        task_created: _,
        offers_tools: _,
        lsp_initialize: _,
        acp_initialize: _,
        result_filled: _,
        result_more: _,
        retries: _,
        result_members: _,
        params_hash: _,
        listed: _,
        suspect: _,
        is_brief: _,
        taken_out: _,
        kinds: _,
        previous_result: _,
        unchanged: _,
    } = found;
}

/// A JSON object under construction.
struct Brief {
    text: String,
    /// True where the next member needs no comma before it.
    first: bool,
}

impl Brief {
    fn open(&mut self) {
        self.text.push('{');
        self.first = true;
    }

    fn close(&mut self) {
        self.text.push('}');
        self.first = false;
    }

    fn key(&mut self, key: &str) {
        let comma = if std::mem::take(&mut self.first) { "" } else { "," };
        // Writing to a String cannot fail.
        let _ = write!(self.text, "{comma}\"{key}\":");
    }

    fn member(&mut self, key: &str, raw: Raw<'_>) {
        if let Some(raw) = raw {
            self.key(key);
            self.text.push_str(raw);
        }
    }

    fn mark(&mut self, key: &str, there: bool) {
        self.member(key, there.then_some("0"));
    }

    /// An object, where it would have members.
    fn object<const N: usize>(&mut self, key: &str, members: [(&str, Raw<'_>); N]) {
        if members.iter().all(|(_, raw)| raw.is_none()) {
            return;
        }
        self.key(key);
        self.open();
        members.into_iter().for_each(|(key, raw)| self.member(key, raw));
        self.close();
    }

    fn message(&mut self, message: &Message<'_>, facts: &Facts<'_>) {
        every_mark_has_its_place(facts);
        let has = |defect| message.defects.has(defect);
        self.open();
        match (has(Defect::JsonrpcMember), has(Defect::VersionOne)) {
            (false, _) => self.member("jsonrpc", Some("\"2.0\"")),
            (true, true) => self.member("jsonrpc", Some("\"1.0\"")),
            (true, false) => {}
        }
        if has(Defect::DuplicateMember) {
            self.member("jsonrpc", (!has(Defect::JsonrpcMember)).then_some("\"2.0\""));
        }
        self.id(message);
        if let Some(method) = &message.method {
            self.member("method", Some(&serde_json::Value::from(&**method).to_string()));
        } else if has(Defect::MethodType) {
            self.mark("method", true);
        }
        self.params(message, facts);
        let answers = message.kind.is_response();
        let has_result = message.kind == Kind::Result || has(Defect::ResultAndError);
        if answers && has_result {
            self.result(facts);
        }
        if answers && !has(Defect::NeitherResultNorError) {
            self.error(message);
        }
        self.close();
    }

    fn id(&mut self, message: &Message<'_>) {
        match (&message.id, message.id_text) {
            (IdField::Absent, _) => {}
            (_, Some(raw)) => self.member("id", Some(raw)),
            (IdField::Value(id), None) => self.member("id", Some(&id.to_json())),
            (IdField::Null, None) => self.member("id", Some("null")),
            (IdField::Bad, None) => self.member("id", Some("[]")),
        }
    }

    fn error(&mut self, message: &Message<'_>) {
        let Some(error) = &message.error else {
            let null = message.defects.has(Defect::NullErrorBesideResult);
            let there = null || message.kind == Kind::Error;
            return self.member("error", there.then_some(if null { "null" } else { "0" }));
        };
        let code = error.code.map(|code| code.to_string());
        let said = |says: bool, words: &'static str| if says { words } else { "" };
        let words = format!(
            "\"{}{}{}\"",
            said(message.says_cancelled(), "cancelled"),
            said(says_initialized(error), INITIALIZED),
            said(names_versions(error), SOME_DAY)
        );
        self.key("error");
        self.open();
        self.member("code", code.as_deref());
        self.member("message", error.message.as_ref().map(|_| &*words));
        // What these must say is looked at, and it is short.
        self.member("data", error.data.filter(|_| matches!(error.code, Some(-32022 | -32021))));
        self.close();
    }

    fn params(&mut self, message: &Message<'_>, facts: &Facts<'_>) {
        let scalar = if message.defects.has(Defect::NullParams) {
            "null"
        } else if message.defects.has(Defect::Params) {
            "0"
        } else {
            "[]"
        };
        match facts.shape {
            ParamsShape::None => return,
            ParamsShape::Other => return self.member("params", Some(scalar)),
            ParamsShape::Object => self.key("params"),
        }
        self.open();
        let hash = (facts.params_hash != 0 && message.kind == Kind::Request)
            .then(|| format!("\"{}\"", base64::encode(&facts.params_hash.to_le_bytes()).trim_end_matches('=')));
        self.member(REST, hash.as_deref().or(facts.suspect.then_some("0")));
        for (key, raw) in [
            ("requestId", facts.request_id()),
            ("id", facts.param_id()),
            ("reason", facts.reason()),
            ("progressToken", facts.token()),
            ("progress", facts.progress()),
            ("workDoneToken", facts.work_done_token()),
            ("partialResultToken", facts.partial_result_token()),
            ("sessionId", facts.session_id()),
            ("taskId", facts.task_id()),
            ("status", facts.task_status()),
            ("name", facts.name()),
            ("protocolVersion", facts.revision()),
            (if facts.acp_initialize { "clientCapabilities" } else { "capabilities" }, facts.capabilities()),
            ("clientInfo", facts.peer()),
            ("notifications", facts.notifications()),
            ("cursor", facts.cursor()),
            ("modeId", facts.choice()),
            ("value", facts.config_value()),
            ("options", facts.offered()),
            ("path", facts.relative()),
            ("additionalDirectories", facts.roots()),
            ("terminalId", facts.terminal()),
            ("uri", facts.uri()),
            ("mode", facts.mode()),
        ] {
            self.member(key, raw);
        }
        self.mark("task", facts.task_wanted);
        self.mark("processId", facts.lsp_initialize);
        self.member("requestState", facts.request_state());
        self.member("inputResponses", facts.input_responses().map(keys_only).as_deref());
        self.member("includeContext", facts.include_context());
        self.mark("tools", facts.offers_tools);
        self.mark("previousResultId", facts.previous_result);
        let [prompt, servers] = facts.kinds.as_members();
        self.member("prompt", prompt.as_deref());
        self.member("mcpServers", servers.as_deref());
        self.object("textDocument", [("uri", facts.document()), ("version", facts.document_version())]);
        self.object("value", [("kind", facts.value_kind())]);
        self.object(
            "update",
            [
                ("sessionUpdate", facts.update()),
                ("toolCallId", facts.tool_call()),
                ("status", facts.update_status()),
                ("capabilities", facts.controls()),
                ("exitStatus", facts.exit_status()),
                ("state", facts.update_state()),
                ("stopReason", facts.stop_reason()),
                ("configOptions", facts.config_options()),
            ],
        );
        self.meta(facts);
        // An object that holds nothing of what is read holds something all the same.
        if self.first {
            self.mark("_meta", true);
        }
        self.close();
    }

    fn meta(&mut self, facts: &Facts<'_>) {
        let related = facts.related_task().map(|task| format!("{{\"taskId\":{task}}}"));
        self.object(
            "_meta",
            [
                ("progressToken", facts.progress_token()),
                (META_REVISION, facts.meta_revision()),
                (META_CAPABILITIES, facts.meta_capabilities()),
                (META_SUBSCRIPTION, facts.subscription()),
                (META_LOG_LEVEL, facts.log_level()),
                (META_CLIENT, facts.meta_client()),
                (META_SERVER, facts.meta_server()),
                (META_RELATED_TASK, related.as_deref()),
            ],
        );
    }

    fn result(&mut self, facts: &Facts<'_>) {
        if facts.result_filled && !facts.result_members {
            return self.member("result", Some("[0]"));
        }
        self.key("result");
        self.open();
        let alone = self.text.len();
        self.member("sessionId", facts.session_id());
        self.member("protocolVersion", facts.revision());
        self.member("capabilities", facts.capabilities());
        self.member("serverInfo", facts.peer());
        self.member("stopReason", facts.stop_reason());
        self.member("inputRequests", facts.input_requests());
        self.member("nextCursor", facts.next_cursor());
        self.member("items", facts.result_filled.then_some("[0]"));
        self.member("cacheScope", facts.cache_scope());
        self.member("terminalId", facts.terminal());
        self.member("modes", facts.offered());
        self.member("configOptions", facts.config_options());
        self.member("kind", facts.unchanged.then_some("\"unchanged\""));
        self.object("outcome", [("outcome", facts.outcome()), ("optionId", facts.choice())]);
        let task = [("taskId", facts.task_id()), ("status", facts.task_status())];
        // What is a task itself has its members beside its type, which is kept.
        match facts.task_created && !Facts::is(facts.result_type(), "task") {
            true if task.iter().all(|(_, raw)| raw.is_none()) => self.mark("task", true),
            true => self.object("task", task),
            false => task.into_iter().for_each(|(key, raw)| self.member(key, raw)),
        }
        self.member("tasks", facts.tasks());
        self.member("requestState", facts.request_state());
        facts.listed.names().for_each(|list| self.member(list, Some("[0]")));
        let rest = facts.result_more && self.text.len() == alone;
        self.mark(REST, rest || facts.suspect || facts.is_brief);
        self.member("resultType", facts.result_type());
        self.meta(facts);
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The brief of a text, and what is left out of it.
    fn of(text: &str) -> String {
        match parse::<Facts<'_>>(text) {
            Ok(Parsed::One(message, facts)) => brief(text, &message, &facts).into_owned(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn bodies_are_left_out_and_what_rules_read_is_kept() {
        for (text, short) in [
            (
                r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"secret"}]}}"#,
                r#"{"jsonrpc":"2.0","id":7,"result":{"~":0}}"#,
            ),
            (r#"{"jsonrpc":"2.0","id":"a\u0041","result":null}"#, r#"{"jsonrpc":"2.0","id":"a\u0041","result":{}}"#),
            (
                r#"{"error":{"message":"Request CANCELED by x","code":-32800,"data":[1]},"id":1.0,"jsonrpc":"2.0"}"#,
                r#"{"jsonrpc":"2.0","id":1.0,"error":{"code":-32800,"message":"cancelled"}}"#,
            ),
            (
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"7","reason":"bored"}}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"7","reason":"bored"}}"#,
            ),
            (
                r#"{"jsonrpc":"2.0","method":"$/progress","params":{"token":1,"value":{"kind":"end","message":"done"}}}"#,
                r#"{"jsonrpc":"2.0","method":"$/progress","params":{"progressToken":1,"value":{"kind":"end"}}}"#,
            ),
            (
                r#"{"jsonrpc":"2.0","method":"x","params":{"a":1}}"#,
                r#"{"jsonrpc":"2.0","method":"x","params":{"_meta":0}}"#,
            ),
        ] {
            assert_eq!(of(text), short);
        }
    }

    #[test]
    fn a_brief_is_its_own_brief_but_for_the_hash_and_equal_parameters_stay_equal() {
        let call = |params: &str| of(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#));
        let (a, b) = (call(r#"{"name":"x","arguments":{"n":1}}"#), call(r#"{"arguments":{"n":1},"name":"x"}"#));
        assert_eq!(a, b);
        assert_ne!(a, call(r#"{"name":"x","arguments":{"n":2}}"#));
        assert!(!a.contains("arguments"), "{a}");
    }

    #[test]
    fn whatever_is_wrong_with_an_envelope_is_wrong_with_its_brief() {
        for text in [
            r#"{"id":1,"method":"a"}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"a","params":[1]}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":1,"error":null}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":""}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":"no"}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":null}"#,
            r#"{"jsonrpc":"2.0","method":"a","params":7}"#,
            r#"{"jsonrpc":"2.0","method":"a","params":null}"#,
            r#"{"jsonrpc":"2.0","id":[1],"method":7}"#,
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}"#,
            r#"{"id":null,"id":2,"result":[]}"#,
            r#"{"a":1}"#,
            r#"{}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"a","result":{"taskId":3},"params":{"status":1}}"#,
            r#"{"jsonrpc":"2.0","method":"\ud800x"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"t","status":"working"},"_meta":{"progressToken":3}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":[1]}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"isIncomplete":true,"items":[{"label":"a"}]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[],"nextCursor":"c","inputRequests":{"a":{"method":"roots/list"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"u","version":2},"x":1}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"cursor":"c","notifications":{"toolsListChanged":true}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"uri":"u","mode":"url","tools":[1]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"cancelled"},"task":1}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"The server was already initialised"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"c"}}}}"#,
        ] {
            let short = of(text);
            let (Ok(Parsed::One(a, f)), Ok(Parsed::One(b, g))) = (parse::<Facts<'_>>(text), parse::<Facts<'_>>(&short))
            else {
                panic!("{text}")
            };
            assert!(is_same(&a, &f, &b, &g), "{text}\n{short}");
        }
    }
}
