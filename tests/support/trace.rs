//! Traces as the rule pages write them:
//!
//! ```text
//! trace mcp 2025-11-25 vantage=proxy
//!   0 client {"jsonrpc":"2.0","id":1,"method":"ping"}
//!  20 server@3 {"jsonrpc":"2.0","id":1,"result":{}}
//!  30 client raw {"jsonrpc"
//!  35 client@3 http {"method":"POST","headers":{}}
//!  37 server@3 sse {"id":"7"}
//!  40 close server
//!  40 stderr Killed
//!  41 exit signal 9
//!  42 missing gap server
//!  43 client/2 {"jsonrpc":"2.0","id":1,"method":"ping"}     (at the second hop)
//!  44 anyone {"jsonrpc":"2.0","id":1,"result":{}}           (the log does not say who)
//! ```

use rpctape::capture::{Body, Captured, Channel, Direction, Exit, Frame, Missing, Proof, Transport, Vantage, Why};
use rpctape::jsonrpc::{Parsed, parse};
use rpctape::protocol::{Facts, Side, by_name};

/// One event of a trace, owned.
#[derive(Clone, Debug)]
pub struct Step {
    pub at_ms: i64,
    pub side: Option<Side>,
    pub stream: Option<u32>,
    /// The hop that it passes, from 1; its connection.
    pub hop: u32,
    pub what: What,
}

impl Step {
    /// True for a message whose sender the log does not say.
    pub fn is_anyones(&self) -> bool {
        self.side.is_none() && matches!(self.what, What::Json(_))
    }
}

/// What happens in a step.
#[derive(Clone, Debug)]
pub enum What {
    Json(String),
    Raw(String),
    /// The head of an HTTP request or response.
    Http(String),
    /// What an event of a stream says beside its data.
    Sse(String),
    Close,
    Stderr(String),
    Exit(Exit),
    /// A stretch that the log does not show; of the whole source, not only of this connection, where that is said.
    Missing {
        why: Why,
        anywhere: bool,
    },
}

/// A trace: its channel and its events.
#[derive(Clone, Debug)]
pub struct Trace {
    pub channel: Channel,
    pub steps: Vec<Step>,
    /// False if all times are equal: then there are none.
    pub timed: bool,
    /// The side that wrote the log, where the log says only "sent" and "received".
    pub logger: Option<Side>,
}

impl Trace {
    /// The frame of a step: its line is its number. What was guessed about stands on the line of the step behind it.
    pub fn frame(&self, index: usize) -> Frame<'_> {
        let step = &self.steps[index];
        let guess = matches!(step.what, What::Missing { why: Why::Guessed, .. });
        let mut frame = frame(step, index as u64 + 1 + u64::from(guess), self.timed);
        if let (Some(logger), Direction::By(side)) = (self.logger, frame.direction) {
            frame.direction = if side == logger { Direction::Sent } else { Direction::Received };
        }
        frame
    }
}

/// The handshake of a protocol, as steps that last 30 ms.
fn handshake(info: &str) -> &'static str {
    match info.split(' ').next() {
        Some("mcp") => concat!(
            r#"0 client {"id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{},"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}"#,
            "\n20 server {\"id\":0,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{},",
            r#""tasks":{"cancel":{},"requests":{"tools":{"call":{}}}}},"serverInfo":{"name":"s","version":"1"}}}"#,
            "\n30 client {\"method\":\"notifications/initialized\"}\n",
        ),
        Some("acp") => concat!(
            r#"0 client {"id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}"#,
            "\n20 server {\"id\":0,\"result\":{\"protocolVersion\":1,\"agentCapabilities\":{}}}\n",
            "25 client {\"id\":\"new\",\"method\":\"session/new\",\"params\":{\"cwd\":\"/\",\"mcpServers\":[]}}\n",
            "30 server {\"id\":\"new\",\"result\":{\"sessionId\":\"s\"}}\n",
        ),
        _ => concat!(
            r#"0 client {"id":0,"method":"initialize","params":{"processId":1,"rootUri":null,"capabilities":{"window":{"workDoneProgress":true},"workspace":{"configuration":true,"applyEdit":true}}}}"#,
            "\n20 server {\"id\":0,\"result\":{\"capabilities\":{}}}\n30 client {\"method\":\"initialized\",\"params\":{}}\n",
        ),
    }
}

/// What every request of MCP 2026-07-28 says of its sender.
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// A request of a client with what each of MCP 2026-07-28 has to say.
fn with_meta(line: &str) -> String {
    if !line.contains(" client") || !line.contains("\"id\":") || !line.contains("\"method\":") || line.contains("_meta")
    {
        return line.to_string();
    }
    match (line.contains("\"params\":{}"), line.strip_suffix('}')) {
        (true, _) => line.replacen("\"params\":{", &format!("\"params\":{{{META}"), 1),
        (false, _) if line.contains("\"params\":{") => {
            line.replacen("\"params\":{", &format!("\"params\":{{{META},"), 1)
        }
        (false, Some(head)) => format!("{head},\"params\":{{{META}}}}}"),
        (false, None) => line.to_string(),
    }
}

/// Writes a trace of `tests/traces` in full: with the word `handshake`, that of its protocol stands before it; with the word `meta`,
/// every request of the client has that of MCP 2026-07-28; and every message has `"jsonrpc":"2.0"` unless the word `bare` is there.
pub fn shorthand(info: &str, body: &str) -> (String, String) {
    let has = |name: &str| info.split(' ').any(|word| word == name);
    let words: Vec<&str> = info.split(' ').filter(|word| !matches!(*word, "handshake" | "bare" | "meta")).collect();
    let steps = if has("handshake") { handshake(info) } else { "" }.lines().chain(body.lines());
    let full = |line: &str| match has("bare") || line.contains("\"jsonrpc\"") {
        true => line.to_string(),
        false => line.replacen(" {\"", " {\"jsonrpc\":\"2.0\",\"", 1),
    };
    let meta = |line: String| if has("meta") { with_meta(&line) } else { line };
    (words.join(" "), steps.map(full).map(meta).collect::<Vec<_>>().join("\n"))
}

/// Reads a fence: its info line (without "trace") and its body.
pub fn parse_trace(info: &str, body: &str) -> Trace {
    let mut words = info.split_whitespace();
    let (name, revision) = (words.next().expect("a profile name"), words.next().expect("a revision"));
    let profile = by_name(name, Some(revision)).unwrap_or_else(|| panic!("no profile {name} {revision}"));
    let mut channel = Channel {
        profile: Some(profile),
        vantage: Vantage::Client,
        complete_head: Some(true),
        one_connection: true,
        resolution_us: 1000,
        ..Channel::default()
    };
    let mut logger = None;
    for option in words {
        match option.split_once('=') {
            Some(("vantage", value)) => channel.vantage = Vantage::from_name(value).expect("a vantage"),
            Some(("transport", "http")) => channel.transport = Transport::Http,
            // The log says "sent" and "received"; whose log it is, it does not say.
            Some(("logger", value)) => {
                (logger, channel.vantage) = (Some(side_of(value).expect("a side")), Vantage::Unknown);
            }
            Some(("lacks", name)) => {
                let (_, proof) = PROOFS.iter().find(|(known, _)| *known == name).expect("what a log can prove");
                channel.proof = channel.proof.without(*proof);
            }
            Some(("proof", "counted")) => channel.proof = channel.proof.and(Proof::COUNTED),
            Some(("proof", "whole")) => channel.proof = channel.proof.and(Proof::WHOLE),
            Some(("protocol", "unsaid")) => channel.profile = None,
            Some(("head", "truncated")) => channel.complete_head = Some(false),
            Some(("head", "unknown")) => channel.complete_head = None,
            Some(("transport", "stdio") | ("head", "complete") | ("tail", _)) => {}
            _ => panic!("unknown option {option}"),
        }
    }
    if channel.transport == Transport::Http {
        channel.proof = channel.proof.and(Proof::STREAMS);
    }
    let steps: Vec<Step> = body.lines().filter(|line| !line.trim().is_empty()).map(parse_step).collect();
    let timed = steps.iter().any(|step| step.at_ms != steps[0].at_ms);
    Trace { channel, steps, timed, logger }
}

/// What the log of a trace may be unable to prove, by its name.
const PROOFS: [(&str, Proof); 6] = [
    ("cancel-target", Proof::CANCEL_TARGET),
    ("error-code", Proof::ERROR_CODE),
    ("all-answers", Proof::ALL_ANSWERS),
    ("both-sides", Proof::BOTH_SIDES),
    ("client", Proof::CLIENT),
    ("order", Proof::ORDER),
];

fn side_of(word: &str) -> Option<Side> {
    Side::BOTH.into_iter().find(|side| side.as_str() == word)
}

fn parse_step(line: &str) -> Step {
    let mut parts = line.trim().splitn(3, ' ');
    let at_ms = parts.next().and_then(|ms| ms.parse().ok()).unwrap_or_else(|| panic!("no time in {line:?}"));
    let who = parts.next().unwrap_or_else(|| panic!("no side in {line:?}"));
    let rest = parts.next().unwrap_or("").trim();
    let (who, stream) = match who.split_once('@') {
        Some((who, stream)) => (who, Some(stream.parse().expect("a stream number"))),
        None => (who, None),
    };
    let (who, hop) = match who.split_once('/') {
        Some((who, hop)) => (who, hop.parse().expect("a hop's number")),
        None => (who, 1),
    };
    if who == "close" {
        return Step { at_ms, side: side_of(rest), stream, hop, what: What::Close };
    }
    if who == "missing" {
        let (why, whose) = rest.split_once(' ').unwrap_or((rest, ""));
        let why = Why::from_name(why).unwrap_or_else(|| panic!("no reason in {line:?}"));
        return Step {
            at_ms,
            side: side_of(whose),
            stream,
            hop,
            what: What::Missing { why, anywhere: whose == "anywhere" },
        };
    }
    if who == "stderr" {
        return Step { at_ms, side: None, stream: None, hop, what: What::Stderr(rest.to_string()) };
    }
    if who == "exit" {
        let number = |text: &str| text.parse().ok();
        let exit = match rest.strip_prefix("signal ") {
            Some(signal) => Exit::new(None, number(signal)),
            None => Exit::new(number(rest), None),
        };
        return Step { at_ms, side: None, stream: None, hop, what: What::Exit(exit) };
    }
    let sender = side_of(who);
    assert!(sender.is_some() || who == "anyone", "no side in {line:?}");
    let what = match rest.strip_prefix("raw ") {
        Some(text) => What::Raw(text.to_string()),
        None => match (rest.strip_prefix("http "), rest.strip_prefix("sse ")) {
            (Some(head), _) => What::Http(head.to_string()),
            (_, Some(event)) => What::Sse(event.to_string()),
            _ => What::Json(rest.to_string()),
        },
    };
    Step { at_ms, side: sender, stream, hop, what }
}

/// The frame of a step, borrowed from it. `line` counts from 1.
pub fn frame(step: &Step, line: u64, timed: bool) -> Frame<'_> {
    let direction = step.side.map_or(Direction::Unknown, Direction::By);
    let body = match &step.what {
        What::Close => Body::Close { by: step.side },
        What::Stderr(text) => Body::Stderr { text },
        What::Exit(exit) => Body::Exit(*exit),
        What::Missing { why, .. } => Body::Missing(Missing::new(*why)),
        What::Http(head) => Body::Http { head },
        What::Sse(event) => Body::Sse { event },
        What::Raw(text) => Body::Malformed { bytes: text.as_bytes(), reason: "not JSON".into() },
        What::Json(text) => match parse::<Facts<'_>>(text) {
            Ok(Parsed::One(message, facts)) => Body::Message(Captured { text, json: None, message, facts }),
            Ok(Parsed::Batch(members)) => Body::Batch {
                text,
                members: members.into_iter().map(|(range, member)| (range, member.map_err(|bad| bad.reason))).collect(),
            },
            Err(bad) => Body::Malformed { bytes: text.as_bytes(), reason: bad.reason },
        },
    };
    Frame {
        source: step.hop - 1,
        line,
        byte_offset: 0,
        channel: 0,
        at_us: timed.then_some(step.at_ms * 1000),
        direction,
        stream: step.stream,
        taps: None,
        in_file: None,
        body,
    }
}

/// A trace as a page would show it.
pub fn fence(trace: &Trace) -> String {
    let profile = trace.channel.profile.map_or("jsonrpc 2.0".to_string(), |profile| profile.label());
    let mut text = format!("```trace {profile} vantage={}\n", trace.channel.vantage.as_str());
    for step in &trace.steps {
        let side = step.side.map_or("", |side| side.as_str());
        let stream = step.stream.map_or(String::new(), |stream| format!("@{stream}"));
        let line = match &step.what {
            What::Json(json) => format!("{side}{stream} {json}"),
            What::Raw(raw) => format!("{side}{stream} raw {raw}"),
            What::Http(head) => format!("{side}{stream} http {head}"),
            What::Sse(event) => format!("{side}{stream} sse {event}"),
            What::Close => format!("close{stream} {side}"),
            What::Stderr(text) => format!("stderr {text}"),
            What::Missing { why, anywhere } => {
                format!("missing {} {}", why.as_str(), if *anywhere { "anywhere" } else { side })
            }
            What::Exit(exit) => match exit.signal {
                Some(signal) => format!("exit signal {signal}"),
                None => format!("exit {}", exit.code.unwrap_or(0)),
            },
        };
        text.push_str(&format!("{:6} {line}\n", step.at_ms));
    }
    text + "```\n"
}
