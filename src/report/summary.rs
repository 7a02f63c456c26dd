//! What a check looked at, found, did not look at and could not decide: the last word of every format.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::finding::Severity;
use crate::store::FindingRow;

/// Counts of findings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// All.
    pub findings: u64,
    /// With severity error.
    pub error: u64,
    /// With severity warning.
    pub warning: u64,
    /// With severity note.
    pub note: u64,
    /// Proven.
    pub violation: u64,
    /// May have crossed.
    pub race: u64,
    /// Not decidable.
    pub undecidable: u64,
}

/// Lines that were passed over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// In which source.
    pub source: String,
    /// Why.
    pub why: String,
    /// How many.
    pub lines: u64,
    /// The first of them.
    pub first: u64,
}

/// A rule that this log cannot decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Undecidable {
    /// Code.
    pub code: String,
    /// Slug.
    pub rule: String,
    /// What the log lacks.
    pub lacks: Vec<String>,
    /// How many messages it would have spoken about.
    pub events: u64,
}

/// The summary. Its members are those of the JSON object `summary`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Findings by severity and certainty.
    pub counts: Counts,
    /// Findings by code.
    pub by_rule: BTreeMap<String, u64>,
    /// Findings that were counted and not printed (`--max-findings`).
    pub not_shown: u64,
    /// Sources read.
    pub sources: u64,
    /// Recordings.
    pub sessions: u64,
    /// Connections.
    pub connections: u64,
    /// Messages.
    pub messages: u64,
    /// Requests.
    pub requests: u64,
    /// Cancels.
    pub cancels: u64,
    /// Lines that were passed over, blank lines and headers not counted.
    pub skipped: Vec<Skipped>,
    /// Messages that the recorder says it lost.
    pub lost: u64,
    /// Findings that were silenced.
    pub suppressed: u64,
    /// Rules that this log cannot decide.
    pub undecidable: Vec<Undecidable>,
    /// What fails the check.
    pub fail_on: &'static str,
    /// The exit code.
    pub exit: u8,
}

impl Summary {
    /// Counts a finding, and sets the exit code where it fails the check (`None`: nothing does).
    pub fn count(&mut self, finding: &FindingRow, fail_on: Option<Severity>) {
        self.counts.findings += 1;
        match finding.severity.as_str() {
            "error" => self.counts.error += 1,
            "warning" => self.counts.warning += 1,
            _ => self.counts.note += 1,
        }
        match finding.certainty.as_str() {
            "race" => self.counts.race += 1,
            "undecidable" => self.counts.undecidable += 1,
            _ => self.counts.violation += 1,
        }
        *self.by_rule.entry(finding.code.clone()).or_default() += 1;
        let severity = Severity::from_name(&finding.severity);
        let fails = fail_on.zip(severity).is_some_and(|(least, severity)| severity >= least);
        if finding.certainty == "violation" && fails {
            self.exit = 1;
        }
    }
}
