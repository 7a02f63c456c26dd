//! Writes frames: the hot path of an ingest. What a frame is as a row, and whether it becomes one now or is set aside.

use std::cell::RefCell;

use super::Store;
use super::aside::Aside;
use super::codes::{self, kind, message_kind};
use super::columns::{FrameColumns, RpcId, Text};
use super::extra::Extra;
use super::fail::failed;
use super::payload::{Packer, Payload};
use super::table::Table;
use crate::capture::{Body, Captured, Frame, Member, text_hash};
use crate::error::Result;
use crate::jsonrpc::{Id, IdField, Message};
use crate::session::{FrameId, NO_CONNECTION};

/// Writes frames with growing ids.
pub struct Ground<'s> {
    table: Table<'s>,
    aside: Option<&'s RefCell<Aside>>,
    /// Takes texts out of the rows, in a database that does not keep them there.
    packer: Option<Packer<'s>>,
    next: FrameId,
    /// How many frames each connection has, by its id.
    counts: Vec<u64>,
    place: &'s str,
}

/// What differs between a frame and the members of a batch.
struct Row<'a> {
    kind: i64,
    byte_offset: u64,
    message: Option<&'a Message<'a>>,
    extra: Option<String>,
    body: Text<'a>,
    json: Option<&'a str>,
    /// The hash of the body, where that stands in the file.
    in_file: Option<u64>,
}

impl Store {
    /// A writer of frames that goes on behind the last one.
    pub fn ground(&self) -> Result<Ground<'_>> {
        let fault = |error: rusqlite::Error| self.fail("write", &error);
        let last: i64 =
            self.sql.query_row("SELECT coalesce(max(id), 0) FROM frame", [], |row| row.get(0)).map_err(fault)?;
        let last = (last as FrameId).max(self.aside.as_ref().map_or(0, |aside| aside.borrow().last()));
        let packer = match self.payload {
            Payload::Full => None,
            payload => Some(Packer::new(&self.sql, payload, last as i64 + 1).map_err(fault)?),
        };
        Ok(Ground {
            packer,
            table: self.frame_table()?,
            aside: self.aside.as_ref(),
            next: last + 1,
            counts: Vec::new(),
            place: &self.place,
        })
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

    /// Rows may have been deleted since the last frame.
    pub fn goes_on(&mut self) {
        self.table.goes_on();
    }

    /// Writes what is still to be written; frames may follow.
    pub fn finish(&mut self) -> Result<()> {
        let packed = self.packer.as_mut().map_or(Ok(()), |packer| packer.write(self.next as i64));
        packed.and_then(|()| self.table.finish()).map_err(|error| failed("write", self.place, &error))
    }

    /// Gives the next frame this id, where it is not below that of any other; those between are left out.
    pub fn skip_to(&mut self, id: FrameId) {
        self.next = self.next.max(id);
    }

    /// Takes a frame, and the members of a batch behind it, to be written with others; returns its id.
    pub fn frame(&mut self, connection: u32, frame: &Frame<'_>) -> Result<FrameId> {
        let id = self.next;
        let (kind, extra) = (codes::frame_kind(frame), Extra::stored(frame));
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
        self.row(
            connection,
            frame,
            Row { kind, byte_offset: offset, message, extra, body, json, in_file: frame.in_file },
        )?;
        if let Body::Batch { text, members } = &frame.body {
            self.members(connection, frame, id, text, members)?;
        }
        Ok(id)
    }

    /// Members of a batch are rows of their own, with the batch's place and time.
    fn members(
        &mut self,
        connection: u32,
        frame: &Frame<'_>,
        batch: FrameId,
        text: &str,
        members: &[Member<'_>],
    ) -> Result<()> {
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
            let in_file = frame.in_file.map(|_| text_hash(text.as_bytes()));
            let row = Row { kind, byte_offset, message, extra, body: Text::Utf8(text), json: None, in_file };
            self.row(connection, frame, row)?;
        }
        Ok(())
    }

    fn row(&mut self, connection: u32, frame: &Frame<'_>, row: Row<'_>) -> Result<()> {
        let spelled = row.message.and_then(spelled);
        let body = match &mut self.packer {
            Some(packer) => packer
                .take(self.next as i64, row.body, row.in_file)
                .map_err(|error| failed("write", self.place, &error))?,
            None => row.body,
        };
        let columns = FrameColumns {
            id: self.next as i64,
            connection: (connection != NO_CONNECTION).then_some(i64::from(connection)),
            seq: self.count(connection),
            source: i64::from(frame.source),
            line: frame.line as i64,
            byte_offset: row.byte_offset as i64,
            at_us: frame.at_us,
            direction: codes::direction(frame.direction),
            kind: row.kind,
            method: row.message.and_then(|message| message.method.as_deref()),
            rpc_id: row.message.map_or(RpcId::None, |message| rpc_id(message, spelled.as_deref())),
            error_code: row.message.and_then(Message::error_code),
            bytes: row.body.length() as i64,
            extra: row.extra.as_deref(),
            body,
            json: row.json,
        };
        self.next += 1;
        match self.aside {
            // What is missing is always asked for.
            Some(aside) if row.kind != kind::GAP => aside.borrow_mut().frame(&columns, row.in_file),
            _ => self.table.append(&columns).map_err(|error| failed("write", self.place, &error)),
        }
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

/// An id by value: integers as INTEGER, all else as JSON text in one spelling, so that an index finds them.
fn rpc_id<'a>(message: &'a Message<'_>, spelled: Option<&'a str>) -> RpcId<'a> {
    match &message.id {
        IdField::Value(Id::Int(number)) => RpcId::Int(*number),
        IdField::Value(_) => spelled.or(message.id_text).map_or(RpcId::None, RpcId::Text),
        _ => RpcId::None,
    }
}

/// The one spelling of an id, where the log spells it in another way: a string without escapes stands there as it should.
fn spelled(message: &Message<'_>) -> Option<String> {
    match (&message.id, message.id_text) {
        (IdField::Value(Id::Int(_)), _) => None,
        (IdField::Value(Id::Text(_)), Some(raw)) if !raw.contains('\\') => None,
        (IdField::Value(id), _) => Some(id.to_json()),
        _ => None,
    }
}
