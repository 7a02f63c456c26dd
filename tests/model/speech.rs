//! What the two sides of each profile say, as text.

use rpctape::protocol::{Profile, Side};

use super::rng::Rng;

/// What the model must know of a protocol to speak it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tongue {
    /// MCP with a handshake.
    Mcp,
    /// MCP 2026-07-28.
    McpNext,
    Acp,
    Lsp,
    Plain,
}

/// A request that one side may make.
#[derive(Clone, Debug)]
pub struct Ask {
    pub method: &'static str,
    /// Members of `params`.
    pub params: String,
    /// The result that it gets.
    pub result: String,
    /// Whether it may carry a progress token.
    pub progress: bool,
    /// Whether it may fail.
    pub fails: bool,
}

impl Ask {
    pub fn new(method: &'static str, params: &str, result: &str) -> Ask {
        Ask { method, params: params.into(), result: result.into(), progress: false, fails: true }
    }
    pub fn sure(self) -> Ask {
        Ask { fails: false, ..self }
    }
    fn progress(self) -> Ask {
        Ask { progress: true, ..self }
    }
}

/// One profile's speech.
#[derive(Clone, Copy)]
pub struct Speech {
    pub profile: &'static Profile,
    pub tongue: Tongue,
}

pub const META: &str =
    r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}"#;

impl Speech {
    pub fn new(profile: &'static Profile) -> Speech {
        let tongue = match (profile.name, profile.revision) {
            ("mcp", "2026-07-28") => Tongue::McpNext,
            ("mcp", _) => Tongue::Mcp,
            ("acp", _) => Tongue::Acp,
            ("lsp", _) => Tongue::Lsp,
            _ => Tongue::Plain,
        };
        Speech { profile, tongue }
    }

    /// True if both sides of this revision may send arrays; the oldest MCP does not say, and so does not forbid it.
    pub fn has_batches(&self) -> bool {
        let speech = (self.profile.name, self.profile.revision);
        matches!(speech, ("mcp", "2024-11-05" | "2025-03-26") | ("acp", "2") | ("jsonrpc", _))
    }

    /// True if an id may be used again once it was answered.
    pub fn reuses_ids(&self) -> bool {
        self.tongue != Tongue::Mcp
    }

    pub fn may_ask(&self, side: Side) -> bool {
        // An ACP agent asks within turns only; a 2026 server never does.
        side == Side::Client || !matches!(self.tongue, Tongue::McpNext | Tongue::Acp)
    }

    pub fn request(&self, id: &str, ask: &Ask, token: Option<&str>) -> String {
        let mut members = Vec::new();
        if !ask.params.is_empty() {
            members.push(ask.params.clone());
        }
        let meta = match (self.tongue, token) {
            (Tongue::McpNext, Some(token)) => Some(format!(r#"{META},"progressToken":{token}"#)),
            (Tongue::McpNext, None) => Some(META.to_string()),
            (Tongue::Mcp, Some(token)) => Some(format!(r#""progressToken":{token}"#)),
            _ => None,
        };
        members.extend(meta.map(|meta| format!(r#""_meta":{{{meta}}}"#)));
        if let (Tongue::Lsp, Some(token)) = (self.tongue, token) {
            members.push(format!(r#""workDoneToken":{token}"#));
        }
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{}","params":{{{}}}}}"#, ask.method, members.join(","))
    }

    pub fn cancel(&self, id: &str) -> Option<String> {
        let (method, member) = self.profile.cancel?;
        Some(notification(method, &format!(r#""{member}":{id}"#)))
    }

    pub fn progress(&self, token: &str, value: f64, kind: &str) -> String {
        match self.tongue {
            Tongue::Lsp => {
                let percentage = value * 2.0;
                let value = format!(r#"{{"kind":"{kind}","title":"t","percentage":{percentage}}}"#);
                notification("$/progress", &format!(r#""token":{token},"value":{value}"#))
            }
            _ => notification("notifications/progress", &format!(r#""progressToken":{token},"progress":{value}"#)),
        }
    }

    /// Something that one side may say at any time.
    pub fn chatter(&self, side: Side) -> Option<String> {
        match (self.tongue, side) {
            (Tongue::Mcp, Side::Client) => Some(notification("notifications/roots/list_changed", "")),
            (Tongue::Mcp, Side::Server) => Some(notification("notifications/message", r#""level":"info","data":"x""#)),
            (Tongue::Lsp, Side::Client) => {
                Some(notification("textDocument/didChange", r#""textDocument":{"uri":"a"}"#))
            }
            (Tongue::Lsp, Side::Server) => Some(notification("window/logMessage", r#""type":3,"message":"x""#)),
            (Tongue::Plain, _) => Some(notification("note", r#""n":1"#)),
            _ => None,
        }
    }

    /// A request of one side, one of its kind.
    pub fn ask(&self, rng: &mut Rng, side: Side, number: usize) -> Ask {
        let list = match (self.tongue, side) {
            (Tongue::Mcp, Side::Client) => mcp_client(number),
            (Tongue::Mcp, Side::Server) => mcp_server(number),
            (Tongue::McpNext, _) => mcp_next(number),
            (Tongue::Acp, Side::Client) => vec![
                Ask::new("session/list", "", r#"{"sessions":[]}"#),
                Ask::new("session/set_mode", &format!(r#""sessionId":"none","modeId":"m{number}""#), "{}"),
            ],
            (Tongue::Acp, Side::Server) => acp_agent("none", number),
            (Tongue::Lsp, Side::Client) => lsp_client(number),
            (Tongue::Lsp, Side::Server) => lsp_server(number),
            (Tongue::Plain, _) => vec![Ask::new("add", &format!(r#""a":{number}"#), "3"), Ask::new("void", "", "null")],
        };
        rng.pick(&list).clone()
    }
}

pub fn notification(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{{params}}}}}"#)
}

pub fn result(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

pub fn error(id: &str, code: i64) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"no"}}}}"#)
}

fn mcp_client(number: usize) -> Vec<Ask> {
    vec![
        Ask::new("ping", "", "{}").sure(),
        Ask::new("tools/list", "", r#"{"tools":[]}"#).progress(),
        Ask::new("tools/call", &format!(r#""name":"echo","arguments":{{"n":{number}}}"#), r#"{"content":[]}"#)
            .progress(),
        Ask::new("resources/read", &format!(r#""uri":"file:///{number}""#), r#"{"contents":[]}"#).progress(),
    ]
}

fn mcp_server(number: usize) -> Vec<Ask> {
    vec![
        Ask::new("ping", "", "{}").sure(),
        Ask::new("roots/list", "", r#"{"roots":[]}"#),
        Ask::new(
            "sampling/createMessage",
            &format!(r#""messages":[],"maxTokens":{number}"#),
            r#"{"role":"assistant"}"#,
        )
        .progress(),
        Ask::new("elicitation/create", &format!(r#""message":"{number}""#), r#"{"action":"accept"}"#),
    ]
}

fn mcp_next(number: usize) -> Vec<Ask> {
    let complete = r#"{"resultType":"complete"}"#;
    vec![
        Ask::new("server/discover", "", complete),
        Ask::new("tools/list", "", complete).progress(),
        Ask::new("tools/call", &format!(r#""name":"echo","arguments":{{"n":{number}}}"#), complete).progress(),
        Ask::new("resources/read", &format!(r#""uri":"file:///{number}""#), complete).progress(),
    ]
}

fn lsp_client(number: usize) -> Vec<Ask> {
    let at = format!(r#""textDocument":{{"uri":"a"}},"position":{{"line":{number},"character":0}}"#);
    vec![
        Ask::new("textDocument/hover", &at, "null"),
        Ask::new("textDocument/references", &at, "[]").progress(),
        Ask::new("textDocument/completion", &at, r#"{"isIncomplete":true,"items":[]}"#).progress(),
        Ask::new("workspace/symbol", &format!(r#""query":"{number}""#), "[]").progress(),
    ]
}

fn lsp_server(number: usize) -> Vec<Ask> {
    vec![
        Ask::new("workspace/configuration", r#""items":[]"#, "[]"),
        Ask::new("window/showMessageRequest", &format!(r#""type":1,"message":"{number}""#), "null"),
        Ask::new("workspace/applyEdit", r#""edit":{}"#, r#"{"applied":true}"#),
    ]
}

/// What an agent asks within a turn.
pub fn acp_agent(session: &str, number: usize) -> Vec<Ask> {
    let of = format!(r#""sessionId":"{session}""#);
    vec![
        Ask::new("fs/read_text_file", &format!(r#"{of},"path":"/{number}""#), r#"{"content":""}"#),
        Ask::new("fs/write_text_file", &format!(r#"{of},"path":"/{number}","content":"""#), "{}"),
        Ask::new("terminal/create", &format!(r#"{of},"command":"c{number}""#), r#"{"terminalId":"t"}"#),
    ]
}
