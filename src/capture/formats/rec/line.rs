//! One line of a recording.

use std::borrow::Cow;

use crate::base64;
use crate::capture::{Direction, Stamp};
use crate::json::scan::{members, unquoted};
use crate::json::unescape;
use crate::protocol::Side;

/// What is wanted of one event.
#[derive(Clone, Debug, Default)]
pub(super) struct Event<'a> {
    pub kind: &'a str,
    pub connection: Option<&'a str>,
    pub stream: Option<u32>,
    pub t_us: Option<i64>,
    /// The time as it is written, where it does not count from the header's.
    pub at: Option<&'a str>,
    pub direction: Option<Direction>,
    pub by: Option<Side>,
    /// True for a close of the recorder itself, `"by":"p"`.
    pub by_recorder: bool,
    /// How it was closed, in a word.
    pub how: Option<&'a str>,
    /// Of bytes that are no message: whether they ended before their end had come.
    pub cut: Option<bool>,
    pub number: Option<u64>,
    pub code: Option<i64>,
    pub signal: Option<i64>,
    pub lost: Option<u64>,
    /// How many lines were left out.
    pub lines: Option<u64>,
    /// How many messages the recorder lost before its end without an event that says so.
    pub unsaid: Option<u64>,
    /// Why something is missing, in a word.
    pub why: Option<&'a str>,
    /// The string in `text`, with its quotes.
    pub said: Option<&'a str>,
    pub truncated: bool,
    /// True if it stood in a header block.
    pub block: bool,
    /// The content encoding of a body that was recorded as it was.
    pub encoding: Option<&'a str>,
    /// The head of an HTTP message, as it stands.
    pub head: Option<&'a str>,
    /// The fields of an SSE event, as they stand.
    pub sse: Option<&'a str>,
    /// Stamps at the client's and the server's tap, as they stand.
    pub stamps: Option<&'a str>,
    /// What is known of a connection, as it stands.
    pub facts: Option<&'a str>,
    /// The string in `b`, with its quotes.
    pub text: Option<&'a str>,
    /// The string in `b64`, with its quotes.
    pub base64: Option<&'a str>,
    /// Where the content of either starts.
    pub body_at: usize,
}

impl<'a> Event<'a> {
    /// Reads a line; `None` if it is no whole event.
    pub(super) fn read(text: &'a str) -> Option<Event<'a>> {
        let mut all = members(text);
        let event = Event::take(&mut all);
        let kind = if event.kind.is_empty() && event.text.is_some() { "msg" } else { event.kind };
        (all.end().is_some() && !kind.is_empty()).then_some(Event { kind, ..event })
    }

    /// Stamps at the client's and the server's tap.
    pub(super) fn taps(&self) -> Option<[Option<Stamp>; 2]> {
        let pairs: [Option<(u64, Option<i64>)>; 2] = serde_json::from_str(self.stamps?).ok()?;
        Some(pairs.map(|pair| pair.map(|(seq, at_us)| Stamp { seq, at_us })))
    }

    /// Nothing but where and when.
    pub(super) fn at(connection: &'a str, t_us: Option<i64>) -> Event<'a> {
        Event { connection: Some(connection), t_us, ..Event::default() }
    }

    /// Reads what can be read of a line that was cut.
    pub(super) fn beginning(text: &'a str) -> Event<'a> {
        Event::take(&mut members(text))
    }

    fn take(all: &mut crate::json::scan::Members<'a>) -> Event<'a> {
        let mut event = Event::default();
        for member in all.by_ref() {
            let value = unquoted(member.value);
            match member.key {
                "q" => event.number = value.parse().ok(),
                "k" | "event" => event.kind = value,
                "c" | "conn" => event.connection = Some(value),
                "s" | "stream" => event.stream = value.parse().ok(),
                "t" => event.t_us = value.parse().ok(),
                "ts" => event.at = Some(value),
                "d" | "dir" => event.direction = direction(value),
                "taps" => event.stamps = Some(member.value),
                "facts" if member.value.starts_with('{') => event.facts = Some(member.value),
                "by" => (event.by, event.by_recorder) = (side(value), value == "p"),
                "how" => event.how = Some(value),
                "cut" => event.cut = Some(value == "true"),
                "code" => event.code = value.parse().ok(),
                "signal" => event.signal = value.parse().ok(),
                "why" => event.why = Some(value),
                "text" if member.value.starts_with('"') => event.said = Some(member.value),
                "lost" => event.lost = value.parse().ok(),
                "lines" => event.lines = value.parse().ok(),
                "unsaid" => event.unsaid = value.parse().ok(),
                "enc" => event.encoding = Some(value),
                "h" if member.value.starts_with('{') => event.head = Some(member.value),
                "h" => event.block = true,
                "sse" if member.value.starts_with('{') => event.sse = Some(member.value),
                "trunc" => event.truncated = value == "true",
                "b" | "raw" if member.value.starts_with('"') => {
                    event.text = Some(member.value);
                    event.body_at = member.at + 1;
                }
                "b64" if member.value.starts_with('"') => {
                    event.base64 = Some(member.value);
                    event.body_at = member.at + 1;
                }
                _ => {}
            }
        }
        event
    }

    /// What `text` says.
    pub(super) fn words(&self) -> String {
        let mut words = String::new();
        if let Some(text) = self.said {
            unescape(text, 1, &mut words);
        }
        words
    }

    /// The bytes that were recorded.
    pub(super) fn bytes(&self) -> Cow<'a, [u8]> {
        match (self.text, self.base64) {
            (Some(text), _) if !text.contains('\\') => Cow::Borrowed(unquoted(text).as_bytes()),
            (Some(text), _) => {
                let mut out = String::with_capacity(text.len());
                unescape(text, 1, &mut out);
                Cow::Owned(out.into_bytes())
            }
            (None, Some(text)) => Cow::Owned(base64::decode(unquoted(text)).unwrap_or_default()),
            (None, None) => Cow::Borrowed(&[]),
        }
    }
}

fn direction(word: &str) -> Option<Direction> {
    match word {
        "c2s" => Some(Direction::By(Side::Client)),
        "s2c" => Some(Direction::By(Side::Server)),
        "sent" => Some(Direction::Sent),
        "received" => Some(Direction::Received),
        word => side(word).map(Direction::By),
    }
}

fn side(word: &str) -> Option<Side> {
    match word {
        "c" => Some(Side::Client),
        "s" => Some(Side::Server),
        _ => None,
    }
}
