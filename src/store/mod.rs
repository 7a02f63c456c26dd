//! SQLite: the only layer that names rusqlite. All SQL longer than a line lives in `sql/`.
//!
//! A [`Store`] is opened for reading, for writing (an existing database, or a new one that appears under its name only
//! when it is whole), or as a temporary one that vanishes with the process. [`Ground`] writes what was captured,
//! [`Derived`] what the audit makes of it, `refold` hands the frames back, `reader` and its neighbours answer questions.

mod aside;
mod audited;
mod codes;
mod columns;
mod coverage;
mod derived;
mod exchanges;
mod extra;
mod fail;
mod findings;
mod ground;
mod identity;
mod in_order;
mod incident;
mod logs;
mod messages;
mod oracle;
mod partial;
mod payload;
mod query;
mod reader;
mod recall;
mod recorded;
mod refold;
mod reports;
mod rows;
mod schema;
mod several;
mod sides;
mod sources;
mod spool;
mod table;
mod tally;

#[cfg(test)]
mod testing;

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

pub use audited::{Audited, AuditedConnection};
pub use coverage::OccasionRow;
pub use derived::Derived;
pub use exchanges::{ExchangeFilter, RequestName};
pub use extra::Extra;
pub use findings::FindingFilter;
pub use ground::Ground;
pub use identity::{Identity, Listener};
pub use incident::{SaidRow, SignRow, UnitRow};
pub use messages::Raw;
pub use oracle::StoreOracle;
pub use payload::{Payload, gone_logs};
pub use query::{Cell, Columns};
pub use recorded::{RecordedChannel, RecordedRow};
pub use refold::Which;
pub use reports::{REPORTS, Report, TABLES};
pub use rows::{
    CancellationRow, ClauseRow, ConnectionRow, EvidenceRow, ExchangeRow, FindingRow, MessageRow, SourceRow, TrafficRow,
    UnreadRow,
};
pub use sources::{NewConnection, NewSource, StoredConnection, StoredSource};
pub use tally::{FindingCount, Tally, UndecidedRow};

use crate::error::{Error, ErrorKind, Result};
use aside::Aside;
use fail::failed;
use partial::Partial;
use schema::Version;

/// A database: on disk, or temporary.
pub struct Store {
    // Dropped before `partial`: SQLite has to let go of the file first.
    sql: Connection,
    place: String,
    partial: Option<Partial>,
    version: Version,
    writable: bool,
    /// Where frames and exchanges go that become rows only when something asks for them.
    aside: Option<RefCell<Aside>>,
    payload: Payload,
}

/// What a temporary database has rows of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// All that was captured and all that was made of it.
    Everything,
    /// Findings and what is told with them: the messages that they name, of each at most so many characters, and the requests
    /// of those. All counts are there; cancels and other traffic are not.
    Findings {
        /// How much of a message is wanted.
        text: u32,
    },
}

/// Words for the temporary database in messages.
const TEMPORARY: &str = "the temporary database";

const FOR_READING: &str = include_str!("../../sql/statements/set_for_reading.sql");
const FOR_APPENDING: &str = include_str!("../../sql/statements/set_for_appending.sql");
/// For a database that was made a moment ago.
const AGAIN: &str = "PRAGMA foreign_keys = OFF";
const FOR_LOADING: &str = include_str!("../../sql/statements/set_for_loading.sql");
const FOR_PASSING: &str = include_str!("../../sql/statements/set_for_passing.sql");

impl Store {
    /// Opens an existing database to read it. Views of an older program are made anew where the file can be written.
    pub fn read(path: &Path) -> Result<Store> {
        let store = Store::open(path, FOR_READING)?;
        if store.version == Version::Empty {
            let message = format!("{} is an empty database", store.place);
            return Err(Error::new(ErrorKind::Database, message).hint("ingest a log into it first"));
        }
        let current = store.version == Version::Ours(schema::NEWEST);
        if current && schema::views_are_ours(&store.sql).map_err(|error| store.fail("read", &error))? {
            return Ok(store);
        }
        drop(store);
        let refreshed = Store::refresh(path);
        // Where the file cannot be written, a current schema can still be read; its own views may be a little older.
        if !current {
            refreshed?;
        }
        Store::open(path, FOR_READING)
    }

    fn refresh(path: &Path) -> Result<()> {
        let mut store = Store::open(path, FOR_APPENDING)?;
        store.writable = true;
        store.begin()?;
        store.commit()
    }

    /// Opens a database to add to it, or makes a new one. A new one appears under its name only at [`Store::commit`].
    pub fn write(path: &Path) -> Result<Store> {
        crate::output::admits_changes(path)?;
        sides::are_own(path)?;
        let there = std::fs::metadata(path).is_ok_and(|file| file.len() > 0);
        if there && partial::has_room_for_journal(path) {
            let mut store = Store::open(path, FOR_APPENDING)?;
            store.writable = true;
            return Ok(store);
        }
        if there {
            let partial = Partial::copied(path)?;
            let store = Store::open(partial.path(), FOR_APPENDING)?;
            return Ok(Store { place: shown(path), partial: Some(partial), writable: true, ..store });
        }
        let partial = Partial::create(path)?;
        let place = shown(path);
        let fault = |error: rusqlite::Error| failed("create", &place, &error);
        let sql = connected(partial.path()).map_err(fault)?;
        sql.execute_batch(FOR_LOADING).map_err(fault)?;
        Ok(Store {
            sql,
            place,
            partial: Some(partial),
            version: Version::Empty,
            writable: true,
            aside: None,
            payload: Payload::Full,
        })
    }

    /// An error where [`Store::write`] would fail now; nothing is made.
    pub fn admits(path: &Path) -> Result<()> {
        Store::write(path).map(drop)
    }

    /// A database that SQLite keeps in a file without a name (in TMPDIR): it is gone when the process is.
    pub fn temporary() -> Result<Store> {
        Store::passing(Keep::Everything)
    }

    /// The same, of which only what is to be kept can be asked.
    pub fn passing(keep: Keep) -> Result<Store> {
        let fault = |error: rusqlite::Error| failed("create", TEMPORARY, &error);
        let sql = Connection::open("").map_err(fault)?;
        sql.execute_batch(FOR_PASSING).map_err(fault)?;
        let aside = match keep {
            Keep::Everything => None,
            // A character has at most four bytes.
            Keep::Findings { text } => Some(RefCell::new(Aside::new(4 * text as usize))),
        };
        let (place, version) = (TEMPORARY.to_string(), Version::Empty);
        Ok(Store { sql, place, partial: None, version, writable: true, aside, payload: Payload::Full })
    }

    /// Says how texts are to be kept. A database that is there keeps them as it does.
    ///
    /// # Errors
    ///
    /// Where it is there, and keeps them in another way.
    pub fn keeping(mut self, payload: Payload) -> Result<Store> {
        if self.is_new() {
            self.payload = payload;
        } else if self.payload != payload {
            let (place, kept) = (&self.place, self.payload.as_str());
            let message = format!("{place} keeps payloads in another way: {kept}");
            return Err(Error::new(ErrorKind::Usage, message)
                .hint(format!("leave out --payload, or name another file; --payload {kept} is how it was made")));
        }
        Ok(self)
    }

    /// True if the database goes with the process.
    pub fn is_temporary(&self) -> bool {
        self.place == TEMPORARY
    }

    /// True if nothing was ever stored here.
    pub fn is_new(&self) -> bool {
        self.version == Version::Empty
    }

    /// The database in messages.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Begins the one transaction of a load or an audit, and brings the schema up to date in it.
    pub fn begin(&mut self) -> Result<()> {
        if !self.writable {
            let message = format!("{} was opened for reading", self.place);
            return Err(Error::new(ErrorKind::Usage, message));
        }
        self.sql.execute_batch("BEGIN IMMEDIATE").map_err(|error| self.fail("write", &error))?;
        if self.aside.is_some() {
            return self.begin_aside();
        }
        // Another process may have made the database in the meantime: the version counts only under the lock.
        self.version = schema::version(&self.sql, &self.place)?;
        let fault = |error: rusqlite::Error| self.fail("write", &error);
        schema::migrate(&self.sql, self.version, self.payload).map_err(fault)?;
        self.payload = schema::payload(&self.sql).map_err(fault)?;
        Ok(())
    }

    fn begin_aside(&mut self) -> Result<()> {
        match self.version {
            Version::Empty => schema::make_for_findings(&self.sql).map_err(|error| self.fail("write", &error)),
            Version::Ours(_) => Ok(()),
        }
    }

    /// Ends the transaction. A new database is then written out and takes its name.
    pub fn commit(&mut self) -> Result<()> {
        self.sql.execute_batch("COMMIT").map_err(|error| self.fail("write", &error))?;
        self.version = Version::Ours(schema::NEWEST);
        let Some(partial) = self.partial.take() else { return Ok(()) };
        // Closed before it gets its name, so that nothing of it is left in this process's memory only.
        let blank = Connection::open_in_memory().map_err(|error| self.fail("close", &error))?;
        let full = std::mem::replace(&mut self.sql, blank);
        full.close().map_err(|(_, error)| failed("close", &self.place, &error))?;
        let path = partial.finish()?;
        // Its schema is known, and is read again only if something is asked.
        let place = shown(&path);
        let sql = connected(&path).map_err(|error| failed("open", &place, &error))?;
        sql.execute_batch(AGAIN).map_err(|error| failed("open", &place, &error))?;
        *self = Store {
            sql,
            place,
            partial: None,
            version: self.version,
            writable: true,
            aside: None,
            payload: self.payload,
        };
        Ok(())
    }

    /// Gives up the transaction, where one is open; a new or temporary database must not be used afterwards.
    pub fn rollback(&mut self) {
        // Nothing can be done about an error here: the file keeps its journal, and the next open rolls it back.
        let _ = self.sql.execute_batch("ROLLBACK");
    }

    fn open(path: &Path, settings: &str) -> Result<Store> {
        let place = shown(path);
        if path.exists() && !path.is_file() {
            let message = format!("{place} is no file, and a database is one");
            return Err(Error::new(ErrorKind::Database, message).hint("name the file that `rpctape ingest` made"));
        }
        sides::are_own(path)?;
        let fault = |error: rusqlite::Error| failed("open", &place, &error);
        let sql = connected(path).map_err(fault)?;
        let version = schema::version(&sql, &place)?;
        sql.execute_batch(settings).map_err(fault)?;
        let payload = match version {
            Version::Empty => Payload::Full,
            Version::Ours(_) => schema::payload(&sql).map_err(fault)?,
        };
        Ok(Store { sql, place, partial: None, version, writable: false, aside: None, payload })
    }

    fn fail(&self, doing: &str, error: &rusqlite::Error) -> Error {
        failed(doing, &self.place, error)
    }

    /// An error where texts were read that their log does not have any more: nothing is judged or written from what is left.
    fn has_all_texts(&self) -> Result<()> {
        if self.payload != Payload::None {
            return Ok(());
        }
        let ours = self.rows("SELECT name FROM source", [], |row| row.get::<_, String>(0))?;
        match gone_logs().iter().find(|log| ours.contains(log)) {
            None => Ok(()),
            Some(log) => Err(Error::new(
                ErrorKind::Input,
                format!(
                    "{log} is not there any more, or was changed: {} holds no payloads and reads them there",
                    self.place
                ),
            )
            .hint("put the log back where it was, and run this from the same folder")),
        }
    }

    fn batch(&self, sql: &str) -> Result<()> {
        self.sql.execute_batch(sql).map_err(|error| self.fail("write", &error))
    }
}

/// A file that is there. Also for reading it is opened for writing, so that the journal of a killed writer can be rolled back;
/// `query_only` guards the data.
fn connected(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let sql = Connection::open_with_flags(path, flags)?;
    sql.set_prepared_statement_cache_capacity(64);
    // A plan rests on no bound value, or a statement would be prepared anew whenever its limit is bound.
    sql.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    payload::register(&sql)?;
    Ok(sql)
}

/// True if a file is a database of ours, by its head; a capture that happens to be a SQLite file is not.
/// A pipe is none, and is not asked: what was read of it to look would be lost to its reader.
pub fn is_ours(path: &Path) -> bool {
    use std::io::Read;
    if !path.is_file() {
        return false;
    }
    let mut head = [0u8; 72];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head.starts_with(b"SQLite format 3\0") && head[68..72] == schema::APPLICATION_ID.to_be_bytes()
}

fn shown(path: &Path) -> String {
    let path: PathBuf = path.into();
    path.display().to_string()
}
