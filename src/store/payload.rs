//! How a database keeps the texts of messages: as they are, packed, or not at all where a log has them.
//!
//! A database that keeps them as they are can be read by any program. In the others `frame` is a view over `frame_row`
//! (`sql/statements/make_frames_lean.sql`), whose texts come from functions that this program gives SQLite:
//! `rpctape_packed(frame, first, length, block)`, where `rpctape_unpacked(first, length)` says whether the block is needed, and
//! `rpctape_logged(log, byte_offset, bytes, hash)`.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::Read;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Error, Result};
use zstd::bulk::Compressor;

use super::Store;
use super::columns::Text;
use super::logs::Logs;
use super::spool::{Pack, Unpack};

/// How the texts of messages are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Payload {
    /// As they are.
    #[default]
    Full,
    /// Packed, several together; nothing is lost.
    Compressed,
    /// Not at all where they stand in a log that can be read again, and packed elsewhere.
    None,
}

impl Payload {
    /// Its name, as it is typed and stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Payload::Full => "full",
            Payload::Compressed => "compressed",
            Payload::None => "none",
        }
    }

    /// The one that has this name.
    pub(super) fn from_name(name: &str) -> Option<Payload> {
        [Payload::Full, Payload::Compressed, Payload::None].into_iter().find(|payload| payload.as_str() == name)
    }
}

/// Where a database says how it keeps texts.
pub(super) const META: &str = "payload";

/// Texts that are packed together, in bytes. More cost more to be read one by one (a millisecond a MiB); less are not
/// packed as well, and leave a third of the pages of SQLite that hold them empty.
const BLOCK: usize = 2 << 20;

/// No block is larger, in bytes: SQLite itself holds no larger value.
const MOST: u64 = 1 << 30;

/// Who asks for packed texts asks for room: three times the CPU of level 3, and a twentieth less room.
const LEVEL: i32 = 6;

impl Store {
    /// Statements that write to the table of frames, or name an index of it, by the name that it has here.
    pub(super) fn of_rows<'s>(&self, sql: &'s str) -> Cow<'s, str> {
        match self.payload {
            Payload::Full => Cow::Borrowed(sql),
            _ => Cow::Owned(sql.replace("frame (", "frame_row (").replace("frame f INDEXED", "frame_row f INDEXED")),
        }
    }
}

/// Takes texts out of rows that are written.
pub(super) struct Packer<'s> {
    sql: &'s Connection,
    /// True if what stands in a log stays there.
    by_place: bool,
    compressor: Compressor<'static>,
    /// The first frame behind the last block.
    first: i64,
    texts: Vec<u8>,
}

impl<'s> Packer<'s> {
    /// For frames from an id on; what was packed of frames that are gone is forgotten.
    pub(super) fn new(sql: &'s Connection, payload: Payload, first: i64) -> Result<Packer<'s>> {
        sql.execute("DELETE FROM packed WHERE first >= ?1", [first])?;
        let compressor = Compressor::new(LEVEL).map_err(told)?;
        Ok(Packer { sql, by_place: payload == Payload::None, compressor, first, texts: Vec::new() })
    }

    /// What the row of a frame keeps of its text.
    pub(super) fn take<'t>(&mut self, id: i64, text: Text<'t>, in_file: Option<u64>) -> Result<Text<'t>> {
        if text.length() == 0 {
            return Ok(text);
        }
        let (is_text, bytes) = match text.by_place(in_file.filter(|_| self.by_place)) {
            Text::Utf8(text) => (1, text.as_bytes()),
            Text::Bytes(bytes) => (0, bytes),
            kept => return Ok(kept),
        };
        let mut pack = Pack(&mut self.texts);
        pack.number(id);
        pack.number(is_text);
        pack.bytes(bytes);
        if self.texts.len() >= BLOCK {
            self.write(id + 1)?;
        }
        Ok(Text::None)
    }

    /// Writes what was taken; `next` is the frame that follows.
    pub(super) fn write(&mut self, next: i64) -> Result<()> {
        let first = std::mem::replace(&mut self.first, next);
        if self.texts.is_empty() {
            return Ok(());
        }
        let packed = self.compressor.compress(&self.texts).map_err(told)?;
        // A text of some megabytes is not to be kept room for.
        match self.texts.capacity() > 4 * BLOCK {
            true => self.texts = Vec::new(),
            false => self.texts.clear(),
        }
        let mut insert = self.sql.prepare_cached("INSERT INTO packed (first, texts) VALUES (?1, ?2)")?;
        insert.execute((first, packed)).map(drop)
    }
}

/// Gives SQLite the functions that the view of frames calls.
pub(super) fn register(sql: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8;
    let block = Arc::new(Mutex::new(Block::default()));
    let asked = Arc::clone(&block);
    sql.create_scalar_function("rpctape_unpacked", 2, flags, move |call| {
        let block = asked.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(block.name == Some((call.get(0)?, call.get(1)?)))
    })?;
    sql.create_scalar_function("rpctape_packed", 4, flags, move |call| {
        let mut block = block.lock().unwrap_or_else(PoisonError::into_inner);
        if let ValueRef::Blob(packed) = call.get_raw(3) {
            block.unpack((call.get(1)?, call.get(2)?), packed)?;
        }
        Ok(block.text(call.get(0)?))
    })?;
    let flags = flags | FunctionFlags::SQLITE_DETERMINISTIC;
    let logs = Mutex::new(Logs::default());
    sql.create_scalar_function("rpctape_logged", 4, flags, move |call| {
        let mut logs = logs.lock().unwrap_or_else(PoisonError::into_inner);
        logged(&mut logs, call)
    })
}

/// The block that was read last: frames are mostly read one behind the other.
#[derive(Default)]
struct Block {
    /// Its first frame and its length, packed.
    name: Option<(i64, i64)>,
    bytes: Vec<u8>,
    /// The texts in it by their frames, which stand in order: where each is, and whether it is UTF-8.
    texts: Vec<(i64, Range<usize>, bool)>,
}

impl Block {
    fn unpack(&mut self, name: (i64, i64), packed: &[u8]) -> Result<()> {
        self.name = None;
        self.bytes.clear();
        self.texts.clear();
        let unpacked =
            zstd::Decoder::with_buffer(packed).and_then(|texts| texts.take(MOST).read_to_end(&mut self.bytes));
        unpacked.map_err(told)?;
        let mut rest = Unpack(&self.bytes);
        while !rest.0.is_empty() {
            let (id, is_text, text) = (rest.number(), rest.number() == 1, rest.bytes());
            let end = self.bytes.len() - rest.0.len();
            self.texts.push((id, end - text.len()..end, is_text));
        }
        self.name = Some(name);
        Ok(())
    }

    fn text(&self, frame: i64) -> Value {
        let Ok(at) = self.texts.binary_search_by_key(&frame, |(id, ..)| *id) else { return Value::Null };
        let (_, range, is_text) = &self.texts[at];
        let bytes = &self.bytes[range.clone()];
        let text = if *is_text { std::str::from_utf8(bytes).ok() } else { None };
        text.map_or_else(|| Value::Blob(bytes.to_vec()), |text| Value::Text(text.to_string()))
    }
}

/// A text where it stands in its log. NULL where it does not stand there any more, which is noted.
fn logged(logs: &mut Logs, call: &Context<'_>) -> Result<Value> {
    let name: Option<String> = call.get(0)?;
    let (offset, length, hash): (i64, i64, i64) = (call.get(1)?, call.get(2)?, call.get(3)?);
    let name = name.unwrap_or_default();
    match logs.text(&name, offset as u64, length as usize, hash as u64) {
        Some(text) => Ok(Value::Text(text)),
        None => {
            gone().insert(name);
            Ok(Value::Null)
        }
    }
}

fn gone() -> std::sync::MutexGuard<'static, BTreeSet<String>> {
    static GONE: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    GONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Logs that this process looked into for a text which a database does not hold, and which does not stand there any more.
pub fn gone_logs() -> Vec<String> {
    gone().iter().cloned().collect()
}

fn told(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::UserFunctionError(error.into())
}
