//! `export --as otlp`: exchanges as spans, findings as log records.

use std::collections::HashMap;

use rpctape::error::{Error, ErrorKind, Result};
use rpctape::report::Otlp;
use rpctape::store::{AuditedConnection, CancellationRow, ConnectionRow, ExchangeRow, Store};

use crate::cli::screen::io::{Out, written};

/// A chain of requests that serve each other is followed so far.
const DEEP: usize = 32;

/// How much was written.
#[derive(Debug, Default)]
pub struct Count {
    /// Requests.
    pub spans: usize,
    /// Findings.
    pub records: usize,
}

/// Writes the wanted connections.
pub fn write(store: &Store, wanted: &[ConnectionRow], out: &mut Out) -> Result<Count> {
    if wanted.iter().all(|connection| connection.first_at_us.is_none()) {
        return Err(Error::new(ErrorKind::Input, "the messages have no times, and spans need them")
            .hint("--as jsonl writes them in their order"));
    }
    let mut count = Count::default();
    let mut audited = store.audited(wanted)?;
    for connection in wanted {
        let AuditedConnection { exchanges, cancels, findings } = audited.take(connection);
        let mut by_exchange: HashMap<i64, Vec<&CancellationRow>> = HashMap::new();
        for cancel in &cancels {
            by_exchange.entry(cancel.exchange_id.unwrap_or(-1)).or_default().push(cancel);
        }
        let mut otlp = Otlp::new(out, connection);
        for row in &exchanges {
            let ancestors = ancestors(store, row)?;
            count.spans += usize::from(row.sent_at_us.is_some());
            written(otlp.exchange(row, &ancestors, by_exchange.get(&row.id).map_or(&[], Vec::as_slice)))?;
        }
        for finding in &findings {
            count.records += 1;
            let request = finding.exchange_id.map(|id| store.exchange(id)).transpose()?.flatten();
            let ancestors = request.as_ref().map(|row| ancestors(store, row)).transpose()?.unwrap_or_default();
            let request = request.as_ref().filter(|row| row.sent_at_us.is_some());
            otlp.finding(finding, request.map(|row| (row, ancestors.last().unwrap_or(row))));
        }
        written(otlp.finish())?;
    }
    Ok(count)
}

/// The request that this one serves, the one which that serves, and so on.
fn ancestors(store: &Store, row: &ExchangeRow) -> Result<Vec<ExchangeRow>> {
    let mut line: Vec<ExchangeRow> = Vec::new();
    let mut parent = row.parent_id;
    while let (Some(id), true) = (parent, line.len() < DEEP) {
        let Some(row) = store.exchange(id)? else { break };
        parent = row.parent_id;
        line.push(row);
    }
    Ok(line)
}
