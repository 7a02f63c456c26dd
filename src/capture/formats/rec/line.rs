//! One line of a recording.

use std::borrow::Cow;

use super::base64;
use crate::capture::scan::{members, unescape, unquoted};
use crate::protocol::Side;

/// What is wanted of one event.
#[derive(Clone, Debug, Default)]
pub(super) struct Event<'a> {
    pub kind: &'a str,
    pub connection: Option<&'a str>,
    pub stream: Option<u32>,
    pub t_us: Option<i64>,
    pub direction: Option<Side>,
    pub by: Option<Side>,
    /// True for a close of the recorder itself, `"by":"p"`.
    pub by_recorder: bool,
    pub number: Option<u64>,
    pub code: Option<i64>,
    pub signal: Option<i64>,
    pub lost: Option<u64>,
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
        (all.end().is_some() && !event.kind.is_empty()).then_some(event)
    }

    /// Nothing but where and when.
    pub(super) fn at(connection: &'a str, t_us: Option<i64>) -> Event<'a> {
        Event { connection: Some(connection), t_us, ..Event::default() }
    }

    /// Reads what can be read of a line that was cut.
    pub(super) fn beginning(text: &'a str) -> Event<'a> {
        Event::take(&mut members(text))
    }

    fn take(all: &mut crate::capture::scan::Members<'a>) -> Event<'a> {
        let mut event = Event::default();
        for member in all.by_ref() {
            let value = unquoted(member.value);
            match member.key {
                "q" => event.number = value.parse().ok(),
                "k" => event.kind = value,
                "c" => event.connection = Some(value),
                "s" => event.stream = value.parse().ok(),
                "t" => event.t_us = value.parse().ok(),
                "d" => event.direction = side(value),
                "by" => (event.by, event.by_recorder) = (side(value), value == "p"),
                "code" => event.code = value.parse().ok(),
                "signal" => event.signal = value.parse().ok(),
                "why" => event.why = Some(value),
                "text" if member.value.starts_with('"') => event.said = Some(member.value),
                "lost" => event.lost = value.parse().ok(),
                "enc" => event.encoding = Some(value),
                "h" if member.value.starts_with('{') => event.head = Some(member.value),
                "h" => event.block = true,
                "sse" if member.value.starts_with('{') => event.sse = Some(member.value),
                "trunc" => event.truncated = value == "true",
                "b" if member.value.starts_with('"') => {
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

fn side(word: &str) -> Option<Side> {
    match word {
        "c" => Some(Side::Client),
        "s" => Some(Side::Server),
        _ => None,
    }
}
