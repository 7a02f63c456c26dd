//! The notation of `scenarios.md`, written out as a recording.
//!
//! ```text
//! H(2025-11-25)
//!  20 c> call(2,slow,{})
//! 320 c> cancel(2)
//! 332 s> text(3,"{\"x\":1}")
//! 340 s> {"method":"notifications/message","params":{}}
//! 350 exit 0
//! ```
//!
//! `H` (with the client's capabilities after a comma, if it has any), `call`, `text`, `cancel` and `prog` are the macros of that page; `jsonrpc` is put in where a body leaves it out. `c@3>` is a message
//! of stream 3, `open@3`, `close@3 c` its ends, `http@3 c {...}` a head, `sse@3 s {...}` an event that is no message, `exit 0` the end of the process, `gap c` a lost message of the client. A session ends when the client closes it,
//! 20 ms after the last event, unless the text says otherwise. A line that starts with neither a time nor `H` goes on with the one before.

use std::fmt::Write;

use serde_json::json;

/// A recording of one connection, as text.
#[derive(Clone, Debug)]
pub struct Session {
    text: String,
    header: serde_json::Value,
}

/// A session of MCP over stdio.
pub fn mcp(text: &str) -> Session {
    session("mcp", text)
}

/// A session over stdio.
pub fn session(proto: &str, text: &str) -> Session {
    Session { text: text.to_string(), header: header(proto, "stdio") }
}

/// A session of MCP over Streamable HTTP.
pub fn http(text: &str) -> Session {
    Session { text: text.to_string(), header: header("mcp", "http") }
}

fn header(proto: &str, transport: &str) -> serde_json::Value {
    json!({"rec": 1, "tool": "rpctape 0.1.0", "session": "5ce0", "part": 1, "t0": "2026-11-21T06:24:01.000000Z", "clock": "monotonic",
        "proto": proto, "transport": transport, "vantage": "proxy"})
}

impl Session {
    /// Sets a member of the header.
    pub fn with(mut self, key: &str, value: serde_json::Value) -> Session {
        self.header[key] = value;
        self
    }

    /// With another text in the place of one.
    pub fn replace(mut self, old: &str, new: &str) -> Session {
        self.text = self.text.replace(old, new);
        self
    }

    /// It as `rec/1`.
    pub fn rec(&self) -> String {
        let mut out = format!("{}\n", self.header);
        let mut events = vec![(0, json!({"k": "open", "c": 1, "by": "c"}))];
        for line in self.lines() {
            match line.strip_prefix("H(").and_then(|rest| rest.strip_suffix(')')) {
                Some(said) => {
                    let (version, capabilities) = said.split_once(',').unwrap_or((said, "{}"));
                    events.extend(handshake(version, capabilities).iter().map(|line| event(line)));
                }
                None => events.push(event(&line)),
            }
        }
        let last = events.last().map_or(0, |(ms, _)| *ms);
        if !events.iter().any(|(_, event)| event["k"] == "close" && event["s"].is_null()) {
            events.push((last + 20, json!({"k": "close", "c": 1, "by": "c", "how": "eof"})));
        }
        let messages = events.iter().filter(|(_, event)| event["k"] == "msg").count();
        let end = events.last().map_or(0, |(ms, _)| *ms) + 1;
        events.push((end, json!({"k": "end", "msgs": messages, "lost": 0})));
        for (number, (ms, mut event)) in events.into_iter().enumerate() {
            event["q"] = json!(number + 1);
            event["t"] = json!(ms * 1000);
            let _ = writeln!(out, "{event}");
        }
        out
    }

    /// The events, one a line; what does not start with a time or `H` goes on with the line before.
    fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = vec![];
        for line in self.text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            match lines.last_mut() {
                Some(last) if !line.starts_with(|c: char| c.is_ascii_digit() || c == 'H') => last.push_str(line),
                _ => lines.push(line.to_string()),
            }
        }
        lines
    }
}

/// The three lines of a handshake, for a client with these capabilities.
pub fn handshake(version: &str, capabilities: &str) -> [String; 3] {
    let params = format!(
        r#"{{"protocolVersion":"{version}","capabilities":{capabilities},"clientInfo":{{"name":"t","version":"0"}}}}"#
    );
    let result = format!(
        r#"{{"protocolVersion":"{version}","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"srv","version":"1"}}}}"#
    );
    [
        format!(r#"0 c> {{"id":1,"method":"initialize","params":{params}}}"#),
        format!(r#"5 s> {{"id":1,"result":{result}}}"#),
        r#"6 c> {"method":"notifications/initialized"}"#.to_string(),
    ]
}

/// One line: milliseconds, and the event without time and number.
fn event(line: &str) -> (i64, serde_json::Value) {
    let (ms, rest) = line.split_once(' ').unwrap_or_else(|| panic!("no time: {line}"));
    let ms = ms.parse().unwrap_or_else(|_| panic!("no time: {line}"));
    let (what, body) = rest.trim_start().split_once(' ').unwrap_or((rest, ""));
    let (what, body) = (what.trim(), body.trim());
    let (what, stream) = match what.trim_end_matches('>').split_once('@') {
        Some((what, stream)) => (what, Some(stream.parse::<u32>().expect("a stream number"))),
        None => (what.trim_end_matches('>'), None),
    };
    let mut event = match what {
        "c" | "s" => {
            let text = message(body);
            json!({"k": "msg", "c": 1, "d": what, "n": text.len(), "b": text})
        }
        "open" | "close" => json!({"k": what, "c": 1, "by": body}),
        "http" => {
            let (side, head) = body.split_once(' ').expect("a side and a head");
            json!({"k": "http", "c": 1, "d": side, "h": serde_json::from_str::<serde_json::Value>(head).expect("JSON")})
        }
        "sse" => {
            let (side, said) = body.split_once(' ').expect("a side and an event");
            json!({"k": "sse", "c": 1, "d": side, "sse": serde_json::from_str::<serde_json::Value>(said).expect("JSON")})
        }
        "exit" => json!({"k": "exit", "c": 1, "code": body.parse::<i64>().expect("a code")}),
        "err" => json!({"k": "err", "c": 1, "b": body}),
        "gap" if body.is_empty() => json!({"k": "gap", "c": 1, "lost": 1}),
        "gap" => json!({"k": "gap", "c": 1, "d": body, "lost": 1}),
        _ => panic!("no event: {line}"),
    };
    if let Some(stream) = stream {
        event["s"] = json!(stream);
    }
    (ms, event)
}

/// A body: a macro, or JSON without `jsonrpc`.
fn message(body: &str) -> String {
    let json = match body.split_once('(') {
        Some((name, rest)) if name.chars().all(|c| c.is_ascii_lowercase()) => {
            let rest = rest.strip_suffix(')').expect("a closing bracket");
            let parts = |n| rest.splitn(n, ',').map(str::trim).collect::<Vec<_>>();
            match name {
                "call" => call(parts(3)[0], parts(3)[1], parts(3)[2]),
                "text" => text(parts(2)[0], parts(2)[1]),
                "cancel" => cancel(rest),
                "prog" => progress(parts(2)[0], parts(2)[1]),
                _ => panic!("no macro: {name}"),
            }
        }
        _ => body.to_string(),
    };
    match json.strip_prefix('{') {
        Some(rest) if !json.contains("\"jsonrpc\"") => format!("{{\"jsonrpc\":\"2.0\",{rest}"),
        _ => json,
    }
}

/// A call of a tool.
pub fn call(id: &str, name: &str, arguments: &str) -> String {
    format!(r#"{{"id":{id},"method":"tools/call","params":{{"name":"{name}","arguments":{arguments}}}}}"#)
}

/// The answer of a tool; `text` with its quotes.
pub fn text(id: &str, text: &str) -> String {
    format!(r#"{{"id":{id},"result":{{"content":[{{"type":"text","text":{text}}}]}}}}"#)
}

/// A cancel.
pub fn cancel(id: &str) -> String {
    format!(r#"{{"method":"notifications/cancelled","params":{{"requestId":{id},"reason":"user"}}}}"#)
}

/// Progress.
pub fn progress(token: &str, n: &str) -> String {
    format!(r#"{{"method":"notifications/progress","params":{{"progressToken":{token},"progress":{n}}}}}"#)
}
