//! Writes frames: the hot path of an ingest. One prepared statement for a few rows at a time, values bound as they are.

use std::borrow::Cow;
use std::cell::RefCell;

use rusqlite::types::Null;
use rusqlite::{Connection, Statement, ToSql};

use super::Store;
use super::aside::Aside;
use super::codes::{self, kind, message_kind};
use super::columns::{FrameColumns, RpcId, Text};
use super::extra::Extra;
use super::fail::failed;
use super::payload::{Packer, Payload};
use super::several::{ROWS, several};
use crate::capture::{Body, Captured, Frame, Member, text_hash};
use crate::error::Result;
use crate::jsonrpc::{Id, IdField, Message};
use crate::session::{FrameId, NO_CONNECTION};

const INSERT_FRAME: &str = include_str!("../../sql/statements/insert_frame.sql");
const INSERT_FRAME_AT: &str = include_str!("../../sql/statements/insert_frame_at.sql");
const INSERT_BLOCK: &str = include_str!("../../sql/statements/insert_frame_block.sql");
const INSERT_MISSING: &str = "INSERT INTO missing (frame) VALUES (?1)";

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

    /// The table of frames, to be written to.
    pub(super) fn frame_table(&self) -> Result<Table<'_>> {
        let insert =
            self.sql.prepare(&several(&self.of_rows(INSERT_FRAME))).map_err(|error| self.fail("write", &error))?;
        let (slots, blocks) = (Default::default(), Blocks::default());
        let at = self.of_rows(INSERT_FRAME_AT);
        Ok(Table { sql: &self.sql, insert, at, insert_at: None, slots, waiting: 0, large: false, last: None, blocks })
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
        self.table.last = None;
        self.table.blocks.last.clear();
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

/// How many columns a row has, without its id.
const WIDTH: usize = 15;
/// The longest text that waits for others, in bytes.
const LARGE: usize = 64 << 10;

/// True for a row with a text that SQLite is not to keep.
fn is_large(row: &FrameColumns<'_>) -> bool {
    row.body.length() + row.json.map_or(0, str::len) > LARGE
}

/// The table of frames, to be written to.
pub(super) struct Table<'s> {
    sql: &'s Connection,
    /// For a few rows behind all others.
    insert: Statement<'s>,
    /// The statement for one row with an id of its own.
    at: Cow<'s, str>,
    insert_at: Option<(Statement<'s>, Slot)>,
    /// What is bound to the parameters of each row.
    slots: [Slot; ROWS],
    /// How many rows are bound and not yet written.
    waiting: usize,
    /// True if a text among them is large: SQLite is not to keep it.
    large: bool,
    /// The row that came last, where no other stands behind it.
    last: Option<i64>,
    blocks: Blocks,
}

#[derive(Default)]
struct Slot {
    nulls: Nulls,
    bound: Bound,
}

impl Slot {
    /// Binds the columns of a row to the parameters behind `base`, which are in the order of the statement.
    fn bind(&mut self, insert: &mut Statement<'_>, base: usize, row: &FrameColumns<'_>) -> rusqlite::Result<()> {
        let Slot { nulls, bound } = self;
        bound.bind(insert, base, 1, row.connection)?;
        insert.raw_bind_parameter(base + 2, row.seq)?;
        bound.bind(insert, base, 3, Some(row.source))?;
        insert.raw_bind_parameter(base + 4, row.line)?;
        insert.raw_bind_parameter(base + 5, row.byte_offset)?;
        nulls.bind(insert, base, 6, row.at_us)?;
        bound.bind(insert, base, 7, Some(row.direction))?;
        bound.bind(insert, base, 8, Some(row.kind))?;
        nulls.bind(insert, base, 9, row.method)?;
        match row.rpc_id {
            RpcId::None => nulls.bind(insert, base, 10, None::<i64>)?,
            RpcId::Int(number) => nulls.bind(insert, base, 10, Some(number))?,
            RpcId::Text(text) => nulls.bind(insert, base, 10, Some(text))?,
        }
        nulls.bind(insert, base, 11, row.error_code)?;
        insert.raw_bind_parameter(base + 12, row.bytes)?;
        nulls.bind(insert, base, 13, row.extra)?;
        match row.body {
            Text::None => insert.raw_bind_parameter(base + 14, Null)?,
            Text::InFile(_, hash) => insert.raw_bind_parameter(base + 14, hash as i64)?,
            Text::Utf8(text) => insert.raw_bind_parameter(base + 14, text)?,
            Text::Bytes(bytes) => insert.raw_bind_parameter(base + 14, bytes)?,
        }
        nulls.bind(insert, base, 15, row.json)
    }
}

impl Table<'_> {
    /// Takes a row behind all others. SQLite gives the id that follows the last one without looking for a row that has it.
    fn append(&mut self, row: &FrameColumns<'_>) -> rusqlite::Result<()> {
        if self.last.replace(row.id) != Some(row.id - 1) {
            return self.insert(row);
        }
        self.slots[self.waiting].bind(&mut self.insert, self.waiting * WIDTH, row)?;
        self.waiting += 1;
        self.large |= is_large(row);
        if self.waiting == ROWS || self.large {
            self.write()?;
        }
        debug_assert!(
            self.waiting > 0 || self.sql.last_insert_rowid() == row.id,
            "a frame has the id that it was told"
        );
        self.noted(row)
    }

    /// Takes a row among others.
    pub(super) fn insert(&mut self, row: &FrameColumns<'_>) -> rusqlite::Result<()> {
        self.write()?;
        let (insert, slot) = match &mut self.insert_at {
            Some(insert) => insert,
            none => none.insert((self.sql.prepare(&self.at)?, Slot::default())),
        };
        slot.bind(insert, 0, row)?;
        insert.raw_bind_parameter(WIDTH + 1, row.id)?;
        insert.raw_execute()?;
        if is_large(row) {
            insert.clear_bindings();
            *slot = Slot::default();
        }
        self.noted(row)
    }

    /// Notes what stands in other tables of a row.
    fn noted(&mut self, row: &FrameColumns<'_>) -> rusqlite::Result<()> {
        if row.connection.is_some_and(|connection| self.blocks.note(connection, row.id)) {
            self.finish()?;
        }
        if row.kind == kind::GAP {
            // Prepared when it is needed: what SQLite keeps at hand for its cursors is little, and a statement takes of it.
            self.sql.prepare_cached(INSERT_MISSING)?.execute([row.id])?;
        }
        Ok(())
    }

    /// Writes all that was taken, and in which blocks connections have frames: at the end, and before anything asks for it.
    /// Blocks in order, because rows that go in one behind the other cost a tenth of those that go in anywhere.
    pub(super) fn finish(&mut self) -> rusqlite::Result<()> {
        self.write()?;
        let mut insert = self.sql.prepare_cached(INSERT_BLOCK)?;
        self.blocks.begun.sort_unstable();
        self.blocks.begun.drain(..).try_for_each(|block| insert.execute(block).map(drop))
    }

    /// Writes the rows that wait.
    fn write(&mut self) -> rusqlite::Result<()> {
        let rows = std::mem::take(&mut self.waiting);
        if rows > 0 {
            self.insert.raw_bind_parameter(ROWS * WIDTH + 1, rows as i64)?;
            self.insert.raw_execute()?;
        }
        if std::mem::take(&mut self.large) {
            self.insert.clear_bindings();
            self.slots = Default::default();
        }
        Ok(())
    }
}

/// How many frames stand in a block, by their ids; statements that find the frames of a connection say the same number.
const BLOCK: i64 = 256;

/// Blocks in which connections have frames, and are not yet named to have.
#[derive(Default)]
struct Blocks {
    /// That of the last frame of each connection, by its id.
    last: Vec<i64>,
    /// Connection and block.
    begun: Vec<(i64, i64)>,
}

impl Blocks {
    /// Notes a frame of a connection; true if so many blocks are waiting that they are better written.
    fn note(&mut self, connection: i64, frame: i64) -> bool {
        const MANY: usize = 1 << 15;
        let (at, block) = (connection as usize, frame / BLOCK);
        if self.last.len() <= at {
            self.last.resize(at + 1, -1);
        }
        if self.last.get_mut(at).is_some_and(|last| std::mem::replace(last, block) != block) {
            self.begun.push((connection, block));
        }
        self.begun.len() >= MANY
    }
}

/// What is bound to parameters whose value most frames share with the frame before them; what is bound stays bound.
#[derive(Default)]
struct Bound([Option<i64>; WIDTH]);

impl Bound {
    /// Binds the parameter `at` of those behind `base`.
    fn bind(&mut self, insert: &mut Statement<'_>, base: usize, at: usize, value: Option<i64>) -> rusqlite::Result<()> {
        match self.0.get_mut(at) {
            Some(bound) if *bound == value => return Ok(()),
            Some(bound) => *bound = value,
            None => {}
        }
        insert.raw_bind_parameter(base + at, value)
    }
}

/// Which parameters hold a value. Most frames leave the same ones NULL, and what is bound stays bound.
#[derive(Default)]
struct Nulls(u32);

impl Nulls {
    /// Binds the parameter `at` of those behind `base`.
    fn bind<T: ToSql>(
        &mut self,
        insert: &mut Statement<'_>,
        base: usize,
        at: usize,
        value: Option<T>,
    ) -> rusqlite::Result<()> {
        match value {
            Some(value) => {
                self.0 |= 1 << at;
                insert.raw_bind_parameter(base + at, value)
            }
            None if self.0 & 1 << at == 0 => Ok(()),
            None => {
                self.0 &= !(1 << at);
                insert.raw_bind_parameter(base + at, Null)
            }
        }
    }
}
