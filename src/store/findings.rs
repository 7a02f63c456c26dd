//! Reads findings with the messages that prove them.

use rusqlite::{Row, Statement, named_params};

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
    let word = |column: &str| row.get::<_, Option<String>>(column).map(Option::unwrap_or_default);
    let clause = match row.get::<_, Option<String>>("clause_level")? {
        Some(level) => Some(ClauseRow { level, text: row.get("clause_text")?, url: row.get("clause_url")? }),
        None => None,
    };
    Ok(FindingRow {
        id: row.get("id")?,
        code: row.get("code")?,
        rule: word("rule")?,
        severity: row.get("severity")?,
        certainty: row.get("certainty")?,
        basis: row.get("basis")?,
        profile: word("profile")?,
        connection: word("connection")?,
        source: word("source")?,
        line: row.get::<_, i64>("line")? as u64,
        message_id: row.get("message_id")?,
        exchange_id: row.get("exchange_id")?,
        request_line: row.get::<_, Option<i64>>("request_line")?.map(|line| line as u64),
        issuer: row.get("issuer")?,
        method: row.get("method")?,
        name: row.get("name")?,
        summary: row.get("summary")?,
        clause,
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
