//! Reads frames as people see them.

use rusqlite::{OptionalExtension, Row, Statement, named_params};

use super::{MessageRow, Store};
use crate::error::Result;

const SELECT_MESSAGE: &str = include_str!("../../sql/statements/select_message.sql");
const SELECT_OF_CONNECTION: &str = include_str!("../../sql/statements/select_messages_of_connection.sql");
const SELECT_OF_EXCHANGE: &str = include_str!("../../sql/statements/select_messages_of_exchange.sql");

/// How much of a message's text is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raw {
    /// None of it: `raw` is `None`.
    None,
    /// At most so many characters.
    Head(u32),
    /// All of it.
    All,
}

impl Raw {
    fn limit(self) -> i64 {
        match self {
            Raw::None => 0,
            Raw::Head(characters) => i64::from(characters),
            Raw::All => i64::MAX,
        }
    }
}

impl Store {
    /// One frame by its id.
    pub fn message(&self, id: i64, raw: Raw) -> Result<Option<MessageRow>> {
        let read = || one(&mut *self.sql.prepare_cached(SELECT_MESSAGE)?, id, raw);
        read().map_err(|error| self.fail("read", &error))
    }

    /// The frames of a connection in order, of any kind, `from` and `to` (frame ids) included.
    pub fn messages_of_connection(
        &self,
        connection: i64,
        from: i64,
        to: i64,
        raw: Raw,
        mut take: impl FnMut(MessageRow) -> Result<()>,
    ) -> Result<()> {
        let fault = |error: rusqlite::Error| self.fail("read", &error);
        let mut select = self.sql.prepare_cached(SELECT_OF_CONNECTION).map_err(fault)?;
        let values = named_params! { ":connection": connection, ":from": from, ":to": to, ":raw": raw.limit() };
        let mut rows = select.query(values).map_err(fault)?;
        while let Some(row) = rows.next().map_err(fault)? {
            take(message(row).map_err(fault)?)?;
        }
        Ok(())
    }

    /// The frames of an exchange in order: request, cancels, progress, nested requests with their answers, response.
    pub fn messages_of_exchange(&self, exchange: i64, raw: Raw) -> Result<Vec<MessageRow>> {
        self.rows(SELECT_OF_EXCHANGE, named_params! { ":exchange": exchange, ":raw": raw.limit() }, message)
    }
}

pub(super) fn one(select: &mut Statement<'_>, id: i64, raw: Raw) -> rusqlite::Result<Option<MessageRow>> {
    select.query_row(named_params! { ":id": id, ":raw": raw.limit() }, message).optional()
}

pub(super) const ONE: &str = SELECT_MESSAGE;

fn message(row: &Row<'_>) -> rusqlite::Result<MessageRow> {
    let raw: Option<&[u8]> = row.get_ref(13)?.as_bytes_or_null()?;
    Ok(MessageRow {
        id: row.get(0)?,
        source: row.get(1)?,
        line: row.get::<_, i64>(2)? as u64,
        byte_offset: row.get::<_, i64>(3)? as u64,
        at_us: row.get(4)?,
        sender: row.get(5)?,
        sender_inferred: row.get(6)?,
        kind: row.get(7)?,
        method: row.get(8)?,
        rpc_id: row.get(9)?,
        error_code: row.get(10)?,
        bytes: row.get::<_, i64>(11)? as u64,
        raw: raw.map(|bytes| String::from_utf8_lossy(bytes).into_owned()),
    })
}
