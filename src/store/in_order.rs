//! The columns of a row one after the other, in the order of its statement. Looked up by their names they cost more than all
//! of the reading: SQLite is asked for one name after the other.

use rusqlite::Row;
use rusqlite::types::FromSql;

/// A row whose columns are taken from the first to the last.
pub(super) struct InOrder<'r, 's> {
    row: &'r Row<'s>,
    next: usize,
}

impl<'r, 's> InOrder<'r, 's> {
    pub(super) fn of(row: &'r Row<'s>) -> InOrder<'r, 's> {
        InOrder { row, next: 0 }
    }

    /// The next column.
    pub(super) fn take<T: FromSql>(&mut self) -> rusqlite::Result<T> {
        self.next += 1;
        self.row.get(self.next - 1)
    }

    /// The next column as a count, which no database of ours has below zero; nothing is none.
    pub(super) fn count(&mut self) -> rusqlite::Result<u64> {
        Ok(self.take::<Option<i64>>()?.unwrap_or(0) as u64)
    }

    /// The next column as a text; nothing is an empty one.
    pub(super) fn word(&mut self) -> rusqlite::Result<String> {
        Ok(self.take::<Option<String>>()?.unwrap_or_default())
    }
}
