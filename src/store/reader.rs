//! Reads sources and connections.

use rusqlite::Row;

use super::in_order::InOrder;
use super::{ConnectionRow, SourceRow, Store, TrafficRow, UnreadRow};
use crate::error::Result;

const SELECT_CONNECTIONS: &str = include_str!("../../sql/statements/select_connection_rows.sql");
const SELECT_SOURCES: &str = include_str!("../../sql/statements/select_source_rows.sql");
const SELECT_TRAFFIC: &str = include_str!("../../sql/statements/select_traffic.sql");
const SELECT_UNREAD: &str = include_str!("../../sql/statements/select_unread.sql");
const SELECT_LOST: &str = include_str!("../../sql/statements/select_lost.sql");

impl Store {
    /// All connections, in the order in which they were first seen.
    pub fn connections(&self) -> Result<Vec<ConnectionRow>> {
        self.rows(SELECT_CONNECTIONS, [], connection)
    }

    /// All sources, in the order in which they were given.
    pub fn sources(&self) -> Result<Vec<SourceRow>> {
        let mut sources = self.rows(SELECT_SOURCES, [], source)?;
        let select = "SELECT source, why, lines, first_line FROM skipped_line ORDER BY source, why";
        let skipped = self.rows(select, [], |row| {
            let source: i64 = row.get(0)?;
            Ok((source, (row.get(1)?, row.get::<_, i64>(2)? as u64, row.get::<_, i64>(3)? as u64)))
        })?;
        for (id, line) in skipped {
            if let Some(source) = sources.iter_mut().find(|source| source.id == id) {
                source.skipped.push(line);
            }
        }
        let unread = self.rows(SELECT_UNREAD, [], |row| {
            let (lines, first): (i64, i64) = (row.get(1)?, row.get(2)?);
            let quote: Option<String> = row.get(3)?;
            let quote = quote.unwrap_or_default();
            Ok((row.get::<_, i64>(0)?, UnreadRow { lines: lines as u64, first: first as u64, quote }))
        })?;
        for (id, unread) in unread {
            if let Some(source) = sources.iter_mut().find(|source| source.id == id) {
                source.unread = Some(unread);
            }
        }
        Ok(sources)
    }

    /// Messages that sources lack because their recorder lost them, or because they were cut off, by the row of the source.
    pub fn lost(&self) -> Result<Vec<(i64, u64)>> {
        self.rows(SELECT_LOST, [], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)))
    }

    /// Messages of all sources, counted by way, kind, method of a cancel, and error code. Reads every frame's head once.
    /// `cancel_methods` says which methods are cancels.
    pub fn traffic(&self, cancel_methods: &[&str]) -> Result<Vec<TrafficRow>> {
        let methods = serde_json::Value::from(cancel_methods).to_string();
        self.rows(SELECT_TRAFFIC, [methods], |row| {
            Ok(TrafficRow {
                source_id: row.get(0)?,
                direction: row.get(1)?,
                kind: row.get(2)?,
                cancel_method: row.get(3)?,
                error_code: row.get(4)?,
                count: row.get::<_, i64>(5)? as u64,
            })
        })
    }
}

fn source(row: &Row<'_>) -> rusqlite::Result<SourceRow> {
    Ok(SourceRow {
        id: row.get(0)?,
        name: row.get(1)?,
        format: row.get(2)?,
        reason: row.get(3)?,
        bytes: row.get::<_, i64>(4)? as u64,
        first_time: row.get(5)?,
        last_time: row.get(6)?,
        skipped: Vec::new(),
        unread: None,
    })
}

fn connection(row: &Row<'_>) -> rusqlite::Result<ConnectionRow> {
    let mut row = InOrder::of(row);
    Ok(ConnectionRow {
        id: row.take()?,
        key: row.take()?,
        session: row.word()?,
        source: row.word()?,
        format: row.word()?,
        protocol: row.word()?,
        revision: row.word()?,
        transport: row.take()?,
        vantage: row.take()?,
        client_name: row.take()?,
        server_name: row.take()?,
        first_at_us: row.take()?,
        last_at_us: row.take()?,
        messages: row.count()?,
        requests: row.count()?,
        cancels: row.count()?,
        complete_head: row.take::<Option<bool>>()?.unwrap_or_default(),
        complete_tail: row.take::<Option<bool>>()?.unwrap_or_default(),
    })
}
