//! HTTP exchanges: a request and its response in one record, as gateways, proxies, monitors and browsers keep them.
//!
//! A source of such records (`har`, [`records`]) makes an [`Exchange`] of each. What went over the wire in it is told in
//! `steps`, with the time of each part as far as the record knows it; `collect` puts the steps of all records in the
//! order of time, for records are written at the start or at the end of what they tell, and hands them on. Order holds within
//! an exchange: each is a stream of its own.
//!
//! [`records`] reads one record a line, or a document of them, by a [`Layout`]: which members hold the two bodies, the
//! times, the status and the session. A layout is learned from the log, or stands in a definition.

mod amid;
mod announced;
pub(super) mod body;
mod claim;
mod collect;
mod connection;
mod halves;
mod layout;
pub(super) mod learn;
mod learn_beside;
mod learn_bodies;
mod learn_key;
mod learn_order;
mod learn_times;
mod nested;
mod opened;
mod order;
mod path;
mod records;
mod scalars;
mod sequel;
mod steps;
#[cfg(test)]
mod tests;
mod told;
mod unseen;
mod untimed;

use std::borrow::Cow;

pub(super) use collect::Collected;
pub(in crate::capture) use halves::Halves;
pub(in crate::capture) use layout::{Layout, Slot, Unit};
pub(in crate::capture) use learn::{Learned, fitted};
pub(in crate::capture) use path::Path;
pub(super) use records::Delivered;
pub(in crate::capture) use records::{Records, reader, texts};
pub(super) use steps::{ExchangeStep, StepKind};
pub(super) use told::Told;

use crate::protocol::Side;

/// A body as the record keeps it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// There was none.
    #[default]
    Absent,
    /// There was one, and the record does not hold it.
    Missing,
    /// Its text, and the byte at which it starts; the end of a body that is `cut` is not there, a `whole` one begins and ends
    /// as one value of JSON does.
    Text { text: Cow<'a, str>, offset: usize, cut: bool, event_stream: bool, whole: bool },
}

impl Part<'_> {
    /// The text, where there is one.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Part::Text { text, .. } => Some(text),
            _ => None,
        }
    }
}

/// What an exchange says beside its bodies: JSON with verb or status, and headers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Heads {
    /// Of the request.
    pub request: Option<String>,
    /// Of the response.
    pub response: Option<String>,
}

impl Part<'_> {
    fn into_owned(self) -> Part<'static> {
        match self {
            Part::Absent => Part::Absent,
            Part::Missing => Part::Missing,
            Part::Text { text, offset, cut, event_stream, whole } => {
                Part::Text { text: Cow::Owned(text.into_owned()), offset, cut, event_stream, whole }
            }
        }
    }
}

impl Exchange<'_> {
    /// The same without the text that it was read from.
    fn into_owned(self) -> Exchange<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        Exchange {
            line: self.line,
            offset: self.offset,
            verb: owned(self.verb),
            url: owned(self.url),
            session: self.session.map(owned),
            key: self.key,
            status: self.status,
            start_us: self.start_us,
            first_byte_us: self.first_byte_us,
            end_us: self.end_us,
            resolution_us: self.resolution_us,
            said: owned(self.said),
            heads: self.heads,
            request: self.request.into_owned(),
            response: self.response.into_owned(),
            pushed: self.pushed.into_iter().map(ExchangeStep::into_owned).collect(),
            halves: self.halves,
            turns: self.turns,
            socket: self.socket,
            resumes: self.resumes.map(owned),
            written_us: self.written_us,
            in_pieces: self.in_pieces,
        }
    }

    /// Line and byte of the log at which a step stands.
    fn place(&self, step: &ExchangeStep<'_>) -> (u64, usize) {
        let Some(halves) = self.halves else { return (self.line, step.offset) };
        let Origin { line, offset, at } = halves[usize::from(step.side == Side::Server)];
        (line, offset + step.offset.saturating_sub(at))
    }
}

/// Where an exchange stands, or the half of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    pub line: u64,
    /// Byte of the log at which its record starts.
    pub offset: usize,
    /// Byte of the joined record at which it starts.
    pub at: usize,
}

/// One HTTP request and its response.
#[derive(Clone, Debug, Default)]
pub(super) struct Exchange<'a> {
    /// Line of its record.
    pub line: u64,
    /// Byte at which its record starts.
    pub offset: usize,
    /// `POST` where the record does not tell.
    pub verb: Cow<'a, str>,
    /// Where it went; empty where the record does not tell.
    pub url: Cow<'a, str>,
    /// The MCP session that either side names.
    pub session: Option<Cow<'a, str>>,
    /// What else tells connections apart.
    pub key: Option<String>,
    /// Status of the response; 0 where the client hung up.
    pub status: Option<i64>,
    /// When the request was sent, in microseconds since the epoch.
    pub start_us: Option<i64>,
    /// When the first byte of the response came.
    pub first_byte_us: Option<i64>,
    /// When the response ended.
    pub end_us: Option<i64>,
    /// How fine the clock shows itself, in microseconds.
    pub resolution_us: Option<i64>,
    /// The time of the record, as written.
    pub said: Cow<'a, str>,
    /// Heads of the request and of the response, as recordings keep them, where the record holds their headers.
    pub heads: Heads,
    /// Body of the request.
    pub request: Part<'a>,
    /// Body of the response.
    pub response: Part<'a>,
    /// Messages that have times of their own, instead of the response's body.
    pub pushed: Vec<ExchangeStep<'a>>,
    /// Where request and response stand, if each has a record of its own.
    pub halves: Option<[Origin; 2]>,
    /// When each of them was written among all records, if so: the order of what has no times.
    pub turns: Option<[i64; 2]>,
    /// True for a WebSocket: all of it is `pushed`, and it has no streams.
    pub socket: bool,
    /// The event of another stream behind which it goes on.
    pub resumes: Option<Cow<'a, str>>,
    /// When a wrapper says that the record of the request, and that of the response, was written.
    pub written_us: [Option<i64>; 2],
    /// True where pieces of the response may have been left out of it.
    pub in_pieces: bool,
}
