//! Writes frames: the hot path of an ingest. One prepared statement, values bound as they are.

use rusqlite::types::Null;
use rusqlite::{Statement, ToSql};

use super::codes::{self, kind};
use super::extra::Extra;
use super::fail::failed;
use super::{Store, codes::message_kind};
use crate::capture::{Body, Captured, Frame, Member};
use crate::error::Result;
use crate::jsonrpc::{Id, IdField, Message};
use crate::session::{FrameId, NO_CONNECTION};

const INSERT_FRAME: &str = include_str!("../../sql/statements/insert_frame.sql");

/// Writes frames with growing ids.
pub struct Ground<'s> {
    frame: Statement<'s>,
    nulls: Nulls,
    next: FrameId,
    /// How many frames each connection has, by its id.
    counts: Vec<u64>,
    place: &'s str,
}

/// What differs between a frame and the members of a batch.
struct Row<'a> {
    kind: i64,
    byte_offset: u64,
    bytes: usize,
    message: Option<&'a Message<'a>>,
    extra: Option<String>,
    body: Text<'a>,
    json: Option<&'a str>,
}

/// A payload.
enum Text<'a> {
    None,
    Utf8(&'a str),
    Bytes(&'a [u8]),
}

impl Store {
    /// A writer of frames that goes on behind the last one.
    pub fn ground(&self) -> Result<Ground<'_>> {
        let fault = |error: rusqlite::Error| self.fail("write", &error);
        let next: i64 =
            self.sql.query_row("SELECT coalesce(max(id), 0) + 1 FROM frame", [], |row| row.get(0)).map_err(fault)?;
        let frame = self.sql.prepare(INSERT_FRAME).map_err(fault)?;
        Ok(Ground { frame, nulls: Nulls::default(), next: next as FrameId, counts: Vec::new(), place: &self.place })
    }
}

impl Ground<'_> {
    /// Tells how many frames a connection has already.
    pub fn starts_at(&mut self, connection: u32, frames: u64) {
        let at = connection as usize;
        if self.counts.len() <= at {
            self.counts.resize(at + 1, 0);
        }
        self.counts[at] = frames;
    }

    /// The id that the next frame gets.
    pub fn next_id(&self) -> FrameId {
        self.next
    }

    /// Gives the next frame this id, where it is not below that of any other; those between are left out.
    pub fn skip_to(&mut self, id: FrameId) {
        self.next = self.next.max(id);
    }

    /// Writes a frame, and the members of a batch behind it; returns its id.
    pub fn frame(&mut self, connection: u32, frame: &Frame<'_>) -> Result<FrameId> {
        let id = self.next;
        self.write(connection, frame).map_err(|error| failed("write", self.place, &error))?;
        Ok(id)
    }

    fn write(&mut self, connection: u32, frame: &Frame<'_>) -> rusqlite::Result<()> {
        let id = self.next;
        let (kind, extra) = (codes::frame_kind(frame), Extra::of(frame).to_json());
        let offset = frame.byte_offset;
        let (message, body, json) = match &frame.body {
            Body::Message(Captured { text, json, message, .. }) => (Some(message), Text::Utf8(text), *json),
            Body::Batch { text, .. } => (None, Text::Utf8(text), None),
            Body::Malformed { bytes, .. } => match std::str::from_utf8(bytes) {
                Ok(text) => (None, Text::Utf8(text), None),
                Err(_) => (None, Text::Bytes(bytes), None),
            },
            Body::Stderr { text } | Body::Http { head: text } | Body::Sse { event: text } => {
                (None, Text::Utf8(text), None)
            }
            Body::Missing(missing) if !missing.words.is_empty() => (None, Text::Utf8(missing.words), None),
            Body::Open { .. } | Body::Close { .. } | Body::Exit(_) | Body::Missing(_) => (None, Text::None, None),
        };
        let bytes = match &body {
            Text::None => 0,
            Text::Utf8(text) => text.len(),
            Text::Bytes(bytes) => bytes.len(),
        };
        self.row(connection, frame, Row { kind, byte_offset: offset, bytes, message, extra, body, json })?;
        match &frame.body {
            Body::Batch { text, members } => self.members(connection, frame, id, text, members),
            _ => Ok(()),
        }
    }

    /// Members of a batch are rows of their own, with the batch's place and time.
    fn members(
        &mut self,
        connection: u32,
        frame: &Frame<'_>,
        batch: FrameId,
        text: &str,
        members: &[Member<'_>],
    ) -> rusqlite::Result<()> {
        for (range, member) in members {
            let text = text.get(range.clone()).unwrap_or("");
            let mut extra = Extra { batch: Some(batch), ..Extra::place(frame) };
            let (kind, message) = match member {
                Ok((message, _)) => (message_kind(message.kind), Some(message)),
                Err(reason) => {
                    extra.reason = Some(reason.as_str().into());
                    (kind::MALFORMED, None)
                }
            };
            let byte_offset = frame.byte_offset + range.start as u64;
            let extra = extra.to_json();
            self.row(
                connection,
                frame,
                Row { kind, byte_offset, bytes: text.len(), message, extra, body: Text::Utf8(text), json: None },
            )?;
        }
        Ok(())
    }

    fn row(&mut self, connection: u32, frame: &Frame<'_>, row: Row<'_>) -> rusqlite::Result<()> {
        let seq = self.count(connection);
        let insert = &mut self.frame;
        insert.raw_bind_parameter(1, self.next as i64)?;
        match connection {
            NO_CONNECTION => insert.raw_bind_parameter(2, Null)?,
            connection => insert.raw_bind_parameter(2, connection)?,
        }
        insert.raw_bind_parameter(3, seq)?;
        insert.raw_bind_parameter(4, frame.source)?;
        insert.raw_bind_parameter(5, frame.line as i64)?;
        insert.raw_bind_parameter(6, row.byte_offset as i64)?;
        self.nulls.bind(insert, 7, frame.at_us)?;
        insert.raw_bind_parameter(8, codes::direction(frame.direction))?;
        insert.raw_bind_parameter(9, row.kind)?;
        self.nulls.bind(insert, 10, row.message.and_then(|message| message.method.as_deref()))?;
        self.nulls.bind_id(insert, 11, row.message)?;
        self.nulls.bind(insert, 12, row.message.and_then(Message::error_code))?;
        insert.raw_bind_parameter(13, row.bytes as i64)?;
        self.nulls.bind(insert, 14, row.extra.as_deref())?;
        match row.body {
            Text::None => insert.raw_bind_parameter(15, Null)?,
            Text::Utf8(text) => insert.raw_bind_parameter(15, text)?,
            Text::Bytes(bytes) => insert.raw_bind_parameter(15, bytes)?,
        }
        self.nulls.bind(insert, 16, row.json)?;
        insert.raw_execute()?;
        self.next += 1;
        Ok(())
    }

    /// The next number within a connection.
    fn count(&mut self, connection: u32) -> i64 {
        if connection == NO_CONNECTION {
            return 0;
        }
        let at = connection as usize;
        if self.counts.len() <= at {
            self.counts.resize(at + 1, 0);
        }
        self.counts[at] += 1;
        self.counts[at] as i64
    }
}

/// Which parameters hold a value. Most frames leave the same ones NULL, and what is bound stays bound.
#[derive(Default)]
struct Nulls(u32);

impl Nulls {
    fn bind<T: ToSql>(&mut self, insert: &mut Statement<'_>, at: usize, value: Option<T>) -> rusqlite::Result<()> {
        match value {
            Some(value) => {
                self.0 |= 1 << at;
                insert.raw_bind_parameter(at, value)
            }
            None if self.0 & 1 << at == 0 => Ok(()),
            None => {
                self.0 &= !(1 << at);
                insert.raw_bind_parameter(at, Null)
            }
        }
    }

    /// An id by value: integers as INTEGER, all else as JSON text in one spelling, so that an index finds them.
    fn bind_id(
        &mut self,
        insert: &mut Statement<'_>,
        at: usize,
        message: Option<&Message<'_>>,
    ) -> rusqlite::Result<()> {
        let Some(IdField::Value(id)) = message.map(|message| &message.id) else {
            return self.bind(insert, at, None::<i64>);
        };
        match (id, message.and_then(|message| message.id_text)) {
            (Id::Int(number), _) => self.bind(insert, at, Some(*number)),
            // A string without escapes is spelled as `to_json` would spell it.
            (Id::Text(_), Some(raw)) if !raw.contains('\\') => self.bind(insert, at, Some(raw)),
            _ => self.bind(insert, at, Some(id.to_json())),
        }
    }
}
