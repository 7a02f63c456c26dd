//! Databases of lsp-devtools (`record --to-sqlite`, `handlers/sql.py`): both schemas.
//!
//! From 0.4 on each row of `messages` is a message as it was, with its time and sender beside it. Up to 0.2 a row of
//! `protocol` has the members of a message; ids have lost their type there (what looks like a number is read as one),
//! and what is empty or false was stored as nothing. The one reader of capture that is no reader of text.

use std::io::Read;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::document::is_integer;
use crate::capture::format::{Format, Match, Reader, WholeReader};
use crate::capture::out::Out;
use crate::capture::place::Place;
use crate::capture::sample::Sample;
use crate::capture::{Channel, Direction, FrameSink, Overrides, Proof, Resume, Source, Vantage, path_of, time};
use crate::error::{Error, ErrorKind, Result};
use crate::protocol::{Side, by_name};

/// The format, for the list of formats: its files are opened by [`open`].
pub(crate) struct LspDevtools;

const NAME: &str = "lsp-devtools-sqlite";

impl Format for LspDevtools {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "lsp-devtools: the database of `record --to-sqlite`"
    }

    fn detect(&self, _: &Sample) -> Option<Match> {
        None
    }

    fn reader(&self, _: &Sample) -> Reader {
        Reader::Whole(Box::new(NoDatabase))
    }
}

struct NoDatabase;

impl WholeReader for NoDatabase {
    fn read(&mut self, _: &str, _: u64, _: &mut Out<'_>) -> Result<()> {
        Err(Error::new(ErrorKind::Input, "this is no database of lsp-devtools")
            .hint("leave out --format-in: the file tells its format itself"))
    }
}

/// Which tables a database has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Schema {
    /// `messages(metadata, headers, body)`.
    Messages,
    /// `protocol(session, timestamp, source, id, method, params, result, error)`.
    Protocol,
}

/// Opens a file that is such a database; `None` for any other.
pub(crate) fn open(path: &str, overrides: &Overrides) -> Result<Option<Box<dyn Source>>> {
    if !is_sqlite(path) {
        return Ok(None);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let Ok(database) = Connection::open_with_flags(path_of(path), flags) else { return Ok(None) };
    let has = |table: &str, columns: &str| database.prepare(&format!("SELECT {columns} FROM {table} LIMIT 0")).is_ok();
    let schema = if has("messages", "metadata, headers, body") {
        Schema::Messages
    } else if has("protocol", "session, timestamp, source, id, method, params, result, error") {
        Schema::Protocol
    } else {
        return Ok(None);
    };
    Ok(Some(Box::new(Database { name: path.replace('\\', "/"), database, schema, overrides: overrides.clone() })))
}

fn is_sqlite(path: &str) -> bool {
    let mut magic = [0; 16];
    let file = path_of(path);
    path != "-"
        && file.is_file()
        && std::fs::File::open(file).and_then(|mut file| file.read_exact(&mut magic)).is_ok()
        && magic == *b"SQLite format 3\0"
}

struct Database {
    name: String,
    database: Connection,
    schema: Schema,
    overrides: Overrides,
}

impl Source for Database {
    fn name(&self) -> &str {
        &self.name
    }

    fn format(&self) -> &str {
        NAME
    }

    fn reason(&self) -> &str {
        match self.schema {
            Schema::Messages => "it is a SQLite database with the table `messages` of lsp-devtools",
            Schema::Protocol => "it is a SQLite database with the table `protocol` of an old lsp-devtools",
        }
    }

    fn size(&self) -> Option<u64> {
        path_of(&self.name).metadata().ok().map(|meta| meta.len())
    }

    fn content(&self) -> Result<Option<Box<dyn Read>>> {
        let file = std::fs::File::open(path_of(&self.name));
        Ok(Some(Box::new(file.map_err(|error| Error::io("read", &self.name, &error))?)))
    }

    fn can_resume(&self) -> bool {
        false
    }

    fn read(&mut self, source: u32, _: Resume, sink: &mut dyn FrameSink) -> Result<Resume> {
        let overrides = self.overrides.clone();
        let mut out = Out::new(sink, source, &overrides);
        let mut rows = Rows { schema: self.schema, channels: FxHashMap::default(), line: 0 };
        let fail = |error: rusqlite::Error| {
            Error::new(ErrorKind::Input, format!("cannot read {}: {error}", self.name))
                .hint("the database is damaged: `sqlite3 FILE .recover` gives what is left of it")
        };
        let query = match self.schema {
            Schema::Messages => "SELECT metadata, body FROM messages ORDER BY rowid",
            Schema::Protocol => {
                "SELECT session, timestamp, source, id, method, params, result, error FROM protocol ORDER BY rowid"
            }
        };
        let mut statement = self.database.prepare(query).map_err(fail)?;
        let mut found = statement.query([]).map_err(fail)?;
        while let Some(row) = found.next().map_err(fail)? {
            rows.row(row, &mut out)?;
        }
        out.tell_times();
        Ok(Resume { byte_offset: 0, lines: rows.line })
    }
}

/// What stands beside a message.
#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    timestamp: Option<String>,
    #[serde(default)]
    source: Option<serde_json::Value>,
    #[serde(default)]
    session: Option<String>,
}

struct Rows {
    schema: Schema,
    channels: FxHashMap<String, u32>,
    line: u64,
}

impl Rows {
    fn row(&mut self, row: &Row<'_>, out: &mut Out<'_>) -> Result<()> {
        self.line += 1;
        let text = |at: usize| row.get_ref(at).ok().and_then(as_text);
        match self.schema {
            Schema::Messages => {
                let metadata: Metadata = text(0).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
                let source = metadata.source.as_ref().map(|source| source.to_string()).unwrap_or_default();
                let at_us = metadata.timestamp.as_deref().and_then(time::parse).map(|time| time.us);
                if let Some(time) = metadata.timestamp.as_deref().filter(|_| at_us.is_some()) {
                    out.said(time);
                }
                let place = self.place(metadata.session.unwrap_or_default(), &source, at_us, out)?;
                match text(1) {
                    Some(body) => out.promised(&place, &body, false),
                    None => out.malformed(&place, b"", "the row holds no body"),
                }
            }
            Schema::Protocol => {
                let at_us = row.get::<_, f64>(1).ok().filter(|at| *at > 1e8 && *at < 1e11).map(|at| (at * 1e6) as i64);
                let place = self.place(text(0).unwrap_or_default(), &text(2).unwrap_or_default(), at_us, out)?;
                out.promised(&place, &message(&text), false)
            }
        }
    }

    fn place(&mut self, session: String, source: &str, at_us: Option<i64>, out: &mut Out<'_>) -> Result<Place> {
        let channel = match self.channels.get(&session) {
            Some(channel) => *channel,
            None => {
                let proof = match self.schema {
                    Schema::Messages => Proof::FULL,
                    Schema::Protocol => Proof::FULL.without(Proof::ENVELOPE),
                };
                let profile = by_name("lsp", None);
                let channel = out.channel(Channel { profile, vantage: Vantage::Proxy, proof, ..Channel::default() })?;
                self.channels.insert(session, channel);
                channel
            }
        };
        let direction = match source.trim_matches('"') {
            "2" | "client" => Direction::By(Side::Client),
            "3" | "server" => Direction::By(Side::Server),
            _ => Direction::Unknown,
        };
        Ok(Place { line: self.line, byte_offset: 0, channel, at_us, direction, stream: None, taps: None })
    }
}

fn as_text(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Null => None,
    }
}

/// The message of an old row.
fn message(column: &impl Fn(usize) -> Option<String>) -> String {
    let mut json = String::from("{\"jsonrpc\":\"2.0\"");
    let mut member = |key: &str, value: &str| {
        [",\"", key, "\":", value].into_iter().for_each(|part| json.push_str(part));
    };
    let id = column(3);
    if let Some(id) = &id {
        member("id", &if is_integer(id) { id.clone() } else { serde_json::Value::from(id.as_str()).to_string() });
    }
    match column(4) {
        Some(method) => {
            member("method", &serde_json::Value::from(method).to_string());
            if let Some(params) = column(5) {
                member("params", &params);
            }
        }
        None => match column(7) {
            Some(error) => member("error", &error),
            None => member("result", column(6).as_deref().unwrap_or("null")),
        },
    }
    json.push('}');
    json
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::Kept;

    fn database(statements: &str) -> (tempfile::TempDir, String) {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("log.db").to_string_lossy().into_owned();
        Connection::open(&path).and_then(|database| database.execute_batch(statements)).expect("a database");
        (dir, path)
    }

    fn kept(path: &str) -> Kept {
        let mut source = open(path, &Overrides::default()).expect("readable").expect("a log");
        let mut kept = Kept::default();
        source.read(0, Resume::default(), &mut kept).expect("read");
        kept
    }

    #[test]
    fn rows_with_whole_messages() {
        let (_dir, path) = database(
            r#"CREATE TABLE messages (metadata JSON, headers JSON, body JSON);
            INSERT INTO messages VALUES ('{"timestamp":"2026-11-21 06:47:14.010213+00:00","source":2,"session":"todo"}','{}','{"jsonrpc":"2.0","id":"c-3","method":"initialize"}');
            INSERT INTO messages VALUES ('{"timestamp":"2026-11-21 06:47:14.051300+00:00","source":3,"session":"todo"}','{}','{"id":"c-3","jsonrpc":"2.0","result":null}');
            INSERT INTO messages VALUES ('no','{}','{"cut');"#,
        );
        let kept = kept(&path);
        let got: Vec<_> = kept.frames.iter().map(|f| (f.kind, f.line, f.direction, f.at_us)).collect();
        assert_eq!(
            got,
            [
                ("message", 1, Direction::By(Side::Client), Some(1_795_243_634_010_213)),
                ("message", 2, Direction::By(Side::Server), Some(1_795_243_634_051_300)),
                ("malformed", 3, Direction::Unknown, None),
            ]
        );
    }

    #[test]
    fn rows_with_members() {
        let (_dir, path) = database(
            r#"CREATE TABLE protocol (session TEXT, timestamp REAL, source TEXT, id TEXT NULL, method TEXT NULL, params TEXT NULL, result TEXT NULL, error TEXT NULL);
            INSERT INTO protocol VALUES ('a', 1795243634.5, 'client', 1, 'textDocument/hover', '{"x":1}', NULL, NULL);
            INSERT INTO protocol VALUES ('a', 1795243634.6, 'server', 1, NULL, NULL, NULL, '{"code":-32800,"message":"no"}');
            INSERT INTO protocol VALUES ('a', 1795243634.7, 'server', 'x', NULL, NULL, NULL, NULL);"#,
        );
        let kept = kept(&path);
        assert_eq!(
            kept.texts(),
            [
                ("message", r#"{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{"x":1}}"#),
                ("message", r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"no"}}"#),
                ("message", r#"{"jsonrpc":"2.0","id":"x","result":null}"#),
            ]
        );
        assert_eq!(kept.frames[0].at_us, Some(1_795_243_634_500_000));
    }

    #[test]
    fn other_databases_and_other_files_are_left_alone() {
        let (_dir, path) = database("CREATE TABLE messages (id INTEGER)");
        assert!(open(&path, &Overrides::default()).expect("looked at").is_none());
        assert!(open("no/such/file", &Overrides::default()).expect("looked at").is_none());
    }
}
