//! What the audit made of connections, read in one pass: asked for one by one, each would look through all of it.

use std::collections::HashMap;

use super::{CancellationRow, ConnectionRow, ExchangeFilter, ExchangeRow, FindingFilter, FindingRow, Raw, Store};
use crate::error::Result;

/// What the audit made of some connections.
#[derive(Debug, Default)]
pub struct Audited(HashMap<String, AuditedConnection>);

/// What it made of one.
#[derive(Debug, Default)]
pub struct AuditedConnection {
    /// Its exchanges, in the order of their requests.
    pub exchanges: Vec<ExchangeRow>,
    /// Its cancels, in order.
    pub cancels: Vec<CancellationRow>,
    /// The findings on it, by source, line and code, without the text of their messages.
    pub findings: Vec<FindingRow>,
}

impl Store {
    /// Reads what the audit made of the wanted connections.
    pub fn audited(&self, wanted: &[ConnectionRow]) -> Result<Audited> {
        let mut audited = Audited(wanted.iter().map(|row| (row.key.clone(), AuditedConnection::default())).collect());
        self.exchanges(ExchangeFilter::default(), |row| {
            audited.keep(&row.connection.clone(), |own| own.exchanges.push(row))
        })?;
        self.each_cancellation(|row| audited.keep(&row.connection.clone(), |own| own.cancels.push(row)))?;
        let all = FindingFilter::default();
        self.findings(&all, Raw::None, |row| audited.keep(&row.connection.clone(), |own| own.findings.push(row)))?;
        Ok(audited)
    }
}

impl Audited {
    fn keep(&mut self, connection: &str, keep: impl FnOnce(&mut AuditedConnection)) -> Result<()> {
        self.0.get_mut(connection).map(keep);
        Ok(())
    }

    /// Hands out what there is of a connection.
    pub fn take(&mut self, connection: &ConnectionRow) -> AuditedConnection {
        self.0.remove(&connection.key).unwrap_or_default()
    }
}
