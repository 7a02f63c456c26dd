//! One row of facts, and the frame that it stands for.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::capture::{Body, Captured, Direction, Frame, RecordedPart, may_hold_message};
use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::{IdField, Kind, Message, Parsed, parse};
use crate::protocol::http::brief_head;
use crate::protocol::{Facts, Side, brief, brief_batch};
use crate::store::Extra;

/// What [`Row::kind`] holds beside the kinds of frames, which are those of the `frames` view.
pub mod kind {
    /// JSON that is no message, which the view calls malformed, too.
    pub const UNCLASSIFIED: &str = "unclassified";
    /// What the log says of a channel: `text` is an object as recordings have it.
    pub const CHANNEL: &str = "channel";
    /// A connection has no more rows in this source; `bytes` says how many there are, this one not counted. Of a recording `text` says
    /// which part of it this is.
    pub const END: &str = "end";
    /// Several rows of one connection, behind each other: JSON lines in a zstd frame.
    pub const BLOCK: &str = "block";
    /// The source itself: `text` is a [`super::FileFacts`].
    pub const SOURCE: &str = "source";
}

/// What travels of bytes that cannot have been a message; of others nothing does.
const WORDS: &str = "-";

/// How much of a line of stderr travels, in bytes: more than a finding quotes.
const LAST_WORDS: usize = 256;

/// One row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Row<'a> {
    /// The key by which rows come together: the name of the channel, or of the log of which the source is a part where it has none. Where
    /// a client starts anew on it, the audit makes several connections of it (`KEY/2`). `None` for what is said of a source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connection: Option<Cow<'a, str>>,
    /// Name of the source.
    pub source: Cow<'a, str>,
    /// Place in the source's order of frames, from 1 on. Rows of a connection are in order by source and this.
    pub seq: u64,
    /// What it is.
    pub kind: Cow<'a, str>,
    /// Number of its channel in the source; `None` for what any connection of the source may miss. Of an `end`, how many channels the
    /// source has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<u32>,
    /// Line (1-based, of the decompressed source) where its record starts.
    pub line: u64,
    /// Byte offset of the payload in the decompressed source.
    pub byte_offset: u64,
    /// Length of the payload in bytes.
    pub bytes: u64,
    /// Microseconds since the epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_us: Option<i64>,
    /// `client`, `server`, `sent` or `received` (by whoever wrote the log); `None` where the log does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Cow<'a, str>>,
    /// Method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<Cow<'a, str>>,
    /// Id as JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rpc_id: Option<Cow<'a, str>>,
    /// Error code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<i64>,
    /// What the audit reads of the payload: the brief of a message, last words on stderr.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Cow<'a, str>>,
    /// What only few frames have, as in the column `extra` of a database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra: Option<Cow<'a, str>>,
    /// The kind of the first secret in the payload, where it was looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<Cow<'a, str>>,
    /// The payload, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<Cow<'a, str>>,
}

/// What is said of a source as a whole; the text of its one row of kind `source`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileFacts {
    /// Format.
    pub format: String,
    /// Why it was taken for that; or why it was passed over, where it has no format.
    pub reason: String,
    /// XXH3 (128 bits) of the content as it lies on the disk, in hexadecimal; empty for what can be read only once.
    pub hash: String,
    /// Its length in bytes.
    pub size: u64,
    /// Bytes of the decompressed text.
    pub bytes: u64,
    /// Time of the first message, as the log writes it.
    pub first_time: Option<String>,
    /// Time of the last one.
    pub last_time: Option<String>,
    /// Lines passed over: why, how many, and the first of them.
    pub skipped: Vec<(String, u64, u64)>,
    /// Lines that hold something like messages and were not read: how many, the first, and what it says.
    pub unread: Option<(u64, u64, String)>,
    /// Messages that the log is known to lack, at least.
    pub lost: u64,
    /// Rows of facts, this one not counted.
    pub rows: u64,
    /// Of a recording: which part of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<Box<RecordedPart>>,
}

/// Takes rows.
pub trait Sink {
    /// One row.
    fn row(&mut self, row: &Row<'_>) -> Result<()>;
    /// All rows were given: what was written is whole from now on.
    fn finish(self: Box<Self>) -> Result<()>;
}

impl<'a> Row<'a> {
    /// The row of a frame. `seq` and what else depends on the file is set by whoever counts.
    pub fn of(frame: &'a Frame<'_>) -> Row<'a> {
        let mut row = Row {
            line: frame.line,
            byte_offset: frame.byte_offset,
            at_us: frame.at_us,
            direction: word_of(frame.direction).map(Cow::Borrowed),
            extra: Extra::of(frame).to_json().map(Cow::Owned),
            ..Row::default()
        };
        row.kind = kind_of(&frame.body).into();
        match &frame.body {
            Body::Message(captured) => row.message(captured),
            Body::Batch { text, members } => {
                row.bytes = text.len() as u64;
                let members = members.iter().map(|(range, member)| (range, member));
                row.text = Some(Cow::Owned(brief_batch(text, members)));
            }
            Body::Malformed { bytes, .. } => {
                row.bytes = bytes.len() as u64;
                row.text = (!may_hold_message(bytes)).then_some(Cow::Borrowed(WORDS));
            }
            Body::Stderr { text } => {
                row.bytes = text.len() as u64;
                row.text = Some(Cow::Borrowed(cut(text.trim())));
            }
            Body::Http { head } => {
                row.bytes = head.len() as u64;
                row.text = Some(Cow::Owned(brief_head(head)));
            }
            Body::Sse { event } => {
                row.bytes = event.len() as u64;
                row.text = Some(Cow::Borrowed(event_of(event)));
            }
            Body::Missing(missing) => row.bytes = missing.words.len() as u64,
            Body::Open { .. } | Body::Close { .. } | Body::Exit(_) => {}
        }
        row
    }

    fn message(&mut self, captured: &'a Captured<'_>) {
        let Captured { text, json, message, facts } = captured;
        self.bytes = text.len() as u64;
        self.method = message.method.as_deref().map(Cow::Borrowed);
        self.rpc_id = id_of(message);
        self.error_code = message.error_code();
        self.text = Some(brief(json.unwrap_or(text), message, facts));
    }

    /// By which rows of one connection are sorted.
    pub fn order(&self) -> (String, u64) {
        (super::source_order(&self.source), self.seq)
    }

    /// Hands the frame that this row stands for to `take`. Errors: a row that is none of ours.
    pub fn frame<T>(&self, source: u32, take: impl FnOnce(Frame<'_>) -> Result<T>) -> Result<T> {
        let extra = Extra::from_json(self.extra.as_deref());
        take(Frame {
            source,
            line: self.line,
            byte_offset: self.byte_offset,
            channel: self.channel.unwrap_or(Frame::WHOLE_SOURCE),
            at_us: self.at_us,
            direction: direction_of(self.direction.as_deref()),
            stream: extra.stream,
            taps: extra.stamps(),
            in_file: None,
            body: self.body(&extra)?,
        })
    }

    fn body<'r>(&'r self, extra: &Extra<'_>) -> Result<Body<'r>> {
        let text = self.text.as_deref().unwrap_or_default();
        Ok(match &*self.kind {
            "open" => Body::Open { by: extra.side() },
            "close" => Body::Close { by: extra.side() },
            "exit" => Body::Exit(extra.exit()),
            "stderr" => Body::Stderr { text },
            "gap" => Body::Missing(extra.missing("")),
            "http" => Body::Http { head: text },
            "sse" => Body::Sse { event: text },
            "malformed" => Body::Malformed {
                bytes: text.as_bytes(),
                reason: extra.reason.as_deref().unwrap_or("not a message").to_string(),
            },
            _ => match (parse::<Facts<'_>>(text), &*self.kind) {
                (Ok(Parsed::Batch(members)), "batch") => Body::Batch {
                    text,
                    members: members.into_iter().map(|(range, one)| (range, one.map_err(|why| why.reason))).collect(),
                },
                (
                    Ok(Parsed::One(message, facts)),
                    "request" | "notification" | "result" | "error" | kind::UNCLASSIFIED,
                ) => Body::Message(Captured { text, json: None, message, facts }),
                _ => return Err(self.damaged()),
            },
        })
    }

    /// The error for a row that says nothing.
    pub(crate) fn damaged(&self) -> Error {
        let of = if self.source.is_empty() { String::new() } else { format!(" of {}", self.source) };
        let what = format!("row {}{of} holds no fact: kind `{}`", self.seq, self.kind);
        Error::new(ErrorKind::Input, what).hint("give rows as `rpctape facts` writes them, all columns unchanged")
    }

    /// What the audit reads of it.
    #[cfg(feature = "parquet")]
    pub(super) fn audited(&self) -> Row<'_> {
        fn lent<'r>(text: &'r Option<Cow<'_, str>>) -> Option<Cow<'r, str>> {
            text.as_deref().map(Cow::Borrowed)
        }
        Row {
            connection: lent(&self.connection),
            source: Cow::Borrowed(&self.source),
            kind: Cow::Borrowed(&self.kind),
            direction: lent(&self.direction),
            text: lent(&self.text),
            extra: lent(&self.extra),
            secret: lent(&self.secret),
            method: None,
            rpc_id: None,
            error_code: None,
            raw: None,
            ..*self
        }
    }

    /// The same with nothing borrowed.
    pub fn into_owned(self) -> Row<'static> {
        let own = |text: Option<Cow<'_, str>>| text.map(|text| Cow::Owned(text.into_owned()));
        Row {
            connection: own(self.connection),
            source: Cow::Owned(self.source.into_owned()),
            seq: self.seq,
            kind: Cow::Owned(self.kind.into_owned()),
            channel: self.channel,
            line: self.line,
            byte_offset: self.byte_offset,
            bytes: self.bytes,
            at_us: self.at_us,
            direction: own(self.direction),
            method: own(self.method),
            rpc_id: own(self.rpc_id),
            error_code: self.error_code,
            text: own(self.text),
            extra: own(self.extra),
            secret: own(self.secret),
            raw: own(self.raw),
        }
    }
}

fn kind_of(body: &Body<'_>) -> &'static str {
    match body {
        Body::Message(captured) => match captured.message.kind {
            Kind::Request => "request",
            Kind::Notification => "notification",
            Kind::Result => "result",
            Kind::Error => "error",
            Kind::Unclassified => kind::UNCLASSIFIED,
        },
        Body::Batch { .. } => "batch",
        Body::Malformed { .. } => "malformed",
        Body::Open { .. } => "open",
        Body::Close { .. } => "close",
        Body::Exit(_) => "exit",
        Body::Stderr { .. } => "stderr",
        Body::Http { .. } => "http",
        Body::Sse { .. } => "sse",
        Body::Missing(_) => "gap",
    }
}

fn id_of<'a>(message: &Message<'a>) -> Option<Cow<'a, str>> {
    match (message.id_text, &message.id) {
        (Some(raw), _) => Some(Cow::Borrowed(raw)),
        (None, IdField::Value(id)) => Some(Cow::Owned(id.to_json())),
        (None, _) => None,
    }
}

fn word_of(direction: Direction) -> Option<&'static str> {
    match direction {
        Direction::By(side) => Some(side.as_str()),
        Direction::Sent => Some("sent"),
        Direction::Received => Some("received"),
        Direction::Unknown => None,
    }
}

fn direction_of(word: Option<&str>) -> Direction {
    match word {
        Some("client") => Direction::By(Side::Client),
        Some("server") => Direction::By(Side::Server),
        Some("sent") => Direction::Sent,
        Some("received") => Direction::Received,
        _ => Direction::Unknown,
    }
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(LAST_WORDS);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Of an event the audit reads whether it names the place to POST to.
fn event_of(event: &str) -> &'static str {
    if event.contains("\"endpoint\"") { "{\"event\":\"endpoint\"}" } else { "{}" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Exit, Missing, Stamp, Why};

    fn back(frame: &Frame<'_>) -> String {
        let row = Row { channel: Some(frame.channel), ..Row::of(frame) };
        let line = serde_json::to_string(&row).expect("a line");
        let row: Row<'_> = serde_json::from_str(&line).expect("a row");
        row.frame(frame.source, |frame| Ok(format!("{frame:?}"))).expect("a frame")
    }

    fn frame(body: Body<'_>) -> Frame<'_> {
        Frame {
            source: 3,
            line: 9,
            byte_offset: 120,
            channel: 1,
            at_us: Some(-5),
            direction: Direction::Received,
            stream: Some(4),
            taps: Some([Some(Stamp { seq: 1, at_us: None }), None]),
            in_file: None,
            body,
        }
    }

    #[test]
    fn what_is_no_message_comes_back_as_it_was() {
        let bodies = [
            Body::Open { by: Some(Side::Server) },
            Body::Close { by: None },
            Body::Exit(Exit::new(None, Some(9))),
            Body::Stderr { text: "boom" },
            Body::gap(Some(7)),
            Body::Missing(Missing { to_line: Some(12), ..Missing::new(Why::Unread) }),
            Body::Malformed { bytes: &[], reason: "it is cut".into() },
            Body::Sse { event: "{}" },
            Body::Http { head: r#"{"status":200,"headers":{}}"# },
        ];
        for body in bodies {
            let frame = frame(body);
            assert_eq!(back(&frame), format!("{frame:?}"));
        }
    }

    #[test]
    fn a_row_of_another_kind_is_refused() {
        let row = Row { kind: "elephant".into(), text: Some("{}".into()), ..Row::default() };
        assert!(row.frame(1, |_| Ok(())).is_err_and(|error| error.message.contains("elephant")));
    }
}
