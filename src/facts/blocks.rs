//! Facts in blocks: rows of one connection that stand behind each other, as JSON lines in one zstd frame. An engine moves a few
//! thousand of them where it would move millions of rows, and looks into none; put behind each other they are what the audit reads.

use std::io::Write;

use rustc_hash::FxHashMap;
use zstd::bulk::Compressor;

use super::parquet::{Column, Table};
use super::place::source_order;
use super::row::{Row, Sink, kind};
use crate::error::{Error, Result};

/// Lines that make a block, in bytes.
pub const BLOCK: usize = 256 << 10;

/// Lines of all connections that are held at most, in bytes.
const HELD: usize = 16 << 20;

/// As fast as it gets: a row is much like the one before it.
const LEVEL: i32 = 1;

/// `place` is what sources sort by, so that no engine has to know how rotated logs are named.
const COLUMNS: [Column<'static>; 7] = [
    Column::Text("connection"),
    Column::Text("source"),
    Column::Text("place"),
    Column::Integer("seq"),
    Column::Text("kind"),
    Column::Text("text"),
    Column::Packed("rows"),
];

/// The block that a connection is writing.
struct Open {
    /// Place of its first row.
    seq: u64,
    lines: Vec<u8>,
}

/// Writes facts as blocks, in Parquet.
pub struct Blocks<W: Write + Send> {
    table: Table<W>,
    compressor: Compressor<'static>,
    source: String,
    place: String,
    open: FxHashMap<String, Open>,
    held: usize,
    name: String,
    /// What has to be done with the file once it is whole.
    whole: Box<dyn FnOnce(W) -> Result<()>>,
}

impl<W: Write + Send> Blocks<W> {
    /// Blocks into `out`, which errors call `name`; `whole` takes it back at the end.
    pub fn new(out: W, name: &str, whole: impl FnOnce(W) -> Result<()> + 'static) -> Result<Blocks<W>> {
        Ok(Blocks {
            table: Table::new(out, &COLUMNS, name)?,
            compressor: Compressor::new(LEVEL).map_err(|error| Error::io("write", name, &error))?,
            source: String::new(),
            place: String::new(),
            open: FxHashMap::default(),
            held: 0,
            name: name.to_string(),
            whole: Box::new(whole),
        })
    }

    fn fault(&self, error: &std::io::Error) -> Error {
        Error::io("write", &self.name, error)
    }

    /// A row into the block of its connection. Gives how long that is now.
    fn hold(&mut self, connection: &str, row: &Row<'_>) -> std::io::Result<usize> {
        if !self.open.contains_key(connection) {
            self.open.insert(connection.to_string(), Open { seq: row.seq, lines: Vec::new() });
        }
        let Some(open) = self.open.get_mut(connection) else { return Ok(0) };
        let before = open.lines.len();
        serde_json::to_writer(&mut open.lines, &row.audited())?;
        open.lines.push(b'\n');
        self.held += open.lines.len() - before;
        Ok(open.lines.len())
    }

    fn write(&mut self, connection: &str, open: &Open) -> Result<()> {
        self.held -= open.lines.len();
        let packed = self.compressor.compress(&open.lines).map_err(|error| self.fault(&error))?;
        let table = &mut self.table;
        table.text(Some(connection));
        table.text(Some(&self.source));
        table.text(Some(&self.place));
        table.integer(Some(open.seq as i64));
        table.text(Some(kind::BLOCK));
        table.text(None);
        table.packed(Some(packed));
        table.end_row()
    }

    fn write_all(&mut self) -> Result<()> {
        let mut all: Vec<(String, Open)> = std::mem::take(&mut self.open).into_iter().collect();
        all.sort_by(|one, other| one.0.cmp(&other.0));
        all.iter().try_for_each(|(connection, open)| self.write(connection, open))
    }
}

impl<W: Write + Send> Sink for Blocks<W> {
    fn row(&mut self, row: &Row<'_>) -> Result<()> {
        if self.source != row.source {
            self.write_all()?;
            self.source = row.source.to_string();
            self.place = source_order(&row.source);
        }
        let Some(connection) = row.connection.as_deref() else {
            let table = &mut self.table;
            table.text(None);
            table.text(Some(&row.source));
            table.text(Some(&self.place));
            table.integer(Some(row.seq as i64));
            table.text(Some(&row.kind));
            table.text(row.text.as_deref());
            table.packed(None);
            return table.end_row();
        };
        let length = self.hold(connection, row).map_err(|error| self.fault(&error))?;
        if self.held >= HELD {
            return self.write_all();
        }
        match if length >= BLOCK { self.open.remove(connection) } else { None } {
            Some(open) => self.write(connection, &open),
            None => Ok(()),
        }
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.write_all()?;
        (self.whole)(self.table.finish()?)
    }
}
