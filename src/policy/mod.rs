//! What a team has agreed on about findings: severities of their own, excuses with an end, and a baseline of what is
//! known. Pure: a finding goes in, whether it still counts comes out. Reading files and the calendar is left to callers.

mod baseline;
mod suppress;

use std::collections::BTreeMap;

use chrono::NaiveDate;

pub use baseline::{Baseline, Entry, FILE as BASELINE_FILE, Known};
pub use suppress::Suppression;

use crate::protocol::Severity;
use crate::report::Silence;
use crate::store::FindingRow;

/// What was agreed on, applied to the findings of one run.
#[derive(Debug, Default)]
pub struct Policy {
    severities: BTreeMap<String, Severity>,
    suppressions: Vec<Suppression>,
    expired: Vec<Suppression>,
    baseline: Option<Known>,
}

/// What was agreed on and no longer holds.
#[derive(Debug, Default)]
pub struct Leftovers {
    /// Excuses whose date has passed.
    pub expired: Vec<Suppression>,
    /// Entries of the baseline that matched nothing.
    pub stale: Vec<Entry>,
}

impl Policy {
    /// A policy as of a day. `severities` are by code of the rule.
    pub fn new(severities: BTreeMap<String, Severity>, suppressions: Vec<Suppression>, today: NaiveDate) -> Policy {
        let (suppressions, expired) = suppressions.into_iter().partition(|excuse| today <= excuse.until);
        Policy { severities, suppressions, expired, baseline: None }
    }

    /// True if there is a baseline.
    pub fn has_baseline(&self) -> bool {
        self.baseline.is_some()
    }

    /// The same with a baseline.
    pub fn with_baseline(mut self, baseline: Baseline) -> Policy {
        self.baseline = Some(Known::new(baseline));
        self
    }

    /// Gives a finding the severity that was agreed on, and tells why it does not count, if it does not.
    /// A suppression goes before the baseline, so that the baseline is not used up by what is excused anyway.
    pub fn apply(&mut self, finding: &mut FindingRow) -> Option<Silence> {
        // What may have crossed, or cannot be decided, stays a note whatever the rule says.
        if finding.certainty == "violation"
            && let Some(severity) = self.severities.get(&finding.code)
        {
            finding.severity = severity.as_str().to_string();
        }
        if let Some(excuse) = self.suppressions.iter().find(|excuse| excuse.covers(finding)) {
            return Some(Silence::suppressed(&excuse.reason));
        }
        self.baseline.as_mut()?.take(finding)
    }

    /// What no longer holds, after all findings were seen. `looked_at` tells whether a rule was run at all.
    pub fn leftovers(self, looked_at: impl Fn(&str) -> bool) -> Leftovers {
        let mut stale = self.baseline.map(Known::unused).unwrap_or_default();
        stale.retain(|entry| looked_at(&entry.rule));
        Leftovers { expired: self.expired, stale }
    }
}

#[cfg(test)]
mod tests;
