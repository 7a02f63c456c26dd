//! A frame: one captured unit, as the log states it.

use std::ops::Range;

use super::Exit;
use super::missing::{Missing, Why};
use crate::jsonrpc::Message;
use crate::protocol::{Facts, Side};

/// Who sent a frame, in the log's own terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The log names the side.
    By(Side),
    /// Whoever wrote the log sent it; the vantage tells which side that is.
    Sent,
    /// Whoever wrote the log received it.
    Received,
    /// The log does not say.
    Unknown,
}

impl Direction {
    /// The same with the side named, where it is known who wrote the log.
    pub fn told_by(self, logger: Option<Side>) -> Direction {
        match (self, logger) {
            (Direction::Sent, Some(logger)) => Direction::By(logger),
            (Direction::Received, Some(logger)) => Direction::By(logger.peer()),
            (direction, _) => direction,
        }
    }

    /// The side, where it is named.
    pub fn side(self) -> Option<Side> {
        match self {
            Direction::By(side) => Some(side),
            _ => None,
        }
    }
}

/// Position and time of one message at one of two taps (only where a source merges two captures).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Order at that tap.
    pub seq: u64,
    /// Microseconds on that tap's own clock.
    pub at_us: Option<i64>,
}

/// One captured unit.
#[derive(Clone, Debug)]
pub struct Frame<'a> {
    /// Which source of the capture it comes from.
    pub source: u32,
    /// Line (1-based, of the decompressed source) where its record starts.
    pub line: u64,
    /// Byte offset of the message text in the decompressed source.
    pub byte_offset: u64,
    /// Which channel of the capture it belongs to; see [`super::Channel`] and [`Frame::WHOLE_SOURCE`].
    pub channel: u32,
    /// Microseconds since the epoch, where the log has a time.
    pub at_us: Option<i64>,
    /// Who sent it.
    pub direction: Direction,
    /// HTTP stream within the connection: one POST or GET and what its response carries.
    pub stream: Option<u32>,
    /// Stamps at the client's and the server's tap, where the source merges two captures.
    pub taps: Option<[Option<Stamp>; 2]>,
    /// True where the text stands at `byte_offset` of the file itself, as it is here: it can be read there again.
    pub in_file: bool,
    /// What was captured.
    pub body: Body<'a>,
}

impl Frame<'_> {
    /// The channel of a stretch that may belong to any connection of its source.
    pub const WHOLE_SOURCE: u32 = u32::MAX;
}

impl<'a> Frame<'a> {
    /// The same frame with each text that it borrows replaced by what `text` gives for it, and bytes that are none by what `bytes`
    /// gives. They are asked for in an order of their own that is always the same, so that they can be carried apart from the frame.
    pub(crate) fn map_text<'b>(
        &self,
        text: &mut impl FnMut(&'a str) -> &'b str,
        bytes: impl FnOnce(&'a [u8]) -> &'b [u8],
    ) -> Frame<'b> {
        Frame { body: self.body.map_text(text, bytes), ..*self }
    }
}

/// A member of a batch: the byte range of its text, and the message or why there is none.
pub type Member<'a> = (Range<usize>, Result<(Message<'a>, Box<Facts<'a>>), String>);

/// What a frame holds.
#[derive(Clone, Debug)]
pub enum Body<'a> {
    /// A message: its text as captured, and what was lifted from it.
    Message(Captured<'a>),
    /// A batch: the text of the array, and its members.
    Batch {
        /// The array as captured.
        text: &'a str,
        /// Byte range of each member within `text`, and the message or why there is none.
        members: Vec<Member<'a>>,
    },
    /// Bytes that should have been a message and are none.
    Malformed {
        /// The bytes as captured; not always UTF-8.
        bytes: &'a [u8],
        /// Why it is no message, in words.
        reason: String,
    },
    /// A stream or the connection was opened.
    Open {
        /// By whom, where known.
        by: Option<Side>,
    },
    /// A stream (where the frame has one) or the connection was closed.
    Close {
        /// By whom, where known.
        by: Option<Side>,
    },
    /// The server process ended.
    Exit(Exit),
    /// A line that the server wrote to stderr.
    Stderr {
        /// The line.
        text: &'a str,
    },
    /// The head of an HTTP request or response.
    Http {
        /// A JSON object: `method` of a request, `status` of a response, and the `headers` that were kept.
        head: &'a str,
    },
    /// What an SSE event says beside its data, or a comment that keeps its stream alive.
    Sse {
        /// A JSON object with the fields that were there: `id`, `event`, `retry`, `comment`.
        event: &'a str,
    },
    /// Something is missing here.
    Missing(Missing<'a>),
}

impl<'a> Body<'a> {
    fn map_text<'b>(
        &self,
        text: &mut impl FnMut(&'a str) -> &'b str,
        bytes: impl FnOnce(&'a [u8]) -> &'b [u8],
    ) -> Body<'b> {
        match self {
            Body::Message(captured) => Body::Message(captured.map_text(text)),
            Body::Batch { text: whole, members } => {
                let whole = text(whole);
                let mut member = |(range, member): &Member<'a>| {
                    let member = member
                        .as_ref()
                        .map(|(message, facts)| (message.map_text(text), Box::new(facts.map_text(text))));
                    (range.clone(), member.map_err(String::clone))
                };
                Body::Batch { text: whole, members: members.iter().map(&mut member).collect() }
            }
            Body::Malformed { bytes: raw, reason } => Body::Malformed { bytes: bytes(raw), reason: reason.clone() },
            Body::Open { by } => Body::Open { by: *by },
            Body::Close { by } => Body::Close { by: *by },
            Body::Exit(exit) => Body::Exit(*exit),
            Body::Stderr { text: line } => Body::Stderr { text: text(line) },
            Body::Http { head } => Body::Http { head: text(head) },
            Body::Sse { event } => Body::Sse { event: text(event) },
            Body::Missing(missing) => Body::Missing(Missing { words: text(missing.words), ..*missing }),
        }
    }
}

impl<'a> Captured<'a> {
    fn map_text<'b>(&self, text: &mut impl FnMut(&'a str) -> &'b str) -> Captured<'b> {
        Captured {
            text: text(self.text),
            json: self.json.map(&mut *text),
            message: self.message.map_text(text),
            facts: Box::new(self.facts.map_text(text)),
        }
    }
}

impl Body<'_> {
    /// Messages were lost here, and how many, where known.
    pub const fn gap(lost: Option<u64>) -> Body<'static> {
        Body::Missing(Missing { lost, ..Missing::new(Why::Gap) })
    }
}

/// The text of a message with what one pass lifted from it.
#[derive(Clone, Debug)]
pub struct Captured<'a> {
    /// The message as captured, without the wrapper around it.
    pub text: &'a str,
    /// Its translation to JSON, where the captured text is not JSON.
    pub json: Option<&'a str>,
    /// The envelope.
    pub message: Message<'a>,
    /// The facts.
    pub facts: Box<Facts<'a>>,
}
