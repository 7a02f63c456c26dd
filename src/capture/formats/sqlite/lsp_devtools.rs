//! lsp-devtools (`record --to-sqlite`, `handlers/sql.py`), both of its schemas.
//!
//! From 0.4 on each row of `messages` is a message as it was, with its time and sender beside it. Up to 0.2 a row of
//! `protocol` has the members of a message.

use serde::Deserialize;

use super::{Columns, Layout, Members, RowContent};
use crate::capture::{Direction, Proof, time};
use crate::protocol::Side;

pub(super) const NAME: &str = "lsp-devtools-sqlite";

pub(super) static MESSAGES: Layout = Layout {
    name: NAME,
    reason: "it is a SQLite database with the table `messages` of lsp-devtools",
    table: "messages",
    columns: "metadata, headers, body",
    query: "SELECT metadata, body FROM messages ORDER BY rowid",
    family: "lsp",
    proof: Proof::FULL,
    read: whole,
};

pub(super) static PROTOCOL: Layout = Layout {
    name: NAME,
    reason: "it is a SQLite database with the table `protocol` of an old lsp-devtools",
    table: "protocol",
    columns: "session, timestamp, source, id, method, params, result, error",
    query: "SELECT session, timestamp, source, id, method, params, result, error FROM protocol ORDER BY rowid",
    family: "lsp",
    proof: Proof::FULL.without(Proof::ENVELOPE),
    read: members,
};

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

fn whole(row: &Columns<'_>) -> RowContent {
    let metadata: Metadata = row.text(0).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let source = metadata.source.as_ref().map(|source| source.to_string()).unwrap_or_default();
    RowContent {
        session: metadata.session.unwrap_or_default(),
        direction: direction(&source),
        at_us: metadata.timestamp.as_deref().and_then(time::parse).map(|time| time.us),
        said: metadata.timestamp,
        message: row.text(1),
    }
}

fn members(row: &Columns<'_>) -> RowContent {
    let [id, method, params, result, error] = [3, 4, 5, 6, 7].map(|at| row.text(at));
    RowContent {
        session: row.text(0).unwrap_or_default(),
        direction: direction(&row.text(2).unwrap_or_default()),
        at_us: row.number(1).filter(|at| *at > 1e8 && *at < 1e11).map(|at| (at * 1e6) as i64),
        said: None,
        message: Some(Members { id, method, params, result, error }.message()),
    }
}

fn direction(source: &str) -> Direction {
    match source.trim_matches('"') {
        "2" | "client" => Direction::By(Side::Client),
        "3" | "server" => Direction::By(Side::Server),
        _ => Direction::Unknown,
    }
}
