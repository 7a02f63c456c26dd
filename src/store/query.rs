//! Any SQL that only reads, for `query` and for people with a shell.

use rusqlite::types::ValueRef;

use super::Store;
use super::fail::failed;
use crate::error::{Error, ErrorKind, Result};

/// Names of the columns of a query.
pub type Columns = Vec<String>;

/// One value of a row, borrowed from the database.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// NULL.
    Null,
    /// An integer.
    Integer(i64),
    /// A number with a fraction.
    Real(f64),
    /// Text; bytes that are not UTF-8 are a blob.
    Text(&'a str),
    /// Bytes.
    Blob(&'a [u8]),
}

/// What to ask.
const TABLES: &str = "what can be asked: connections messages frames exchanges cancellations findings \
                      stuck_requests late_responses cancel_latency";

impl Store {
    /// Runs one statement that reads. `head` gets the columns once, `take` each row; `take` returns false to stop.
    pub fn query(
        &self,
        sql: &str,
        head: impl FnOnce(&Columns) -> Result<()>,
        mut take: impl FnMut(&[Cell<'_>]) -> Result<bool>,
    ) -> Result<()> {
        let fault = |error: rusqlite::Error| {
            let error = failed("query", &self.place, &error);
            match error.hint {
                Some(_) => error,
                None => error.hint(TABLES),
            }
        };
        let mut statement = self.sql.prepare(sql).map_err(fault)?;
        if !statement.readonly() || statement.column_count() == 0 {
            return Err(Error::new(ErrorKind::Usage, "only a query that reads is run, and this one does not")
                .hint("write it as SELECT ...; to change a copy, use the sqlite3 shell"));
        }
        let columns: Columns = statement.column_names().map(str::to_string).collect();
        let width = columns.len();
        head(&columns)?;
        let mut rows = statement.query([]).map_err(fault)?;
        while let Some(row) = rows.next().map_err(fault)? {
            let mut cells = Vec::with_capacity(width);
            for at in 0..width {
                cells.push(cell(row.get_ref(at).map_err(fault)?));
            }
            if !take(&cells)? {
                break;
            }
        }
        Ok(())
    }
}

fn cell(value: ValueRef<'_>) -> Cell<'_> {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) => Cell::Integer(number),
        ValueRef::Real(number) => Cell::Real(number),
        ValueRef::Text(bytes) => std::str::from_utf8(bytes).map_or(Cell::Blob(bytes), Cell::Text),
        ValueRef::Blob(bytes) => Cell::Blob(bytes),
    }
}
