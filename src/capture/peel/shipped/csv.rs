//! CSV exports: a row a record, the columns named by the first row.
//!
//! Each row becomes a JSON object and is read as one: a column with messages, directions and times is a wrapper, one with the
//! lines of a log is an export like any other. Rows that stand newest first are turned round. (RFC 4180, with commas,
//! semicolons or tabs.) Tables in JSON whose rows are lists are read as such, too.

use csv::{ReaderBuilder, StringRecord};

use super::super::nested::Readers;
use super::super::peeler::Peeled;
use super::super::{DEPTH, Inside};
use super::named_rows::{NamedRow, cells, named_rows};
use super::order::{merely_jitter, newest_first, with_others};
use super::torn_rows::{Torn, torn, without};
use crate::capture::format::{Format, Match, Reader, WholeReader};
use crate::capture::lines::LineNumbers;
use crate::capture::out::Out;
use crate::capture::sample::Sample;
use crate::capture::{Skip, time};
use crate::error::Result;
use crate::json::scan::value_end;
use crate::jsonrpc::{NoLift, parse_at};

/// The format.
pub(crate) struct Csv {
    inside: Inside,
}

impl Csv {
    /// Tables around a log in any of the formats that `inside` knows.
    pub(in crate::capture) const fn around(inside: Inside) -> Csv {
        Csv { inside }
    }
}

/// The longest name of a column, in bytes.
const LONGEST_NAME: usize = 40;

/// One row: the record that it makes, and where it starts.
struct Row {
    json: String,
    line: u64,
    offset: u64,
    end: usize,
    at_us: Option<i64>,
    harm: Harm,
    /// Of a row that shares its line with others: how much further on its message stands in the record, in bytes.
    moved: Option<u64>,
}

impl Row {
    /// One that broke off: it makes no record.
    fn torn(torn: Torn) -> Row {
        let Torn { line, range } = torn;
        let (offset, end) = (range.start as u64, range.end);
        Row { json: String::new(), line, offset, end, at_us: None, harm: Harm::Torn, moved: None }
    }
}

/// What became of a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Harm {
    None,
    /// Its last cell is JSON without its end.
    Cut,
    /// It broke off, or another stands in it.
    Torn,
}

impl Harm {
    fn of(record: &StringRecord, columns: usize) -> Harm {
        let last = record.iter().next_back().filter(|cell| is_cut(cell));
        let is_torn = record.len() > 1 && record.len() != columns || last.is_some_and(breaks_at_quote);
        if is_torn { Harm::Torn } else { last.map_or(Harm::None, |_| Harm::Cut) }
    }
}

/// True for JSON that may go on with a quote. Between two quotes that mean one a row breaks off as if it had ended.
fn breaks_at_quote(cell: &str) -> bool {
    parse_at::<NoLift>(&format!("{cell}\""), 0).is_err_and(|fault| fault.cut)
}

/// What stands between the columns of a text, told by its first line.
fn delimiter(text: &str) -> Option<u8> {
    let first = text.lines().next()?;
    if first.starts_with(['{', '[']) {
        return None;
    }
    let count = |byte: &u8| first.bytes().filter(|other| other == byte).count();
    [b',', b';', b'\t'].into_iter().max_by_key(count).filter(|byte| count(byte) > 0)
}

/// The rows that broke off.
fn broken_off(text: &str) -> Vec<Torn> {
    delimiter(text).map(|delimiter| torn(text, char::from(delimiter))).unwrap_or_default()
}

fn is_cut(cell: &str) -> bool {
    let cell = cell.trim_start();
    cell.starts_with(['{', '[']) && value_end(cell.as_bytes(), 0).is_none()
}

/// True for what may be the name of a column. A sentence with a comma in it is no head of a table.
fn is_name(cell: &str) -> bool {
    let cell = cell.trim();
    !cell.is_empty() && cell.len() <= LONGEST_NAME && !cell.contains(['{', '\n']) && !cell.contains(": ")
}

/// The rows of tables in JSON.
fn rows_of_json(text: &str) -> Option<Vec<Row>> {
    let mut lines = LineNumbers::new(text);
    let rows = named_rows(text)?.into_iter().map(|NamedRow { json, range, moved }| {
        let line = lines.of(range.start);
        let at_us = cells(&json).find_map(time::parse).map(|time| time.us);
        let (offset, moved) = (range.start as u64, Some(moved as u64));
        Row { json, line, offset, end: range.end, at_us, harm: Harm::None, moved }
    });
    Some(rows.collect())
}

/// The rows of a text. The last of a text that is cut off is left out.
fn rows(text: &str, whole: bool) -> Option<Vec<Row>> {
    if let Some(rows) = rows_of_json(text) {
        return Some(rows);
    }
    let mut reader =
        ReaderBuilder::new().delimiter(delimiter(text)?).has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut record = StringRecord::new();
    if !reader.read_record(&mut record).ok()? || record.len() < 2 || !record.iter().all(is_name) {
        return None;
    }
    let names = record.clone();
    let (mut rows, mut odd) = (Vec::new(), 0);
    let mut lines = LineNumbers::new(text);
    while reader.read_record(&mut record).ok()? {
        // The place that is told may be that of the end of the line before, of which the first sign ended the record.
        let told = usize::try_from(record.position()?.byte()).ok()?;
        let offset = told + text.as_bytes().get(told..)?.iter().take_while(|byte| b"\r\n".contains(byte)).count();
        let line = lines.of(offset);
        let cells: serde_json::Map<String, serde_json::Value> =
            names.iter().map(str::trim).map(str::to_string).zip(record.iter().map(Into::into)).collect();
        let at_us = record.iter().find_map(time::parse).map(|time| time.us);
        odd += usize::from(record.len() != names.len());
        let json = serde_json::Value::Object(cells).to_string();
        let harm = Harm::of(&record, names.len());
        let end = usize::try_from(reader.position().byte()).ok()?;
        rows.push(Row { json, line, offset: offset as u64, end, at_us, harm, moved: None });
    }
    // A text with a comma in its first line is no table.
    if odd * 10 > rows.len() {
        return None;
    }
    if !whole && rows.len() > 1 {
        rows.pop();
    }
    Some(rows)
}

/// Puts rows into the order of their times; those of one time are turned round where the table stands newest first.
fn in_order(rows: &mut [Row]) {
    if newest_first(rows.iter().filter_map(|row| row.at_us)) {
        rows.reverse();
    }
    let times = || rows.iter().filter_map(|row| row.at_us);
    if times().count() == rows.len() && !merely_jitter(times()) {
        rows.sort_by_key(|row| row.at_us);
    }
}

fn peel(sample: &Sample) -> Option<Sample> {
    let text = sample.text();
    let mut rows = rows(&without(text, &broken_off(text)), sample.whole)?;
    in_order(&mut rows);
    let read = rows.iter().filter(|row| row.harm != Harm::Torn);
    let text: String = read.flat_map(|row| [row.json.as_str(), "\n"]).collect();
    Some(Sample::peeled(text.as_bytes(), sample))
}

impl Format for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn about(&self) -> &'static str {
        "rows of comma-separated values with named columns, around messages or a log in any other format"
    }

    fn chain(&self, sample: &Sample) -> String {
        peel(sample).map_or(self.name().to_string(), |peeled| self.inside.chain(self.name(), &peeled))
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        if sample.depth >= DEPTH {
            return None;
        }
        let peeled = peel(sample)?;
        let (_, found) = self.inside.of(&peeled)?;
        let where_named = if sample.text().starts_with('{') { "it" } else { "its first line" };
        Match::new(80, format!("{where_named} names the columns of a table; inside, {}", found.reason))
    }

    fn reader(&self, sample: &Sample) -> Reader {
        let peeled = peel(sample).unwrap_or_else(|| Sample::peeled(b"", sample));
        Reader::Whole(Box::new(CsvReader { readers: Readers::new(peeled, self.inside) }))
    }
}

struct CsvReader {
    readers: Readers,
}

impl WholeReader for CsvReader {
    fn read(&mut self, text: &str, base: u64, out: &mut Out<'_>) -> Result<()> {
        let torn = broken_off(text);
        let Some(mut rows) = rows(&without(text, &torn), true) else {
            out.skip(1, Skip::NotAMessage);
            return Ok(());
        };
        in_order(&mut rows);
        match rows.iter().all(|row| row.moved.is_some()) {
            true => out.order().arrange(&mut rows, |row| base + row.offset..base + row.end as u64),
            false => out.order().arrange_by_line(&mut rows, |row| row.line),
        }
        out.skip(1, Skip::Header);
        out.reads_in_turns();
        let rows = with_others(rows, torn.into_iter().map(Row::torn).collect(), |row| row.line);
        let last = rows.iter().map(|row| row.offset).max().filter(|_| !text.ends_with('\n'));
        for Row { json, line, offset, end, harm, moved, .. } in &rows {
            out.turn_to(*line);
            let ends = Some(*offset) == last || json.is_empty() && *end == text.len();
            if *harm != Harm::None && ends {
                out.skip(*line, Skip::CutOff);
                continue;
            }
            let written = &text.as_bytes()[*offset as usize..*end];
            if *harm == Harm::Torn {
                out.unread(*line, written)?;
                continue;
            }
            let offset = (base + offset).saturating_sub(moved.unwrap_or(0));
            let row = Peeled { key: "", number: *line, offset, time: "", bytes: json.as_bytes(), ended: true };
            self.readers.give(&row, out)?;
            out.looked_at(*line, written)?;
        }
        self.readers.end(out)
    }
}
