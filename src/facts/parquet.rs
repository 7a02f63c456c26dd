//! Parquet files: tables of integers and texts, in groups of rows, compressed. Columns are written by the low-level interface of
//! the crate: Arrow would be ten times the code for the same bytes.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;

use super::place::source_order;
use super::row::{Row, Sink};
use crate::error::{Error, ErrorKind, Result};

/// Rows and bytes of text that make a group: enough to compress well, few enough to be held.
const ROWS: usize = 65_536;
const BYTES: usize = 16 << 20;

/// What a column holds; any value may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column<'a> {
    /// Integers of 64 bits.
    Integer(&'a str),
    /// Text.
    Text(&'a str),
    /// Bytes that are compressed already.
    Packed(&'a str),
}

/// Values of one column that wait for their group.
enum Values {
    Integers(Vec<i64>),
    Texts(Vec<ByteArray>),
}

impl Values {
    fn of(column: &Column<'_>) -> Values {
        match column {
            Column::Integer(_) => Values::Integers(Vec::new()),
            Column::Text(_) | Column::Packed(_) => Values::Texts(Vec::new()),
        }
    }
}

struct Held {
    values: Values,
    /// 1 where there is a value, 0 where none.
    there: Vec<i16>,
}

/// A table on its way into a file.
pub struct Table<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    held: Vec<Held>,
    /// Texts that wait, in bytes.
    bytes: usize,
    /// The column that the next value goes to.
    at: usize,
    name: String,
}

impl<W: Write + Send> Table<W> {
    /// A table with these columns into `out`, which errors call `name`.
    pub fn new(out: W, columns: &[Column<'_>], name: &str) -> Result<Table<W>> {
        let declared: String = columns
            .iter()
            .map(|column| match column {
                Column::Integer(name) => format!("optional int64 {name};"),
                Column::Text(name) => format!("optional binary {name} (STRING);"),
                Column::Packed(name) => format!("optional binary {name};"),
            })
            .collect();
        let fault = |error: ParquetError| failed(name, &error);
        let schema = parse_message_type(&format!("message rpctape {{ {declared} }}")).map_err(fault)?;
        let level = ZstdLevel::try_new(3).map_err(fault)?;
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_created_by(concat!("rpctape ", env!("CARGO_PKG_VERSION")).to_string());
        for column in columns {
            if let Column::Packed(name) = column {
                let place = || ColumnPath::from(*name);
                properties = properties
                    .set_column_compression(place(), Compression::UNCOMPRESSED)
                    .set_column_dictionary_enabled(place(), false)
                    .set_column_statistics_enabled(place(), EnabledStatistics::None);
            }
        }
        let properties = properties.build();
        let writer = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties)).map_err(fault)?;
        let held = columns.iter().map(|column| Held { values: Values::of(column), there: Vec::new() });
        Ok(Table { writer, held: held.collect(), bytes: 0, at: 0, name: name.to_string() })
    }

    /// The next value of this row, as an integer; a column of texts gets its digits.
    pub fn integer(&mut self, value: Option<i64>) {
        let held = &mut self.held[self.at];
        match (&mut held.values, value) {
            (Values::Integers(list), Some(value)) => list.push(value),
            (Values::Texts(list), Some(value)) => list.push(ByteArray::from(value.to_string().as_str())),
            (_, None) => {}
        }
        held.there.push(i16::from(value.is_some()));
        self.at = (self.at + 1) % self.held.len();
    }

    /// The next value of this row, as text; a column of integers gets one where it is one.
    pub fn text(&mut self, value: Option<&str>) {
        let held = &mut self.held[self.at];
        let there = match (&mut held.values, value) {
            (Values::Texts(list), Some(value)) => {
                self.bytes += value.len();
                list.push(ByteArray::from(value));
                true
            }
            (Values::Integers(list), Some(value)) => value.parse().map(|value| list.push(value)).is_ok(),
            (_, None) => false,
        };
        held.there.push(i16::from(there));
        self.at = (self.at + 1) % self.held.len();
    }

    /// The next value of this row, as bytes; for columns of them.
    pub fn packed(&mut self, value: Option<Vec<u8>>) {
        let held = &mut self.held[self.at];
        let there = match (&mut held.values, value) {
            (Values::Texts(list), Some(value)) => {
                self.bytes += value.len();
                list.push(ByteArray::from(value));
                true
            }
            _ => false,
        };
        held.there.push(i16::from(there));
        self.at = (self.at + 1) % self.held.len();
    }

    /// A row has all its values: groups are written as they are full.
    pub fn end_row(&mut self) -> Result<()> {
        let rows = self.held.first().map_or(0, |held| held.there.len());
        if rows >= ROWS || self.bytes >= BYTES { self.flush() } else { Ok(()) }
    }

    /// Writes what waits, and the end of the file. Gives back what was written to.
    pub fn finish(mut self) -> Result<W> {
        self.flush()?;
        let name = std::mem::take(&mut self.name);
        self.writer.into_inner().map_err(|error| failed(&name, &error))
    }

    fn flush(&mut self) -> Result<()> {
        if self.held.first().is_none_or(|held| held.there.is_empty()) {
            return Ok(());
        }
        self.bytes = 0;
        group(&mut self.writer, &mut self.held).map_err(|error| failed(&self.name, &error))
    }
}

fn group<W: Write + Send>(
    writer: &mut SerializedFileWriter<W>,
    held: &mut [Held],
) -> std::result::Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for held in held {
        let Some(mut column) = group.next_column()? else { break };
        let there = Some(held.there.as_slice());
        match (column.untyped(), &mut held.values) {
            (ColumnWriter::Int64ColumnWriter(column), Values::Integers(list)) => {
                column.write_batch(list, there, None)?;
                list.clear();
            }
            (ColumnWriter::ByteArrayColumnWriter(column), Values::Texts(list)) => {
                column.write_batch(list, there, None)?;
                list.clear();
            }
            _ => return Err(ParquetError::General("a column is not of its declared type".into())),
        }
        held.there.clear();
        column.close()?;
    }
    group.close().map(drop)
}

fn failed(name: &str, error: &ParquetError) -> Error {
    Error::new(ErrorKind::Io, format!("cannot write {name}: {error}"))
}

/// The columns of facts, in their order.
const FACTS: [Column<'static>; 18] = [
    Column::Text("connection"),
    Column::Text("source"),
    Column::Integer("seq"),
    Column::Text("kind"),
    Column::Integer("channel"),
    Column::Integer("line"),
    Column::Integer("byte_offset"),
    Column::Integer("bytes"),
    Column::Integer("at_us"),
    Column::Text("direction"),
    Column::Text("method"),
    Column::Text("rpc_id"),
    Column::Integer("error_code"),
    Column::Text("text"),
    Column::Text("extra"),
    Column::Text("secret"),
    Column::Text("raw"),
    Column::Text("place"),
];

/// Writes facts as Parquet.
pub struct Rows<W: Write + Send> {
    table: Table<W>,
    /// The last source, and what it sorts by.
    place: (String, String),
    /// What has to be done with the file once it is whole.
    whole: Box<dyn FnOnce(W) -> Result<()>>,
}

impl<W: Write + Send> Rows<W> {
    /// Facts into `out`, which errors call `name`; `whole` takes it back at the end.
    pub fn new(out: W, name: &str, whole: impl FnOnce(W) -> Result<()> + 'static) -> Result<Rows<W>> {
        Ok(Rows { table: Table::new(out, &FACTS, name)?, place: Default::default(), whole: Box::new(whole) })
    }
}

impl<W: Write + Send> Sink for Rows<W> {
    fn row(&mut self, row: &Row<'_>) -> Result<()> {
        if self.place.0 != row.source {
            self.place = (row.source.to_string(), source_order(&row.source));
        }
        let table = &mut self.table;
        table.text(row.connection.as_deref());
        table.text(Some(&row.source));
        table.integer(Some(row.seq as i64));
        table.text(Some(&row.kind));
        table.integer(row.channel.map(i64::from));
        table.integer(Some(row.line as i64));
        table.integer(Some(row.byte_offset as i64));
        table.integer(Some(row.bytes as i64));
        table.integer(row.at_us);
        table.text(row.direction.as_deref());
        table.text(row.method.as_deref());
        table.text(row.rpc_id.as_deref());
        table.integer(row.error_code);
        table.text(row.text.as_deref());
        table.text(row.extra.as_deref());
        table.text(row.secret.as_deref());
        table.text(row.raw.as_deref());
        table.text(Some(&self.place.1));
        table.end_row()
    }

    fn finish(self: Box<Self>) -> Result<()> {
        (self.whole)(self.table.finish()?)
    }
}
