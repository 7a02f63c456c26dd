//! What a client says to see what a server does with a cancel: how each protocol opens a connection, asks and cancels. Data only.

use super::{Clause, Family, Profile, Side};

/// The client as it names itself to the servers it asks.
const CLIENT: &str = r#"{"name":"rpctape","version":"1"}"#;

/// What is tried, in this order, with a server of which nobody says what it speaks: the newest revision of each kind.
pub fn tried_in_turn() -> impl Iterator<Item = &'static Profile> {
    [("mcp", "2025-11-25"), ("mcp", "2026-07-28"), ("acp", "1")]
        .into_iter()
        .filter_map(|(name, revision)| super::by_name(name, Some(revision)))
}

/// The session that a probe speaks of; the server's own takes its place.
const PROBED: &str = "probed";

/// Messages in their order, each with its sender.
pub type Spoken = Vec<(Side, String)>;

/// The version that the answer to a handshake states.
fn stated(answer: &str) -> Option<serde_json::Value> {
    #[derive(serde::Deserialize)]
    struct Answer {
        result: Option<Settled>,
    }
    #[derive(serde::Deserialize)]
    struct Settled {
        #[serde(rename = "protocolVersion")]
        revision: Option<serde_json::Value>,
    }
    serde_json::from_str::<Answer>(answer).ok()?.result?.revision
}

impl Profile {
    /// The methods of the requests and notifications that probes are made of, beside what is asked for: none of them does anything.
    pub fn probing_methods(&self) -> Vec<String> {
        let witness = serde_json::from_str::<serde_json::Value>(&format!("{{{}}}", self.witness())).unwrap_or_default();
        let witness = witness["method"].as_str().map(str::to_string);
        let tasks = self.task_methods().iter().map(|method| method.to_string());
        witness.into_iter().chain([self.probing_cancel().0.to_string()]).chain(tasks).collect()
    }

    /// Where the answer to the opening names the server (`name`, `version`), in the order in which it is looked for.
    pub fn server_info(&self) -> &'static [&'static str] {
        match self.family {
            Family::Acp => &["/result/agentInfo"],
            _ if self.revision_per_request => {
                &["/result/_meta/io.modelcontextprotocol~1serverInfo", "/result/serverInfo"]
            }
            _ => &["/result/serverInfo"],
        }
    }

    /// The revision that an answer to the opening settles on; this one where it names none that is known.
    pub fn settled_on(&'static self, answer: &str) -> &'static Profile {
        let said = stated(answer);
        let text = said.map(|said| said.as_str().map_or_else(|| said.to_string(), str::to_string));
        text.and_then(|revision| super::by_name(self.name, Some(&revision))).unwrap_or(self)
    }

    /// False for the answer to a handshake that states its version as another protocol does: a number in ACP, text in MCP.
    pub fn is_own_welcome(&self, answer: &str) -> bool {
        let is_number = stated(answer).map(|said| said.is_number());
        !matches!((self.family, is_number), (Family::Mcp, Some(true)) | (Family::Acp, Some(false)))
    }

    /// The messages that open a connection, and what a server answers to them, in order; the id of the request is `id`.
    /// Empty where a protocol has no opening.
    pub fn hello(&self, id: &str) -> Vec<(Side, String)> {
        let revision = self.revision;
        let (params, result) = match self.family {
            Family::Mcp if !self.revision_per_request => (
                format!(r#"{{"protocolVersion":"{revision}","capabilities":{{}},"clientInfo":{CLIENT}}}"#),
                format!(
                    r#"{{"protocolVersion":"{revision}","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"","version":""}}}}"#
                ),
            ),
            Family::Acp => {
                let number = revision.parse::<u32>().unwrap_or(1);
                (
                    format!(r#"{{"protocolVersion":{number},"clientCapabilities":{{}},"clientInfo":{CLIENT}}}"#),
                    format!(r#"{{"protocolVersion":{number},"agentCapabilities":{{}}}}"#),
                )
            }
            Family::Lsp => (
                r#"{"processId":null,"rootUri":null,"capabilities":{}}"#.to_string(),
                r#"{"capabilities":{}}"#.to_string(),
            ),
            Family::Mcp | Family::Dap | Family::Jsonrpc => return Vec::new(),
        };
        let Some(initialize) = self.opening.initialize else { return Vec::new() };
        let mut said = vec![
            (Side::Client, self.request(id, initialize, &params, None)),
            (Side::Server, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)),
        ];
        if let Some(initialized) = self.opening.initialized {
            let params = if self.family == Family::Lsp { r#","params":{}"# } else { "" };
            said.push((Side::Client, format!(r#"{{"jsonrpc":"2.0","method":"{initialized}"{params}}}"#)));
        }
        said
    }

    /// A request of the client: `params` is a JSON object. With a `token`, a JSON string, it wants to be told of its progress.
    pub fn request(&self, id: &str, method: &str, params: &str, token: Option<&str>) -> String {
        let mut members = Vec::new();
        let mut meta = Vec::new();
        if self.revision_per_request {
            let (revision, prefix) = (self.revision, "io.modelcontextprotocol");
            meta.push(format!(r#""{prefix}/protocolVersion":"{revision}""#));
            meta.push(format!(r#""{prefix}/clientInfo":{CLIENT}"#));
            meta.push(format!(r#""{prefix}/clientCapabilities":{{}}"#));
        }
        match (self.family, token) {
            (Family::Mcp, Some(token)) => meta.push(format!(r#""progressToken":{token}"#)),
            (Family::Lsp, Some(token)) => members.push(format!(r#""workDoneToken":{token}"#)),
            _ => {}
        }
        if !meta.is_empty() {
            members.push(format!(r#""_meta":{{{}}}"#, meta.join(",")));
        }
        let own = params.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or("").trim();
        members.extend((!own.is_empty()).then(|| own.to_string()));
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method:?},"params":{{{}}}}}"#, members.join(","))
    }

    /// Method and id member of the cancel that a probe sends: the protocol's own, else LSP's, which many servers of plain JSON-RPC have and
    /// all others must not answer.
    pub fn probing_cancel(&self) -> (&'static str, &'static str) {
        self.cancel.unwrap_or(("$/cancelRequest", "id"))
    }

    /// The cancel of a request.
    pub fn cancel_of(&self, id: &str) -> String {
        self.cancel_with(Some(&format!(r#"{{"{}":{id}}}"#, self.probing_cancel().1)))
    }

    /// A cancel with these parameters, right or wrong.
    pub fn cancel_with(&self, params: Option<&str>) -> String {
        let params = params.map_or(String::new(), |params| format!(r#","params":{params}"#));
        format!(r#"{{"jsonrpc":"2.0","method":"{}"{params}}}"#, self.probing_cancel().0)
    }

    /// The cancel of request `id` as if it were a request itself, with the id `own`: a method that no server has.
    pub fn cancel_as_request(&self, own: &str, id: &str) -> String {
        let (method, member) = self.probing_cancel();
        self.request(own, method, &format!(r#"{{"{member}":{id}}}"#), None)
    }

    /// A report of progress under this token, a JSON string; `None` where the protocol has none.
    pub fn progress_of(&self, token: &str) -> Option<String> {
        let method = self.progress?;
        let params = match self.family {
            Family::Lsp => format!(r#"{{"token":{token},"value":{{"kind":"begin","title":""}}}}"#),
            _ => format!(r#"{{"progressToken":{token},"progress":0}}"#),
        };
        Some(format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#))
    }

    /// What a client sends to have a session that prompts can be sent to, and what is answered; the prompt itself, its method and
    /// parameters. `None` where the protocol has no turns.
    pub fn prompting(&self, id: &str, folder: &str, prompt: &str) -> Option<(Spoken, &'static str, String)> {
        if !self.turns {
            return None;
        }
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let new = self.request(id, "session/new", &format!(r#"{{"cwd":{},"mcpServers":[]}}"#, quoted(folder)), None);
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"sessionId":"{PROBED}"}}}}"#);
        let text = quoted(prompt);
        let params = format!(r#"{{"sessionId":"{PROBED}","prompt":[{{"type":"text","text":{text}}}]}}"#);
        Some((vec![(Side::Client, new), (Side::Server, answer)], "session/prompt", params))
    }

    /// The end of a turn by the client, where the protocol has turns.
    pub fn turn_cancel(&self) -> Option<String> {
        let params = format!(r#""params":{{"sessionId":"{PROBED}"}}"#);
        self.turns.then(|| format!(r#"{{"jsonrpc":"2.0","method":"session/cancel",{params}}}"#))
    }

    /// What a server answers to a prompt whose turn was cancelled.
    pub fn turn_cancelled(&self, id: &str) -> Option<String> {
        self.turns.then(|| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"stopReason":"cancelled"}}}}"#))
    }

    /// The opening of a document, and the parameters of a request about it. `None` where the protocol has no documents.
    pub fn document(&self, uri: &str, language: &str, text: &str) -> Option<(Spoken, String)> {
        if self.family != Family::Lsp {
            return None;
        }
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let (uri, language, text) = (quoted(uri), quoted(language), quoted(text));
        let opened = format!(
            r#"{{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{{"textDocument":{{"uri":{uri},"languageId":{language},"version":1,"text":{text}}}}}}}"#
        );
        Some((vec![(Side::Client, opened)], format!(r#"{{"textDocument":{{"uri":{uri}}}}}"#)))
    }

    /// What a server says to a cancelled request, where it has to say something.
    pub fn cancelled_answer(&self, id: &str) -> Option<String> {
        if !self.answers_cancelled() {
            return None;
        }
        let code = self.cancelled_code.unwrap_or(-32800);
        Some(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"cancelled"}}}}"#))
    }

    /// A request that a call of this tool is made with: its method and its parameters. `None` where the protocol has no tools.
    pub fn tool_call(&self, tool: &str, arguments: &str) -> Option<(&'static str, String)> {
        self.tools()?;
        let name = serde_json::Value::from(tool);
        Some(("tools/call", format!(r#"{{"name":{name},"arguments":{arguments}}}"#)))
    }

    /// What either side may ask the other at any time, and must answer; `None` where there is no such request.
    pub fn ping(&self) -> Option<&'static str> {
        (self.family == Family::Mcp && !self.revision_per_request).then_some("ping")
    }

    /// The sentence that bears this name (`races-handled`) among those that no rule judges: a live server can be held against them.
    pub fn sentence(&self, name: &str) -> Option<&'static Clause> {
        let named = |clause: &&'static Clause| clause.id.rsplit('/').next() == Some(name);
        self.remarks().map(|remark| remark.clause).find(named)
    }
}

#[cfg(test)]
mod tests {
    use crate::jsonrpc::{Kind, Parsed, parse};
    use crate::protocol::{Facts, by_name, profiles};

    #[test]
    fn what_is_said_is_what_the_protocol_has() {
        for profile in profiles() {
            let mut texts: Vec<String> = profile.hello("1").into_iter().map(|(_, text)| text).collect();
            texts.push(profile.request("2", "a/b", "{}", Some("\"t\"")));
            texts.push(profile.request("2", "a/b", r#"{"x":{"y":1}}"#, None));
            texts.extend([profile.cancel_of("2"), profile.cancel_with(None), profile.cancel_as_request("3", "2")]);
            texts.extend(profile.progress_of("\"t\"").into_iter().chain(profile.turn_cancel()));
            let prompting = profile.prompting("4", "/tmp", "say \"x\"");
            texts.extend(prompting.iter().flat_map(|(said, ..)| said).map(|(_, text)| text.clone()));
            texts.extend(prompting.map(|(_, method, params)| profile.request("5", method, &params, None)));
            texts.extend(profile.cancelled_answer("2"));
            for text in texts {
                assert!(matches!(parse::<Facts<'_>>(&text), Ok(Parsed::One(..))), "{}: {text}", profile.label());
            }
        }
    }

    #[test]
    fn a_request_states_its_revision_and_its_token_where_the_protocol_wants_them() {
        let mcp = by_name("mcp", Some("2026-07-28")).expect("a profile");
        let text = mcp.request("2", "tools/call", r#"{"name":"a"}"#, Some("\"t\""));
        let Ok(Parsed::One(message, facts)) = parse::<Facts<'_>>(&text) else { panic!("{text}") };
        assert_eq!((message.kind, Facts::text(facts.meta_revision()).as_deref()), (Kind::Request, Some("2026-07-28")));
        assert_eq!((facts.progress_token(), Facts::text(facts.name()).as_deref()), (Some("\"t\""), Some("a")));
    }
}
