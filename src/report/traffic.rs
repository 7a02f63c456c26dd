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

/// Number and time, in microseconds on that tap's clock, at the client's and at the server's tap.
pub type TapPair = [Option<(u64, Option<i64>)>; 2];

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
    taps: Option<TapPair>,
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
    why: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    h: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sse: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    b64: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<&'a str>,
}

/// One frame as it is written. What is not known is left out.
#[derive(Clone, Debug, Default)]
pub struct TrafficLine<'a> {
    /// Microseconds since the epoch.
    pub at_us: Option<i64>,
    /// Who sent it: `c2s`, `s2c`, or `sent` and `received` in the log's own terms.
    pub dir: Option<&'a str>,
    /// The HTTP stream.
    pub stream: Option<u32>,
    /// Number and time at the client's and at the server's tap.
    pub taps: Option<TapPair>,
    /// What it is, where it is no message.
    pub event: Option<&'a str>,
    /// Who opened or closed: `c` or `s`.
    pub by: Option<&'a str>,
    /// Exit code.
    pub code: Option<i64>,
    /// The signal that ended the process.
    pub signal: Option<i64>,
    /// How many messages were lost.
    pub lost: Option<u64>,
    /// Why something is missing here, in a word.
    pub why: Option<&'a str>,
    /// What is said of it.
    pub text: Option<&'a str>,
    /// The head of an HTTP message: a JSON object.
    pub head: Option<&'a str>,
    /// The fields of an SSE event: a JSON object.
    pub sse: Option<&'a str>,
    /// Bytes that are no UTF-8, as base64.
    pub b64: Option<String>,
    /// The text.
    pub raw: Option<Cow<'a, str>>,
}

/// How the lines of one connection are written.
#[derive(Clone, Copy, Debug)]
pub struct TrafficLines<'a> {
    /// What it is called; none for what any connection of a source may miss.
    pub connection: Option<&'a str>,
    /// How many digits its times have.
    pub digits: Digits,
}

impl TrafficLines<'_> {
    /// Writes what is known of the connection; `facts` is a JSON object.
    pub fn facts(&self, out: &mut dyn Write, facts: &str) -> io::Result<()> {
        let facts = object(facts);
        let line = Line { event: Some("connection"), conn: self.connection, facts, ..Line::default() };
        writeln!(out, "{}", json(&line)?)
    }

    /// Writes one frame: a message or a batch as it was captured, or its translation to JSON.
    pub fn frame(&self, out: &mut dyn Write, frame: &TrafficLine<'_>) -> io::Result<()> {
        let line = Line {
            ts: frame.at_us.map(|us| self.digits.rfc3339(us)),
            dir: frame.dir,
            conn: self.connection,
            stream: frame.stream,
            taps: frame.taps,
            event: frame.event,
            facts: None,
            by: frame.by,
            code: frame.code,
            signal: frame.signal,
            lost: frame.lost,
            why: frame.why,
            text: frame.text,
            h: frame.head.and_then(object),
            sse: frame.sse.and_then(object),
            b64: frame.b64.as_deref(),
            raw: frame.raw.as_deref(),
        };
        writeln!(out, "{}", json(&line)?)
    }
}

fn object(text: &str) -> Option<&RawValue> {
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_what_is_known_and_no_hostile_character() {
        let mut out = Vec::new();
        let lines = TrafficLines { connection: Some("a/1"), digits: Digits::Millis };
        lines.facts(&mut out, r#"{"vantage":"client"}"#).expect("written");
        let message = TrafficLine {
            at_us: Some(1_795_243_456_663_000),
            dir: Some("c2s"),
            raw: Some("[{\"id\":1}]".into()),
            ..TrafficLine::default()
        };
        lines.frame(&mut out, &message).expect("written");
        let malformed = TrafficLine {
            dir: Some("sent"),
            event: Some("raw"),
            raw: Some("{\u{1b}\u{202e}}".into()),
            ..TrafficLine::default()
        };
        lines.frame(&mut out, &malformed).expect("written");
        let close = TrafficLine { event: Some("close"), by: Some("s"), ..TrafficLine::default() };
        lines.frame(&mut out, &close).expect("written");
        let lost = TrafficLine { event: Some("gap"), lost: Some(1), ..TrafficLine::default() };
        TrafficLines { connection: None, ..lines }.frame(&mut out, &lost).expect("written");
        let expected = r#"{"conn":"a/1","event":"connection","facts":{"vantage":"client"}}
{"ts":"2026-11-21T06:44:16.663Z","dir":"c2s","conn":"a/1","raw":"[{\"id\":1}]"}
{"dir":"sent","conn":"a/1","event":"raw","raw":"{\u001b\u202e}"}
{"conn":"a/1","event":"close","by":"s"}
{"event":"gap","lost":1}
"#;
        assert_eq!(String::from_utf8(out).expect("text"), expected);
    }
}
