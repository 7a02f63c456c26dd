//! Databases that recorders write: rows to messages. The one reader of capture that is no reader of text.
//!
//! One file for each recorder says which table it is, what is asked of it, and what a row holds.

mod lsp_devtools;
mod mcp_debugger;

use std::io::Read;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use rustc_hash::FxHashMap;

use super::document::is_integer;
use crate::capture::format::{Format, Match, Reader, WholeReader};
use crate::capture::out::Out;
use crate::capture::place::Place;
use crate::capture::sample::Sample;
use crate::capture::{Channel, Direction, FrameSink, Overrides, Proof, Resume, Source, Vantage, path_of};
use crate::error::{Error, ErrorKind, Result};
use crate::protocol::by_name;

/// The databases of one recorder, for the list of formats: its files are opened by [`open`].
pub(crate) struct Sqlite {
    name: &'static str,
    about: &'static str,
}

/// Those of lsp-devtools.
pub(crate) const LSP_DEVTOOLS: Sqlite =
    Sqlite { name: lsp_devtools::NAME, about: "lsp-devtools: the database of `record --to-sqlite`" };

/// Those of mcp-debugger.
pub(crate) const MCP_DEBUGGER: Sqlite =
    Sqlite { name: mcp_debugger::NAME, about: "mcp-debugger: its database of sessions" };

impl Format for Sqlite {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
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
        Err(Error::new(ErrorKind::Input, "this is no database of a recorder")
            .hint("leave out --format-in: the file tells its format itself"))
    }
}

/// How one recorder keeps messages.
struct Layout {
    /// The format.
    name: &'static str,
    /// Why a file is taken for it.
    reason: &'static str,
    /// The table, and columns by which it is known.
    table: &'static str,
    columns: &'static str,
    /// All rows, in the order in which the messages passed.
    query: &'static str,
    /// The family that it records.
    family: &'static str,
    proof: Proof,
    read: fn(&Columns<'_>) -> RowContent,
}

/// What a row holds.
struct RowContent {
    session: String,
    direction: Direction,
    at_us: Option<i64>,
    /// The time as it stands there.
    said: Option<String>,
    message: Option<String>,
}

static LAYOUTS: [&Layout; 3] = [&lsp_devtools::MESSAGES, &lsp_devtools::PROTOCOL, &mcp_debugger::MESSAGES];

/// Opens a file that is such a database; `None` for any other.
pub(crate) fn open(path: &str, overrides: &Overrides) -> Result<Option<Box<dyn Source>>> {
    if !is_sqlite(path) {
        return Ok(None);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let Ok(database) = Connection::open_with_flags(path_of(path), flags) else { return Ok(None) };
    let fits = |layout: &&&Layout| {
        database.prepare(&format!("SELECT {} FROM {} LIMIT 0", layout.columns, layout.table)).is_ok()
    };
    let Some(layout) = LAYOUTS.iter().find(fits).copied() else { return Ok(None) };
    Ok(Some(Box::new(Database { name: path.replace('\\', "/"), database, layout, overrides: overrides.clone() })))
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
    layout: &'static Layout,
    overrides: Overrides,
}

impl Source for Database {
    fn name(&self) -> &str {
        &self.name
    }

    fn format(&self) -> &str {
        self.layout.name
    }

    fn reason(&self) -> &str {
        self.layout.reason
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
        let mut rows = Rows { layout: self.layout, channels: FxHashMap::default(), line: 0 };
        let fail = |error: rusqlite::Error| {
            Error::new(ErrorKind::Input, format!("cannot read {}: {error}", self.name))
                .hint("the database is damaged: `sqlite3 FILE .recover` gives what is left of it")
        };
        let mut statement = self.database.prepare(self.layout.query).map_err(fail)?;
        let mut found = statement.query([]).map_err(fail)?;
        while let Some(row) = found.next().map_err(fail)? {
            rows.row(row, &mut out)?;
        }
        out.tell_times();
        Ok(Resume { byte_offset: 0, lines: rows.line })
    }
}

struct Rows {
    layout: &'static Layout,
    channels: FxHashMap<String, u32>,
    line: u64,
}

impl Rows {
    fn row(&mut self, row: &Row<'_>, out: &mut Out<'_>) -> Result<()> {
        self.line += 1;
        let found = (self.layout.read)(&Columns(row));
        if let Some(time) = found.said.as_deref().filter(|_| found.at_us.is_some()) {
            out.said(time);
        }
        let channel = self.channel(found.session, out)?;
        let place = Place {
            line: self.line,
            byte_offset: 0,
            channel,
            at_us: found.at_us,
            direction: found.direction,
            stream: None,
            taps: None,
        };
        match found.message {
            Some(message) => out.promised(&place, &message, false),
            None => out.malformed(&place, b"", "the row holds no body"),
        }
    }

    fn channel(&mut self, session: String, out: &mut Out<'_>) -> Result<u32> {
        if let Some(channel) = self.channels.get(&session) {
            return Ok(*channel);
        }
        let (profile, proof) = (by_name(self.layout.family, None), self.layout.proof);
        let channel = out.channel(Channel { profile, vantage: Vantage::Proxy, proof, ..Channel::default() })?;
        self.channels.insert(session, channel);
        Ok(channel)
    }
}

/// The columns of a row, by their place in the query.
struct Columns<'a>(&'a Row<'a>);

impl Columns<'_> {
    fn text(&self, at: usize) -> Option<String> {
        match self.0.get_ref(at).ok()? {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            ValueRef::Integer(number) => Some(number.to_string()),
            ValueRef::Real(number) => Some(number.to_string()),
            ValueRef::Null => None,
        }
    }

    fn number(&self, at: usize) -> Option<f64> {
        self.0.get(at).ok()
    }
}

/// The members of a message that stand in columns of their own, as JSON; ids have lost their type, and what was empty is nothing.
#[derive(Default)]
struct Members {
    id: Option<String>,
    method: Option<String>,
    params: Option<String>,
    result: Option<String>,
    error: Option<String>,
}

impl Members {
    /// The message.
    fn message(&self) -> String {
        let mut json = String::from("{\"jsonrpc\":\"2.0\"");
        let mut member = |key: &str, value: &str| {
            [",\"", key, "\":", value].into_iter().for_each(|part| json.push_str(part));
        };
        match (&self.id, &self.method) {
            (Some(id), _) => member("id", &typed(id)),
            // Without a method it is an answer all the same, to what could not be read.
            (None, None) => member("id", "null"),
            (None, Some(_)) => {}
        }
        match (&self.method, &self.error) {
            (Some(method), _) => {
                member("method", &serde_json::Value::from(method.as_str()).to_string());
                if let Some(params) = &self.params {
                    member("params", retyped(method, params).as_deref().unwrap_or(params));
                }
            }
            (None, Some(error)) => member("error", error),
            (None, None) => member("result", self.result.as_deref().unwrap_or("null")),
        }
        json.push('}');
        json
    }
}

/// An id that has lost its type: what looks like a number is read as one.
fn typed(id: &str) -> String {
    if is_integer(id) { id.to_string() } else { serde_json::Value::from(id).to_string() }
}

/// The parameters of a cancel whose target is a string that looks like a number: read as one there, too.
fn retyped(method: &str, params: &str) -> Option<String> {
    let key = match method {
        "notifications/cancelled" => "requestId",
        "$/cancelRequest" => "id",
        _ => return None,
    };
    let mut params: serde_json::Value = serde_json::from_str(params).ok()?;
    let id = params.get(key)?.as_str().filter(|id| is_integer(id))?.parse().ok()?;
    params[key] = serde_json::Value::Number(id);
    Some(params.to_string())
}

#[cfg(test)]
mod tests;
