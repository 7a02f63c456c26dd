//! Reads exchanges and cancels.

use rusqlite::{Row, named_params};

use super::{CancellationRow, ExchangeRow, Store, codes};
use crate::error::Result;
use crate::jsonrpc::Id;
use crate::protocol::Side;

const SELECT_EXCHANGES: &str = include_str!("../../sql/statements/select_exchange_rows.sql");
const SELECT_EXCHANGE: &str = include_str!("../../sql/statements/select_exchange_row.sql");
const SELECT_ODD: &str = include_str!("../../sql/statements/select_odd_exchange_rows.sql");
const SELECT_NESTED: &str = include_str!("../../sql/statements/select_nested_exchange_rows.sql");
const SELECT_BY_ID: &str = include_str!("../../sql/statements/select_exchanges_by_rpc_id.sql");
const SELECT_CANCELLATIONS: &str = include_str!("../../sql/statements/select_cancellation_rows.sql");

/// Which exchanges are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExchangeFilter {
    /// Those of one connection.
    pub connection: Option<i64>,
    /// Those that ended otherwise than by a result or an error: few, and found by an index.
    pub odd_only: bool,
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
        let mut rows = select.query(named_params! { ":connection": filter.connection }).map_err(fault)?;
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

    /// Cancels in order: all, or those of one connection, or those that name one exchange.
    pub fn cancellations(&self, connection: Option<i64>, exchange: Option<i64>) -> Result<Vec<CancellationRow>> {
        let values = named_params! { ":connection": connection, ":exchange": exchange };
        self.rows(SELECT_CANCELLATIONS, values, cancellation)
    }

    /// Hands each cancel to `take`, in order.
    pub fn each_cancellation(&self, mut take: impl FnMut(CancellationRow) -> Result<()>) -> Result<()> {
        let fault = |error: rusqlite::Error| self.fail("read", &error);
        let mut select = self.sql.prepare_cached(SELECT_CANCELLATIONS).map_err(fault)?;
        let all = named_params! { ":connection": None::<i64>, ":exchange": None::<i64> };
        let mut rows = select.query(all).map_err(fault)?;
        while let Some(row) = rows.next().map_err(fault)? {
            take(cancellation(row).map_err(fault)?)?;
        }
        Ok(())
    }
}

pub(super) fn exchange(row: &Row<'_>) -> rusqlite::Result<ExchangeRow> {
    let word = |column: &str| row.get::<_, Option<String>>(column).map(Option::unwrap_or_default);
    Ok(ExchangeRow {
        id: row.get("id")?,
        connection_id: row.get("connection_id")?,
        connection: row.get("connection")?,
        issuer: row.get("issuer")?,
        rpc_id: row.get("rpc_id")?,
        profile: word("profile")?,
        method: word("method")?,
        name: row.get("name")?,
        source: row.get("source")?,
        line: row.get::<_, i64>("line")? as u64,
        response_id: row.get("response_id")?,
        response_line: row.get::<_, Option<i64>>("response_line")?.map(|line| line as u64),
        parent_id: row.get("parent_id")?,
        sent_at_us: row.get("sent_at_us")?,
        settled_at_us: row.get("settled_at_us")?,
        latency_us: row.get("latency_us")?,
        outcome: row.get("outcome")?,
        history: row.get("history")?,
        error_code: row.get("error_code")?,
    })
}

fn cancellation(row: &Row<'_>) -> rusqlite::Result<CancellationRow> {
    let findings: Option<String> = row.get("findings")?;
    Ok(CancellationRow {
        id: row.get("id")?,
        connection_id: row.get("connection_id")?,
        connection: row.get("connection")?,
        message_id: row.get("message_id")?,
        source: row.get("source")?,
        line: row.get::<_, i64>("line")? as u64,
        sender: row.get("sender")?,
        mechanism: row.get("mechanism")?,
        target_rpc_id: row.get("target_rpc_id")?,
        exchange_id: row.get("exchange_id")?,
        target_method: row.get("target_method")?,
        sent_at_us: row.get("sent_at_us")?,
        delay_us: row.get("delay_us")?,
        reason: row.get("reason")?,
        effect: row.get("effect")?,
        effect_message_id: row.get("effect_message_id")?,
        effect_at_us: row.get("effect_at_us")?,
        settle_us: row.get("settle_us")?,
        response_code: row.get("response_code")?,
        certainty: row.get("certainty")?,
        is_foreign: row.get("is_foreign")?,
        findings: findings.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default(),
    })
}
