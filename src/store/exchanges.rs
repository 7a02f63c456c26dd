//! Reads exchanges and cancels.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Row, named_params};

use super::in_order::InOrder;
use super::{CancellationRow, ExchangeRow, Store, codes};
use crate::error::Result;
use crate::jsonrpc::Id;
use crate::protocol::Side;

const SELECT_EXCHANGES: &str = include_str!("../../sql/statements/select_exchange_rows.sql");
const SELECT_EXCHANGE: &str = include_str!("../../sql/statements/select_exchange_row.sql");
const SELECT_ODD: &str = include_str!("../../sql/statements/select_odd_exchange_rows.sql");
const SELECT_NESTED: &str = include_str!("../../sql/statements/select_nested_exchange_rows.sql");
const SELECT_BY_ID: &str = include_str!("../../sql/statements/select_exchanges_by_rpc_id.sql");
const SELECT_WAITING: &str = include_str!("../../sql/statements/select_waiting_exchange_rows.sql");
const SELECT_CANCELLATIONS: &str = include_str!("../../sql/statements/select_cancellation_rows.sql");
const SELECT_OF_CONNECTION: &str = include_str!("../../sql/statements/select_cancellation_rows_of_connection.sql");
const SELECT_OF_EXCHANGE: &str = include_str!("../../sql/statements/select_cancellation_rows_of_exchange.sql");
const COUNT_DEFIED: &str = include_str!("../../sql/statements/count_defied_cancels.sql");

/// Which exchanges are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExchangeFilter {
    /// Those of one connection.
    pub connection: Option<i64>,
    /// Those that ended otherwise than by a result or an error: few, and found by an index.
    pub odd_only: bool,
    /// Those that were sent by the second of these times and not settled before the first, in microseconds.
    pub under_way: Option<(i64, i64)>,
}

/// A request as a user names it: `#17`, `s4`, `"abc"`, with or without its connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestName {
    /// Its id.
    pub id: Id,
    /// Who issued it, where that was said.
    pub issuer: Option<Side>,
    /// Row of its connection, where that was said.
    pub connection: Option<i64>,
}

impl Store {
    /// Hands each exchange to `take`, in the order of the requests.
    pub fn exchanges(&self, filter: ExchangeFilter, mut take: impl FnMut(ExchangeRow) -> Result<()>) -> Result<()> {
        let fault = |error: rusqlite::Error| self.fail("read", &error);
        let select = if filter.odd_only { SELECT_ODD } else { SELECT_EXCHANGES };
        let mut select = self.sql.prepare_cached(select).map_err(fault)?;
        let (from, to) = filter.under_way.unzip();
        let values = named_params! { ":connection": filter.connection, ":from": from, ":to": to };
        let mut rows = select.query(values).map_err(fault)?;
        while let Some(row) = rows.next().map_err(fault)? {
            take(exchange(row).map_err(fault)?)?;
        }
        Ok(())
    }

    /// One exchange by the frame of its request.
    pub fn exchange(&self, id: i64) -> Result<Option<ExchangeRow>> {
        Ok(self.rows(SELECT_EXCHANGE, [id], exchange)?.pop())
    }

    /// The exchanges that served another one.
    pub fn nested_exchanges(&self, parent: i64) -> Result<Vec<ExchangeRow>> {
        self.rows(SELECT_NESTED, [parent], exchange)
    }

    /// All exchanges that a name fits, in the order of the requests.
    pub fn exchanges_named(&self, name: &RequestName) -> Result<Vec<ExchangeRow>> {
        let key: rusqlite::types::Value = match &name.id {
            Id::Int(number) => (*number).into(),
            other => other.to_json().into(),
        };
        let issuer = name.issuer.map(codes::side);
        let values = named_params! { ":rpc_id": key, ":issuer": issuer, ":connection": name.connection };
        self.rows(SELECT_BY_ID, values, exchange)
    }

    /// Requests without an answer. Of those that were cancelled and to which none is due only the ones that ask by one of `methods`.
    pub fn waiting(&self, methods: &BTreeSet<&str>) -> Result<Vec<ExchangeRow>> {
        let methods = serde_json::to_string(methods).unwrap_or_default();
        self.rows(SELECT_WAITING, [methods], exchange)
    }

    /// All cancels in order.
    pub fn cancellations(&self) -> Result<Vec<CancellationRow>> {
        self.rows(SELECT_CANCELLATIONS, [], cancellation)
    }

    /// The cancels of one connection in order.
    pub fn cancellations_of_connection(&self, connection: i64) -> Result<Vec<CancellationRow>> {
        self.rows(SELECT_OF_CONNECTION, [connection], cancellation)
    }

    /// The cancels of one exchange in order.
    pub fn cancellations_of_exchange(&self, exchange: i64) -> Result<Vec<CancellationRow>> {
        self.rows(SELECT_OF_EXCHANGE, [exchange], cancellation)
    }

    /// How many cancels each connection has that has any.
    pub fn cancel_counts(&self) -> Result<BTreeMap<i64, u64>> {
        let count = "SELECT connection, count(*) FROM cancellation GROUP BY connection";
        Ok(self.rows(count, [], counted)?.into_iter().collect())
    }

    /// How many cancels of each connection were proven by rules of these codes not to be honoured.
    pub fn defied_counts(&self, codes: &[&str]) -> Result<BTreeMap<i64, u64>> {
        let codes = serde_json::to_string(codes).unwrap_or_default();
        Ok(self.rows(COUNT_DEFIED, [codes], counted)?.into_iter().collect())
    }

    /// Hands each cancel to `take`, in order.
    pub fn each_cancellation(&self, mut take: impl FnMut(CancellationRow) -> Result<()>) -> Result<()> {
        let fault = |error: rusqlite::Error| self.fail("read", &error);
        let mut select = self.sql.prepare_cached(SELECT_CANCELLATIONS).map_err(fault)?;
        let mut rows = select.query([]).map_err(fault)?;
        while let Some(row) = rows.next().map_err(fault)? {
            take(cancellation(row).map_err(fault)?)?;
        }
        Ok(())
    }
}

fn counted(row: &Row<'_>) -> rusqlite::Result<(i64, u64)> {
    Ok((row.get(0)?, row.get::<_, i64>(1)? as u64))
}

pub(super) fn exchange(row: &Row<'_>) -> rusqlite::Result<ExchangeRow> {
    let mut row = InOrder::of(row);
    Ok(ExchangeRow {
        id: row.take()?,
        connection_id: row.take()?,
        connection: row.take()?,
        issuer: row.take()?,
        rpc_id: row.take()?,
        profile: row.word()?,
        method: row.word()?,
        name: row.take()?,
        source: row.take()?,
        line: row.count()?,
        response_id: row.take()?,
        response_line: row.take::<Option<i64>>()?.map(|line| line as u64),
        parent_id: row.take()?,
        sent_at_us: row.take()?,
        settled_at_us: row.take()?,
        latency_us: row.take()?,
        outcome: row.take()?,
        history: row.take()?,
        error_code: row.take()?,
    })
}

fn cancellation(row: &Row<'_>) -> rusqlite::Result<CancellationRow> {
    let mut row = InOrder::of(row);
    Ok(CancellationRow {
        id: row.take()?,
        connection_id: row.take()?,
        connection: row.take()?,
        message_id: row.take()?,
        source: row.take()?,
        line: row.count()?,
        sender: row.take()?,
        mechanism: row.take()?,
        target_rpc_id: row.take()?,
        exchange_id: row.take()?,
        target_method: row.take()?,
        sent_at_us: row.take()?,
        delay_us: row.take()?,
        reason: row.take()?,
        effect: row.take()?,
        effect_message_id: row.take()?,
        effect_at_us: row.take()?,
        settle_us: row.take()?,
        response_code: row.take()?,
        certainty: row.take()?,
        is_foreign: row.take()?,
        findings: row.take::<Option<String>>()?.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default(),
    })
}
