//! `export --as jsonl`: one line a message, `{"ts","dir","conn","raw"}`, for other programs, and for rpctape to read again.
//!
//! What is no message has an `event`: what is known of a connection (`connection`, before its first line), its ends, what
//! was lost. rpctape reads these, other programs pass over lines without `raw`.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::value::RawValue;

use super::escape::json;
use super::time::Digits;
use crate::capture::{Body, Direction, Frame, Stamp, base64_of};
use crate::protocol::Side;

#[derive(Default, Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dir: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conn: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    taps: Option<[Option<(u64, Option<i64>)>; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    facts: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    h: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sse: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    b64: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<Cow<'a, str>>,
}

/// How the lines of one connection are written.
#[derive(Clone, Copy, Debug)]
pub struct TrafficLines<'a> {
    /// What it is called.
    pub connection: &'a str,
    /// How many digits its times have.
    pub digits: Digits,
}

impl TrafficLines<'_> {
    /// Writes what is known of the connection; `facts` is a JSON object.
    pub fn facts(&self, out: &mut dyn Write, facts: &str) -> io::Result<()> {
        let facts = object(facts);
        let line = Line { event: Some("connection"), conn: Some(self.connection), facts, ..Line::default() };
        writeln!(out, "{}", json(&line)?)
    }

    /// Writes one frame: a message or a batch as it was captured, or its translation to JSON.
    pub fn frame(&self, out: &mut dyn Write, frame: &Frame<'_>, direction: Direction) -> io::Result<()> {
        let pair = |stamp: Stamp| (stamp.seq, stamp.at_us);
        let mut line = Line {
            ts: frame.at_us.map(|us| self.digits.rfc3339(us)),
            dir: word(direction),
            conn: Some(self.connection),
            stream: frame.stream,
            taps: frame.taps.map(|taps| taps.map(|stamp| stamp.map(pair))),
            ..Line::default()
        };
        match &frame.body {
            Body::Message(captured) => line.raw = Some(captured.json.unwrap_or(captured.text).into()),
            Body::Batch { text, .. } => line.raw = Some((*text).into()),
            Body::Malformed { bytes, .. } => {
                line.event = Some("raw");
                match std::str::from_utf8(bytes) {
                    Ok(text) => line.raw = Some(text.into()),
                    Err(_) => line.b64 = Some(base64_of(bytes)),
                }
            }
            Body::Stderr { text } => (line.event, line.raw) = (Some("err"), Some((*text).into())),
            Body::Open { by } => (line.event, line.by) = (Some("open"), by.map(side)),
            Body::Close { by } => (line.event, line.by) = (Some("close"), by.map(side)),
            Body::Exit(exit) => {
                (line.event, line.code, line.signal) = (Some("exit"), exit.code, exit.signal);
            }
            Body::Gap { lost } => (line.event, line.lost) = (Some("gap"), *lost),
            Body::Http { head } => (line.event, line.h) = (Some("http"), object(head)),
            Body::Sse { event } => (line.event, line.sse) = (Some("sse"), object(event)),
        }
        writeln!(out, "{}", json(&line)?)
    }
}

fn object(text: &str) -> Option<&RawValue> {
    serde_json::from_str(text).ok()
}

fn side(side: Side) -> &'static str {
    if side == Side::Client { "c" } else { "s" }
}

fn word(direction: Direction) -> Option<&'static str> {
    match direction {
        Direction::By(Side::Client) => Some("c2s"),
        Direction::By(Side::Server) => Some("s2c"),
        Direction::Sent => Some("sent"),
        Direction::Received => Some("received"),
        Direction::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::body_of;

    fn frame<'a>(at_us: Option<i64>, body: Body<'a>) -> Frame<'a> {
        Frame {
            source: 0,
            line: 1,
            byte_offset: 0,
            channel: 0,
            at_us,
            direction: Direction::Unknown,
            stream: None,
            taps: None,
            body,
        }
    }

    #[test]
    fn a_line_has_what_is_known_and_no_hostile_character() {
        let mut out = Vec::new();
        let lines = TrafficLines { connection: "a/1", digits: Digits::Millis };
        lines.facts(&mut out, r#"{"vantage":"client"}"#).expect("written");
        let message = frame(Some(1_795_243_456_663_000), body_of("[{\"id\":1,\"result\":2}]"));
        lines.frame(&mut out, &message, Direction::By(Side::Client)).expect("written");
        let malformed = frame(None, body_of("{\u{1b}\u{202e}}"));
        lines.frame(&mut out, &malformed, Direction::Sent).expect("written");
        lines
            .frame(&mut out, &frame(None, Body::Close { by: Some(Side::Server) }), Direction::Unknown)
            .expect("written");
        let expected = r#"{"conn":"a/1","event":"connection","facts":{"vantage":"client"}}
{"ts":"2026-11-21T06:44:16.663Z","dir":"c2s","conn":"a/1","raw":"[{\"id\":1,\"result\":2}]"}
{"dir":"sent","conn":"a/1","event":"raw","raw":"{\u001b\u202e}"}
{"conn":"a/1","event":"close","by":"s"}
"#;
        assert_eq!(String::from_utf8(out).expect("text"), expected);
    }
}
