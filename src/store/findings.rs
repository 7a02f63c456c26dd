//! Reads findings with the messages that prove them.

use rusqlite::{Row, Statement, named_params};

use super::in_order::InOrder;
use super::{ClauseRow, EvidenceRow, FindingRow, Raw, Store, codes, messages};
use crate::error::Result;
use crate::protocol::Severity;

const SELECT_FINDINGS: &str = include_str!("../../sql/statements/select_finding_rows.sql");

/// Which findings are wanted; everything by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindingFilter {
    /// Those of one connection.
    pub connection: Option<i64>,
    /// Those of one exchange.
    pub exchange: Option<i64>,
    /// Those at one frame.
    pub message: Option<i64>,
    /// Those of this severity or above.
    pub at_least: Option<Severity>,
    /// Those of this code.
    pub code: Option<String>,
}

impl Store {
    /// Hands each finding to `take`, sorted by source (in the order given), line and code. `raw` says how much of the
    /// text of its messages is wanted.
    pub fn findings(
        &self,
        filter: &FindingFilter,
        raw: Raw,
        mut take: impl FnMut(FindingRow) -> Result<()>,
    ) -> Result<()> {
        let fault = |error: rusqlite::Error| self.fail("read", &error);
        let mut select = self.sql.prepare(SELECT_FINDINGS).map_err(fault)?;
        let mut message = self.sql.prepare(messages::ONE).map_err(fault)?;
        let values = named_params! {
            ":connection": filter.connection,
            ":exchange": filter.exchange,
            ":message": filter.message,
            ":at_least": filter.at_least.map_or(0, codes::severity),
            ":code": filter.code,
        };
        let mut rows = select.query(values).map_err(fault)?;
        while let Some(row) = rows.next().map_err(fault)? {
            let finding = finding(row).and_then(|mut finding| {
                finding.evidence = evidence(row, &mut message, raw)?;
                Ok(finding)
            });
            take(finding.map_err(fault)?)?;
        }
        Ok(())
    }

    /// All findings that pass the filter.
    pub fn all_findings(&self, filter: &FindingFilter, raw: Raw) -> Result<Vec<FindingRow>> {
        let mut all = Vec::new();
        self.findings(filter, raw, |finding| {
            all.push(finding);
            Ok(())
        })?;
        Ok(all)
    }
}

fn finding(row: &Row<'_>) -> rusqlite::Result<FindingRow> {
    let mut row = InOrder::of(row);
    Ok(FindingRow {
        id: row.take()?,
        code: row.take()?,
        rule: row.word()?,
        severity: row.take()?,
        certainty: row.take()?,
        basis: row.take()?,
        profile: row.word()?,
        connection: row.word()?,
        source: row.word()?,
        line: row.count()?,
        message_id: row.take()?,
        exchange_id: row.take()?,
        request_line: row.take::<Option<i64>>()?.map(|line| line as u64),
        issuer: row.take()?,
        method: row.take()?,
        name: row.take()?,
        summary: row.take()?,
        clause: match row.take::<Option<String>>()? {
            Some(level) => Some(ClauseRow { level, text: row.take()?, url: row.take()? }),
            None => None,
        },
        evidence: Vec::new(),
    })
}

fn evidence(row: &Row<'_>, message: &mut Statement<'_>, raw: Raw) -> rusqlite::Result<Vec<EvidenceRow>> {
    let text: String = row.get("evidence")?;
    let list: Vec<(String, i64)> = serde_json::from_str(&text).unwrap_or_default();
    let mut found = Vec::with_capacity(list.len());
    for (role, frame) in list {
        if let Some(message) = messages::one(message, frame, raw)? {
            found.push(EvidenceRow { role, message });
        }
    }
    Ok(found)
}
