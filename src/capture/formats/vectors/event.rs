//! One event of the vectors' form.

use rustc_hash::FxHashMap;

use crate::capture::copies::hash;
use crate::capture::lines::Line;
use crate::capture::out::Out;
use crate::capture::place::Place;
use crate::capture::{Body, Direction, Stamp};
use crate::error::Result;
use crate::json::scan::{members, unquoted};
use crate::json::unescape;
use crate::protocol::Side;

/// Which of two taps saw an event; without taps all are the client's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Tap {
    Client,
    Server,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Content {
    /// The text of a message or a batch.
    Message(Box<str>),
    /// Text that is no JSON.
    Raw(Box<str>),
    /// The head of an HTTP request or response, as it stands.
    Http(Box<str>),
    Open(Option<Side>),
    Close(Option<Side>),
}

/// One line.
#[derive(Clone, Debug)]
pub(super) struct VectorEvent {
    pub line: u64,
    pub byte_offset: u64,
    pub at_us: i64,
    pub resolution_us: i64,
    pub connection: Box<str>,
    pub direction: Direction,
    pub stream: Option<u32>,
    pub sse_id: Option<Box<str>>,
    pub tap: Tap,
    pub content: Content,
}

impl VectorEvent {
    /// Reads a line; the error tells whether the text ended too early.
    pub(super) fn read(
        text: &str,
        line: &Line<'_>,
        streams: &mut FxHashMap<Box<str>, u32>,
    ) -> std::result::Result<VectorEvent, bool> {
        let mut event = VectorEvent {
            line: line.number,
            byte_offset: line.offset,
            at_us: 0,
            resolution_us: 1_000,
            connection: "".into(),
            direction: Direction::Unknown,
            stream: None,
            sse_id: None,
            tap: Tap::Client,
            content: Content::Raw("".into()),
        };
        let (mut known, mut closes, mut by) = (false, None, None);
        let mut all = members(text);
        for member in all.by_ref() {
            let value = unquoted(member.value);
            match member.key {
                "t" => (event.at_us, event.resolution_us) = milliseconds(member.value),
                "dir" => event.direction = side(value, "c2s", "s2c").map_or(Direction::Unknown, Direction::By),
                "conn" => event.connection = string(member.value),
                "tap" if value == "server" => event.tap = Tap::Server,
                "stream" if member.value != "null" => {
                    let next = streams.len() as u32;
                    event.stream = Some(*streams.entry(member.value.into()).or_insert(next));
                }
                "sse_id" if member.value != "null" => event.sse_id = Some(member.value.into()),
                "by" => by = side(value, "client", "server"),
                "ev" => closes = Some(value == "close").filter(|close| *close || value == "open"),
                "msg" => {
                    known = true;
                    event.byte_offset = line.offset + member.at as u64;
                    event.content = Content::Message(member.value.into());
                }
                "raw" => {
                    known = true;
                    event.byte_offset = line.offset + member.at as u64 + u64::from(member.value.starts_with('"'));
                    event.content = Content::Raw(string(member.value));
                }
                "http" if member.value.starts_with('{') => {
                    known = true;
                    event.byte_offset = line.offset + member.at as u64;
                    event.content = Content::Http(member.value.into());
                }
                _ => {}
            }
        }
        match (all.end(), known, closes) {
            (None, _, _) => return Err(true),
            (Some(_), true, _) => {}
            (Some(_), false, Some(true)) => event.content = Content::Close(by),
            (Some(_), false, Some(false)) => event.content = Content::Open(by),
            (Some(_), false, None) => return Err(false),
        }
        Ok(event)
    }

    /// Bytes that it holds, roughly.
    pub(super) fn size(&self) -> usize {
        let text = match &self.content {
            Content::Message(text) | Content::Raw(text) | Content::Http(text) => text.len(),
            _ => 0,
        };
        text + size_of::<VectorEvent>()
    }

    /// What is the same for two deliveries of one SSE event.
    pub(super) fn redelivery_key(&self) -> Option<(Box<str>, Box<str>, u64)> {
        let id = self.sse_id.clone()?;
        let Content::Message(text) = &self.content else { return None };
        let tap = if self.tap == Tap::Server { "s" } else { "c" };
        Some((format!("{tap}{}", self.connection).into(), id, hash(text)))
    }

    /// Hands it on as a frame.
    pub(super) fn emit(
        &self,
        channel: u32,
        at_us: Option<i64>,
        taps: Option<[Option<Stamp>; 2]>,
        out: &mut Out<'_>,
    ) -> Result<()> {
        let place = Place {
            line: self.line,
            byte_offset: self.byte_offset,
            channel,
            at_us,
            direction: self.direction,
            stream: self.stream,
            taps,
        };
        if let (Some(id), Some(_)) = (&self.sse_id, self.stream) {
            out.put(&place, Body::Sse { event: &format!("{{\"id\":{id}}}") })?;
        }
        match &self.content {
            Content::Message(text) => out.promised(&place, text, false),
            Content::Raw(text) => out.malformed(&place, text.as_bytes(), "the text is not JSON"),
            Content::Http(head) => out.put(&place, Body::Http { head }),
            Content::Open(by) => out.put(&place, Body::Open { by: *by }),
            Content::Close(by) => out.put(&place, Body::Close { by: *by }),
        }
    }
}

fn side(word: &str, client: &str, server: &str) -> Option<Side> {
    (word == client).then_some(Side::Client).or((word == server).then_some(Side::Server))
}

/// A string unescaped, or any other value as it stands.
fn string(value: &str) -> Box<str> {
    let mut out = String::new();
    match value.starts_with('"') && unescape(value, 1, &mut out).is_some() {
        true => out.into(),
        false => value.into(),
    }
}

/// Milliseconds, perhaps with a fraction, to microseconds and the resolution.
fn milliseconds(value: &str) -> (i64, i64) {
    if let Ok(whole) = value.parse::<i64>() {
        return (whole.saturating_mul(1_000), 1_000);
    }
    let us = value.parse::<f64>().map_or(0.0, |ms| ms * 1_000.0);
    (us.round() as i64, 1)
}
