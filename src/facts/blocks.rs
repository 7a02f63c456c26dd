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
const BLOCK: usize = 256 << 10;

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

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    use super::*;
    use crate::facts::{Reader, unpacked};

    fn row(connection: &str, seq: u64) -> Row<'_> {
        let (kind, text) = (Cow::Borrowed("request"), Some(Cow::Borrowed("{\"method\":\"x\"}")));
        let method = Some(Cow::Borrowed("x"));
        Row { connection: Some(connection.into()), source: "a.log.1".into(), seq, kind, text, method, ..Row::default() }
    }

    #[test]
    fn blocks_of_a_connection_are_its_rows_as_the_audit_reads_them() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let out = file.reopen().expect("a file");
        let mut blocks = Box::new(Blocks::new(out, "x", |_| Ok(())).expect("a table"));
        let many = (BLOCK as u64) / 60;
        for seq in 1..=many {
            blocks.row(&row(["one", "two"][seq as usize % 2], seq)).expect("a row");
        }
        blocks.row(&Row::about("a.log.1", many + 1, "{}".to_string())).expect("a row");
        (blocks as Box<dyn Sink>).finish().expect("whole");

        let reader = SerializedFileReader::new(file.reopen().expect("a file")).expect("parquet");
        let (mut packed, mut found) = (Vec::new(), 0);
        for line in reader.get_row_iter(None).expect("rows").flatten() {
            assert_eq!(line.get_string(2).expect("a place"), &source_order("a.log.1"));
            match line.get_string(4).map(String::as_str) {
                Ok(kind::BLOCK) if line.get_string(0).is_ok_and(|name| name == "one") => {
                    packed.extend_from_slice(line.get_bytes(6).expect("bytes").data());
                    found += 1;
                }
                Ok(kind::BLOCK) => {}
                other => assert_eq!(other.ok(), Some(kind::SOURCE)),
            }
        }
        assert!(found > 1, "{found} blocks");
        let mut rows = Reader::new(unpacked(Box::new(std::io::Cursor::new(packed))).expect("frames"), "x");
        for seq in (2..=many).step_by(2) {
            assert_eq!(rows.peek().expect("a row"), Some(Row { method: None, ..row("one", seq) }));
            rows.take();
        }
        assert_eq!(rows.peek().expect("the end"), None);
    }
}
