//! One frame of one of two logs, held until both were read.

use crate::capture::{Body, Captured, CopyKey, Direction, Exit, Frame, Missing, Stamp, Why};
use crate::jsonrpc::{Parsed, parse};
use crate::protocol::{Facts, Side};

/// What is held of a frame.
#[derive(Clone)]
pub(super) enum Content {
    /// The text of a message or a batch.
    Text(Box<str>),
    Malformed(Box<[u8]>, String),
    Open(Option<Side>),
    Close(Option<Side>),
    Exit(Exit),
    Stderr(Box<str>),
    Http(Box<str>),
    Sse(Box<str>),
    Missing {
        why: Why,
        to_line: Option<u64>,
        lost: Option<u64>,
        words: Box<str>,
    },
}

/// One frame of one of the logs.
#[derive(Clone)]
pub(super) struct HeldFrame {
    pub tap: Side,
    /// Its number in the log.
    pub seq: u64,
    pub line: u64,
    pub at_us: Option<i64>,
    pub what: Content,
    /// What it has in common with its copy in the other log.
    pub key: CopyKey,
    byte_offset: u64,
    direction: Direction,
    stream: Option<u32>,
    /// True if any connection may miss what it says.
    anywhere: bool,
}

impl HeldFrame {
    /// What a log that was taken at `tap` holds at this number.
    pub(super) fn new(tap: Side, seq: u64, frame: &Frame<'_>) -> HeldFrame {
        let what = match &frame.body {
            Body::Message(captured) => Content::Text(captured.json.unwrap_or(captured.text).into()),
            Body::Batch { text, .. } => Content::Text((*text).into()),
            Body::Malformed { bytes, reason } => Content::Malformed((*bytes).into(), reason.clone()),
            Body::Open { by } => Content::Open(*by),
            Body::Close { by } => Content::Close(*by),
            Body::Exit(exit) => Content::Exit(*exit),
            Body::Stderr { text } => Content::Stderr((*text).into()),
            Body::Http { head } => Content::Http((*head).into()),
            Body::Sse { event } => Content::Sse((*event).into()),
            Body::Missing(missing) => {
                let Missing { why, to_line, lost, words } = *missing;
                Content::Missing { why, to_line, lost, words: words.into() }
            }
        };
        let direction = frame.direction.told_by(Some(tap));
        let key = key(&what, direction, frame.stream.is_none(), &format!("{tap:?} {seq}"));
        HeldFrame {
            tap,
            seq,
            line: frame.line,
            at_us: frame.at_us,
            what,
            key,
            byte_offset: frame.byte_offset,
            direction,
            stream: frame.stream,
            anywhere: frame.channel == Frame::WHOLE_SOURCE,
        }
    }

    /// The text of a message.
    pub(super) fn text(&self) -> Option<&str> {
        if let Content::Text(text) = &self.what { Some(text) } else { None }
    }

    /// The side that sent it, where the log says so.
    pub(super) fn sender(&self) -> Option<Side> {
        self.direction.side()
    }

    /// What only the server's log has beside messages says nothing that the client's order has a place for.
    pub(super) fn has_a_place(&self) -> bool {
        self.tap == Side::Client
            || matches!(self.what, Content::Text(_) | Content::Malformed(..) | Content::Missing { .. })
    }

    /// What tells it from others: what its copy has in common with it, its time, and whether it came on a stream.
    pub(super) fn known(&self) -> (CopyKey, Option<i64>, bool) {
        (self.key.clone(), self.at_us, self.stream.is_some())
    }

    /// Where and when it passed its tap.
    pub(super) fn stamp(&self) -> Stamp {
        Stamp { seq: self.seq, at_us: self.at_us }
    }

    /// The same stretch, of which it is not known any more whose messages are missing.
    pub(super) fn of_either_side(&self) -> HeldFrame {
        HeldFrame { direction: Direction::Unknown, ..self.clone() }
    }

    /// True for a message that its tap has only received.
    pub(super) fn is_of_the_other_end(&self) -> bool {
        self.text().is_some() && self.sender().is_some_and(|sender| sender != self.tap)
    }

    /// That the message right behind it, which has a copy before it, may not have been sent once more: who sent it shows it less often.
    pub(super) fn sent_once(&self) -> HeldFrame {
        let words = "the log of its sender has it less often".into();
        HeldFrame {
            direction: Direction::Unknown,
            what: Content::Missing { why: Why::Twice, to_line: None, lost: Some(0), words },
            ..self.clone()
        }
    }

    /// Why all that follows is in question, where this stretch says so.
    pub(super) fn lasting(&self) -> Option<Why> {
        match self.what {
            Content::Missing { why: why @ (Why::Dropped | Why::Mixed), .. } => Some(why),
            _ => None,
        }
    }

    /// How many messages are missing here, at least.
    pub(super) fn lost(&self) -> u64 {
        if let Content::Missing { lost, .. } = &self.what { lost.unwrap_or(1) } else { 0 }
    }

    /// As it stood in its log, which is `source` now, and its connection `channel`.
    pub(super) fn frame(&self, source: u32, channel: u32) -> Frame<'_> {
        Frame {
            source,
            line: self.line,
            byte_offset: self.byte_offset,
            channel: if self.anywhere { Frame::WHOLE_SOURCE } else { channel },
            at_us: self.at_us,
            direction: self.direction,
            stream: self.stream,
            taps: None,
            in_file: None,
            body: self.what.body(),
        }
    }
}

impl Content {
    fn body(&self) -> Body<'_> {
        match self {
            Content::Text(text) => match parse::<Facts<'_>>(text) {
                Ok(Parsed::One(message, facts)) => Body::Message(Captured { text, json: None, message, facts }),
                Ok(Parsed::Batch(members)) => Body::Batch {
                    text,
                    members: members.into_iter().map(|(at, one)| (at, one.map_err(|bad| bad.reason))).collect(),
                },
                Err(bad) => Body::Malformed { bytes: text.as_bytes(), reason: bad.reason },
            },
            Content::Malformed(bytes, reason) => Body::Malformed { bytes, reason: reason.clone() },
            Content::Open(by) => Body::Open { by: *by },
            Content::Close(by) => Body::Close { by: *by },
            Content::Exit(exit) => Body::Exit(*exit),
            Content::Stderr(text) => Body::Stderr { text },
            Content::Http(head) => Body::Http { head },
            Content::Sse(event) => Body::Sse { event },
            Content::Missing { why, to_line, lost, words } => {
                Body::Missing(Missing { why: *why, lost: *lost, to_line: *to_line, words })
            }
        }
    }
}

/// `alone` names what has no copy.
fn key(what: &Content, direction: Direction, of_connection: bool, alone: &str) -> CopyKey {
    let named = |name: &str| CopyKey::event("", Direction::Unknown, name);
    match what {
        Content::Text(text) => CopyKey::message("", direction, text),
        Content::Malformed(bytes, _) => CopyKey::raw("", direction, &String::from_utf8_lossy(bytes)),
        Content::Close(by) if of_connection => named(&format!("close {by:?}")),
        Content::Exit(exit) => named(&exit.to_string()),
        Content::Open(_) if of_connection => named("open"),
        // Streams have numbers of their own in each log; the rest is each tap's own.
        _ => named(alone),
    }
}
