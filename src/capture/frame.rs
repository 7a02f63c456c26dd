//! A frame: one captured unit, as the log states it.

use std::ops::Range;

use twox_hash::XxHash3_64;

use super::Exit;
use super::missing::{Missing, Why};
use crate::jsonrpc::Message;
use crate::protocol::{Facts, Found, Side};

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

    /// 0 and 1 for the two senders, 2 for one that is not told.
    pub const fn number(self) -> u8 {
        match self {
            Direction::By(Side::Client) | Direction::Sent => 0,
            Direction::By(Side::Server) | Direction::Received => 1,
            Direction::Unknown => 2,
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
    /// Where the text stands at `byte_offset` of the file itself, as it is here, so that it can be read there again: what it is
    /// known by then ([`text_hash`]).
    pub in_file: Option<u64>,
    /// What was captured.
    pub body: Body<'a>,
}

/// By which a text is known again. It is written to databases, so it stays what it is.
pub fn text_hash(text: &[u8]) -> u64 {
    XxHash3_64::oneshot(text)
}

impl Frame<'_> {
    /// The channel of a stretch that may belong to any connection of its source.
    pub const WHOLE_SOURCE: u32 = u32::MAX;

    /// What any connection of a source may miss from a line on.
    pub fn missing(source: u32, line: u64, missing: Missing<'_>) -> Frame<'_> {
        Frame {
            source,
            line,
            byte_offset: 0,
            channel: Frame::WHOLE_SOURCE,
            at_us: None,
            direction: Direction::Unknown,
            stream: None,
            taps: None,
            in_file: None,
            body: Body::Missing(missing),
        }
    }
}

/// Carries what a frame borrows from one place to another. It is asked in an order of its own that is always the same, so that all
/// of it can go apart from the frame.
pub(crate) trait Carry<'a, 'b> {
    /// A text.
    fn text(&mut self, text: &'a str) -> &'b str;
    /// Bytes that are no text.
    fn bytes(&mut self, bytes: &'a [u8]) -> &'b [u8];
    /// What was found in a message.
    fn found(&mut self, found: &'a Found) -> &'b Found;
}

impl<'a> Frame<'a> {
    /// The same frame with what `carry` gives for all that it borrows.
    pub(crate) fn carried<'b>(&'a self, carry: &mut impl Carry<'a, 'b>) -> Frame<'b> {
        Frame { body: self.body.carried(carry), ..*self }
    }
}

/// A member of a batch: the byte range of its text, and the message or why there is none.
pub type Member<'a> = (Range<usize>, Result<(Message<'a>, Facts<'a>), String>);

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
    fn carried<'b>(&'a self, carry: &mut impl Carry<'a, 'b>) -> Body<'b> {
        match self {
            Body::Message(captured) => Body::Message(captured.carried(carry)),
            Body::Batch { text, members } => {
                let text = carry.text(text);
                let mut member = |(range, member): &'a Member<'a>| {
                    let member = member.as_ref().map(|(message, facts)| {
                        (message.map_text(&mut |text| carry.text(text)), carried(facts, carry))
                    });
                    (range.clone(), member.map_err(String::clone))
                };
                Body::Batch { text, members: members.iter().map(&mut member).collect() }
            }
            Body::Malformed { bytes, reason } => Body::Malformed { bytes: carry.bytes(bytes), reason: reason.clone() },
            Body::Open { by } => Body::Open { by: *by },
            Body::Close { by } => Body::Close { by: *by },
            Body::Exit(exit) => Body::Exit(*exit),
            Body::Stderr { text } => Body::Stderr { text: carry.text(text) },
            Body::Http { head } => Body::Http { head: carry.text(head) },
            Body::Sse { event } => Body::Sse { event: carry.text(event) },
            Body::Missing(missing) => Body::Missing(Missing { words: carry.text(missing.words), ..*missing }),
        }
    }
}

impl<'a> Captured<'a> {
    fn carried<'b>(&'a self, carry: &mut impl Carry<'a, 'b>) -> Captured<'b> {
        Captured {
            text: carry.text(self.text),
            json: self.json.map(|json| carry.text(json)),
            message: self.message.map_text(&mut |text| carry.text(text)),
            facts: carried(&self.facts, carry),
        }
    }
}

fn carried<'a, 'b>(facts: &'a Facts<'a>, carry: &mut impl Carry<'a, 'b>) -> Facts<'b> {
    Facts::lent(carry.text(facts.message()), carry.found(facts))
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
    pub facts: Facts<'a>,
}
