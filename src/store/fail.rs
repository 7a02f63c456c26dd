//! SQLite's errors in words a user can act on.

use rusqlite::ffi;

use crate::error::{Error, ErrorKind};

/// Turns an error of SQLite into ours; `doing` says what was being done, `place` names the database.
pub(super) fn failed(doing: &str, place: &str, error: &rusqlite::Error) -> Error {
    let message = format!("cannot {doing} {place}: {}", plain(error));
    let error_of = |kind, hint: &str| Error::new(kind, message.clone()).hint(hint);
    let Some(code) = error.sqlite_error() else {
        return Error::new(ErrorKind::Database, message);
    };
    match code.extended_code & 0xff {
        ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED => {
            error_of(ErrorKind::Database, "another program is writing this database; try again when it is done")
        }
        ffi::SQLITE_FULL => error_of(
            ErrorKind::Io,
            "the disk is full; --db FILE keeps the database elsewhere, TMPDIR=DIR moves the temporary one",
        ),
        ffi::SQLITE_NOTADB => error_of(
            ErrorKind::Database,
            "this file is no SQLite database; is it a log? then `rpctape check` judges it",
        ),
        ffi::SQLITE_CORRUPT => {
            error_of(ErrorKind::Database, "the file is damaged; ingest the captures again into a new one")
        }
        ffi::SQLITE_READONLY | ffi::SQLITE_PERM => {
            error_of(ErrorKind::Io, "the file or its folder cannot be written; choose another place with --db FILE")
        }
        ffi::SQLITE_CANTOPEN => error_of(ErrorKind::Io, "check that the file and its folder exist and may be read"),
        ffi::SQLITE_IOERR => error_of(ErrorKind::Io, "check the disk; --db FILE or TMPDIR=DIR chooses another one"),
        _ => Error::new(ErrorKind::Database, message),
    }
}

/// SQLite's own words, without the SQL statement that rusqlite adds.
fn plain(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(_, Some(text)) => text.clone(),
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(code: i32) -> Error {
        failed("write", "a.db", &rusqlite::Error::SqliteFailure(ffi::Error::new(code), None))
    }

    #[test]
    fn what_to_do_next_is_said() {
        assert!(fault(ffi::SQLITE_BUSY).hint.is_some_and(|hint| hint.contains("try again")));
        assert!(fault(ffi::SQLITE_FULL).hint.is_some_and(|hint| hint.contains("TMPDIR")));
        assert!(fault(ffi::SQLITE_NOTADB).hint.is_some_and(|hint| hint.contains("log")));
        assert!(fault(ffi::SQLITE_IOERR_READ).message.starts_with("cannot write a.db: "));
    }
}
