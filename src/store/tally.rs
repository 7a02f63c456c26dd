//! Counts over a whole database: what a summary says.

use super::Store;
use crate::error::Result;

const SELECT_TALLY: &str = include_str!("../../sql/statements/select_tally.sql");
const COUNT_FINDINGS: &str = include_str!("../../sql/statements/count_findings.sql");
const SELECT_UNDECIDED: &str = include_str!("../../sql/statements/select_undecided.sql");
const COUNT_CALLS: &str = include_str!("../../sql/statements/count_calls.sql");
const DROP_CLAUSES: &str = include_str!("../../sql/statements/delete_unused_clauses.sql");

/// Counts of a database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Connections.
    pub connections: u64,
    /// Messages, those that could not be read not counted.
    pub messages: u64,
    /// Requests.
    pub requests: u64,
    /// Cancels of any kind.
    pub cancels: u64,
    /// Exchanges.
    pub exchanges: u64,
    /// Stretches that the logs do not show.
    pub gaps: u64,
    /// How many messages were in them at least.
    pub lost: u64,
}

/// How many findings of one severity and certainty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingCount {
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// `violation`, `race` or `undecidable`.
    pub certainty: String,
    /// How many.
    pub count: u64,
}

/// A rule that could not be decided.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct UndecidedRow {
    /// Code of the rule.
    pub code: String,
    /// Slug of the rule.
    pub rule: String,
    /// What the log lacks, in words.
    pub lacks: Vec<String>,
    /// On how many events it would have had to be judged.
    pub events: u64,
}

impl Store {
    /// Counts of the whole database.
    pub fn tally(&self) -> Result<Tally> {
        let rows = self.rows(SELECT_TALLY, [], |row| {
            let count = |at: usize| row.get::<_, i64>(at).map(|count| count as u64);
            Ok(Tally {
                connections: count(0)?,
                messages: count(1)?,
                requests: count(2)?,
                cancels: count(3)?,
                exchanges: count(4)?,
                gaps: count(5)?,
                lost: count(6)?,
            })
        })?;
        let counted = rows.into_iter().next().unwrap_or_default();
        let exchanges = self.aside.as_ref().map_or(counted.exchanges, |aside| aside.borrow().exchanges());
        Ok(Tally { exchanges, ..counted })
    }

    /// Findings by severity (worst first) and certainty.
    pub fn finding_counts(&self) -> Result<Vec<FindingCount>> {
        self.rows(COUNT_FINDINGS, [], |row| {
            let count: i64 = row.get(2)?;
            Ok(FindingCount { severity: row.get(0)?, certainty: row.get(1)?, count: count as u64 })
        })
    }

    /// Requests by the tool or command that they ask for, else by method.
    pub fn calls(&self) -> Result<Vec<(String, u64)>> {
        self.rows(COUNT_CALLS, [], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)))
    }

    /// Rules that could not be decided, by code.
    pub fn undecided(&self) -> Result<Vec<UndecidedRow>> {
        self.rows(SELECT_UNDECIDED, [], |row| {
            let (lacks, events): (String, i64) = (row.get(2)?, row.get(3)?);
            let lacks = serde_json::from_str(&lacks).unwrap_or_default();
            Ok(UndecidedRow { code: row.get(0)?, rule: row.get(1)?, lacks, events: events as u64 })
        })
    }

    /// Stores a rule that could not be decided.
    pub fn add_undecided(&self, code: &str, lacks: &[&str], events: u64) -> Result<()> {
        let lacks = serde_json::Value::from(lacks).to_string();
        let insert = "INSERT OR REPLACE INTO undecided (rule, lacks, events) VALUES (?1, ?2, ?3)";
        let done = self.sql.execute(insert, (code, lacks, events as i64));
        done.map(|_| ()).map_err(|error| self.fail("write", &error))
    }

    /// Drops clauses that no finding rests on any more.
    pub fn drop_unused_clauses(&self) -> Result<()> {
        self.batch(DROP_CLAUSES)
    }
}
