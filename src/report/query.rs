//! Rows of a query: a table for people, CSV for spreadsheets, JSON lines for programs.

use std::io::{self, Write};

use serde_json::Value;

use super::columns::{Lean, Table};
use super::escape::{escape, json};
use super::{Style, columns};
use crate::store::Cell;

/// The widest cell that a table shows; CSV and JSON have it whole.
const CELL: usize = 80;

/// A value as text; NULL is empty.
fn text_of(cell: &Cell<'_>) -> String {
    match cell {
        Cell::Null => String::new(),
        Cell::Integer(n) => n.to_string(),
        Cell::Real(x) => format!("{x:?}"),
        Cell::Text(text) => (*text).to_string(),
        Cell::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// A format for rows.
pub trait RowFormat {
    /// The names of the columns; comes first.
    fn head(&mut self, out: &mut dyn Write, columns: &[String]) -> io::Result<()>;
    /// One row.
    fn row(&mut self, out: &mut dyn Write, cells: &[Cell<'_>]) -> io::Result<()>;
    /// The end.
    fn finish(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// `--format table`.
pub struct Grid {
    style: Style,
    columns: Vec<String>,
    /// Whether each column holds nothing but numbers.
    numeric: Vec<bool>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// The format for a place.
    pub fn new(style: Style) -> Grid {
        Grid { style, columns: Vec::new(), numeric: Vec::new(), rows: Vec::new() }
    }
}

impl RowFormat for Grid {
    fn head(&mut self, _: &mut dyn Write, columns: &[String]) -> io::Result<()> {
        self.columns = columns.to_vec();
        self.numeric = vec![true; columns.len()];
        Ok(())
    }

    fn row(&mut self, _: &mut dyn Write, cells: &[Cell<'_>]) -> io::Result<()> {
        // Long cells are cut before they are kept: a table over a large log stays small.
        let mut row = Vec::with_capacity(cells.len());
        for (cell, numeric) in cells.iter().zip(&mut self.numeric) {
            *numeric &= !matches!(cell, Cell::Text(_) | Cell::Blob(_));
            row.push(columns::fit(&escape(&text_of(cell)), CELL));
        }
        self.rows.push(row);
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let lean = |numeric: bool| if numeric && !self.rows.is_empty() { Lean::Right } else { Lean::Left };
        let head = self.columns.iter().zip(&self.numeric).map(|(name, numeric)| (name.clone(), lean(*numeric)));
        let mut table = Table::new(head);
        self.rows.drain(..).for_each(|row| table.row(row));
        for line in table.lines(0, self.style.width) {
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}

/// `--format csv`. Control characters are shown, not sent; a cell that a spreadsheet would take for a formula gets an
/// apostrophe in front.
#[derive(Default)]
pub struct Csv;

impl Csv {
    fn line(out: &mut dyn Write, cells: impl Iterator<Item = String>) -> io::Result<()> {
        let cells: Vec<String> = cells.collect();
        writeln!(out, "{}", cells.join(","))
    }
}

fn csv_text(text: &str) -> String {
    let text = escape(text);
    let guard = if text.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
    match text.contains([',', '"']) || text.starts_with(' ') || text.ends_with(' ') {
        true => format!("\"{guard}{}\"", text.replace('"', "\"\"")),
        false => format!("{guard}{text}"),
    }
}

impl RowFormat for Csv {
    fn head(&mut self, out: &mut dyn Write, columns: &[String]) -> io::Result<()> {
        Csv::line(out, columns.iter().map(|name| csv_text(name)))
    }

    fn row(&mut self, out: &mut dyn Write, cells: &[Cell<'_>]) -> io::Result<()> {
        Csv::line(
            out,
            cells.iter().map(|cell| match cell {
                Cell::Text(_) | Cell::Blob(_) => csv_text(&text_of(cell)),
                number => text_of(number),
            }),
        )
    }
}

/// `--format jsonl`: one object per row, its members in the order of the columns. A second column of one name gets a
/// number.
#[derive(Default)]
pub struct Objects {
    columns: Vec<String>,
}

impl RowFormat for Objects {
    fn head(&mut self, _: &mut dyn Write, columns: &[String]) -> io::Result<()> {
        for (index, name) in columns.iter().enumerate() {
            let before = columns[..index].iter().filter(|other| *other == name).count();
            let name = if before == 0 { name.clone() } else { format!("{name}_{}", before + 1) };
            self.columns.push(json(&name)?);
        }
        Ok(())
    }

    fn row(&mut self, out: &mut dyn Write, cells: &[Cell<'_>]) -> io::Result<()> {
        let values = cells.iter().map(|cell| match cell {
            Cell::Null => Value::Null,
            Cell::Integer(n) => Value::from(*n),
            Cell::Real(x) => Value::from(*x),
            text => Value::from(text_of(text)),
        });
        for (index, (name, value)) in self.columns.iter().zip(values).enumerate() {
            write!(out, "{}{name}:{}", if index == 0 { "{" } else { "," }, json(&value)?)?;
        }
        writeln!(out, "}}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(format: &mut dyn RowFormat) -> String {
        let mut out = Vec::new();
        let columns = ["id", "method", "x"].map(String::from);
        format.head(&mut out, &columns).expect("written");
        for (id, method, x) in [(1, "=cmd|' /C calc'!A0", Cell::Null), (22, "a,\"b\"\u{1b}[2J\n", Cell::Real(-0.5))] {
            format.row(&mut out, &[Cell::Integer(id), Cell::Text(method), x]).expect("written");
        }
        format.finish(&mut out).expect("written");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn every_format_is_safe_where_it_goes() {
        assert_eq!(text(&mut Csv), "id,method,x\n1,'=cmd|' /C calc'!A0,\n22,\"a,\"\"b\"\"\\x1b[2J\\n\",-0.5\n");
        assert_eq!(
            text(&mut Objects::default()),
            "{\"id\":1,\"method\":\"=cmd|' /C calc'!A0\",\"x\":null}\n{\"id\":22,\"method\":\"a,\\\"b\\\"\\u001b[2J\\n\",\"x\":-0.5}\n"
        );
        assert_eq!(
            text(&mut Grid::new(Style::PLAIN)),
            "id  method                 x\n 1  =cmd|' /C calc'!A0\n22  a,\"b\"\\x1b[2J\\n      -0.5\n"
        );
    }
}
