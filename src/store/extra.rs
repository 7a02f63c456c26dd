//! The `extra` column of a frame: what only few frames have, as JSON.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::codes;
use crate::capture::{Body, Exit, Frame, Missing, Stamp, Why};
use crate::protocol::Side;
use crate::session::FrameId;

/// A stamp as `[seq, at_us]`.
type StampPair = (u64, Option<i64>);

/// What only few frames have beside the columns of all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Extra<'a> {
    /// HTTP stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream: Option<u32>,
    /// Order and time at the client's and the server's tap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taps: Option<[Option<StampPair>; 2]>,
    /// Who opened or closed: 0 the client, 1 the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<i64>,
    /// Exit code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<i64>,
    /// The signal that ended a process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i64>,
    /// Status of an HTTP response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// How many messages were lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<u64>,
    /// Why a stretch is missing, where it is no gap of the recorder's.
    #[serde(skip_serializing_if = "Option::is_none", borrow)]
    pub why: Option<Cow<'a, str>>,
    /// The last line of what is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_line: Option<u64>,
    /// Why bytes are no message.
    #[serde(skip_serializing_if = "Option::is_none", borrow)]
    pub reason: Option<Cow<'a, str>>,
    /// The batch that this message is a member of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<FrameId>,
}

/// A stream and nothing else, as JSON.
fn alone(stream: u32) -> String {
    format!("{{\"stream\":{stream}}}")
}

/// What is wanted of the head of an HTTP message.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Head {
    status: Option<u16>,
}

impl Head {
    fn read(text: &str) -> Head {
        serde_json::from_str(text).unwrap_or_default()
    }
}

impl<'a> Extra<'a> {
    /// What a frame needs beside the other columns, as stored; most frames need nothing.
    pub(super) fn stored(frame: &'a Frame<'_>) -> Option<String> {
        let plain =
            matches!(&frame.body, Body::Message(_) | Body::Batch { .. } | Body::Stderr { .. } | Body::Sse { .. });
        if plain && frame.stream.is_none() && frame.taps.is_none() {
            return None;
        }
        match frame.stream {
            // What every message of an HTTP log has.
            Some(stream) if plain && frame.taps.is_none() => Some(alone(stream)),
            _ => Extra::of(frame).to_json(),
        }
    }

    /// What a frame needs beside the other columns.
    pub fn of(frame: &'a Frame<'_>) -> Extra<'a> {
        let mut extra = Extra::place(frame);
        match &frame.body {
            Body::Malformed { reason, .. } => extra.reason = Some(Cow::Borrowed(reason)),
            Body::Open { by } | Body::Close { by } => extra.by = by.map(codes::side),
            Body::Exit(exit) => (extra.code, extra.signal) = (exit.code, exit.signal),
            Body::Missing(missing) => {
                extra.lost = missing.lost;
                extra.to_line = missing.to_line;
                // A gap is what the word of the frame's kind says already.
                extra.why = Some(missing.why).filter(|why| *why != Why::Gap).map(|why| why.as_str().into());
            }
            Body::Http { head } => extra.status = Head::read(head).status,
            Body::Message(_) | Body::Batch { .. } | Body::Stderr { .. } | Body::Sse { .. } => {}
        }
        extra
    }

    /// What the members of a batch have in common with it.
    pub fn place(frame: &Frame<'_>) -> Extra<'static> {
        let pair = |stamp: Stamp| (stamp.seq, stamp.at_us);
        let taps = frame.taps.map(|taps| taps.map(|stamp| stamp.map(pair)));
        Extra { stream: frame.stream, taps, ..Extra::default() }
    }

    /// As stored: `None` where there is nothing to say.
    pub fn to_json(&self) -> Option<String> {
        if *self == Extra::default() {
            return None;
        }
        // Numbers and text only: there is nothing that could fail to be written.
        serde_json::to_string(self).ok()
    }

    /// Reads the column back.
    pub fn from_json(text: Option<&'a str>) -> Extra<'a> {
        text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// The taps as a frame has them.
    pub fn stamps(&self) -> Option<[Option<Stamp>; 2]> {
        let stamp = |(seq, at_us): StampPair| Stamp { seq, at_us };
        self.taps.map(|taps| taps.map(|pair| pair.map(stamp)))
    }

    /// How a process ended. Databases that an older version wrote have a signal as a code below zero.
    pub fn exit(&self) -> Exit {
        Exit::new(self.code, self.signal)
    }

    /// What is missing, in these words.
    pub fn missing<'w>(&self, words: &'w str) -> Missing<'w> {
        let why = self.why.as_deref().and_then(Why::from_name).unwrap_or(Why::Gap);
        Missing { why, lost: self.lost, to_line: self.to_line, words }
    }

    /// The side that opened or closed.
    pub fn side(&self) -> Option<Side> {
        self.by.map(codes::side_of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_alone_is_written_as_all_is() {
        let extra = Extra { stream: Some(7), ..Extra::default() };
        assert_eq!(extra.to_json(), Some(alone(7)));
    }

    #[test]
    fn nothing_is_null_and_everything_reads_back() {
        assert_eq!(Extra::default().to_json(), None);
        let extra = Extra {
            stream: Some(3),
            taps: Some([Some((1, Some(2))), None]),
            reason: Some("a \"quoted\" reason".into()),
            batch: Some(7),
            ..Extra::default()
        };
        let text = extra.to_json().unwrap();
        assert_eq!(Extra::from_json(Some(&text)), extra);
        assert_eq!(Extra::from_json(Some("{}")), Extra::default());
        assert_eq!(Extra::from_json(Some("not json")), Extra::default());
    }
}
