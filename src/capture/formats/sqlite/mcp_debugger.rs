//! mcp-debugger (`storage/database.py`): the members of a message in columns, times in milliseconds.
//!
//! Notifications are written in batches and so behind what they came before: the order is that of the times, which are taken
//! before a message is passed on. Batches, and what was over 10 MB, are not in it, so what is missing proves nothing.

use super::{Columns, Layout, Members, RowContent};
use crate::capture::{Direction, Proof};
use crate::protocol::Side;

pub(super) const NAME: &str = "mcp-debugger-sqlite";

pub(super) static MESSAGES: Layout = Layout {
    name: NAME,
    reason: "it is a SQLite database with the table `messages` of mcp-debugger",
    table: "messages",
    columns: "session_id, message_id, direction, method, params, result, error, timestamp, message_type",
    query: "SELECT session_id, message_id, direction, method, params, result, error, timestamp, message_type \
            FROM messages ORDER BY timestamp, id",
    family: "mcp",
    proof: Proof::FULL.without(Proof::ENVELOPE).without(Proof::ALL_ANSWERS),
    read,
};

fn read(row: &Columns<'_>) -> RowContent {
    let [id, method, params, result, error, kind] = [1, 3, 4, 5, 6, 8].map(|at| row.text(at));
    // An answer has the method of its request beside it.
    let method = method.filter(|_| kind.as_deref() != Some("response"));
    RowContent {
        session: row.text(0).unwrap_or_default(),
        direction: match row.text(2).as_deref() {
            Some("client_to_server") => Direction::By(Side::Client),
            Some("server_to_client") => Direction::By(Side::Server),
            _ => Direction::Unknown,
        },
        at_us: row.number(7).filter(|at| *at > 1e11 && *at < 1e14).map(|at| (at * 1e3) as i64),
        said: None,
        message: Some(Members { id, method, params, result, error }.message()),
    }
}
