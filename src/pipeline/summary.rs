//! What a database holds, in numbers: the last lines of a screen, and the `summary` object of a report.

use std::collections::BTreeMap;

use super::Met;
use crate::error::Result;
use crate::session::Followed;
use crate::store::{FindingCount, SourceRow, Store, Tally, UndecidedRow};

/// What was done with one input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It was new.
    New,
    /// Another content is there under its name, and stays: so many of its messages are there, too.
    Beside(u64),
    /// Its beginning was there; the rest was added.
    Grown,
    /// Its beginning was there, and it cannot be read on from the middle: it was replaced by the whole.
    Anew,
    /// The same content was there: nothing was added.
    AlreadyThere,
}

/// One input of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Name as it was given.
    pub name: String,
    /// What was done with it.
    pub taken: Taken,
}

/// What a database holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// What was done with each input of this run; empty where none was read.
    pub inputs: Vec<Input>,
    /// All sources, with format, reason, and lines passed over.
    pub sources: Vec<SourceRow>,
    /// Connections, messages, requests, cancels, exchanges, lost messages.
    pub tally: Tally,
    /// Findings by severity and certainty.
    pub findings: Vec<FindingCount>,
    /// Rules that the logs could not decide, and what they lack.
    pub undecided: Vec<UndecidedRow>,
    /// How much was followed from hop to hop, where logs of several were read.
    pub followed: Vec<Followed>,
    /// How the logs of a client and of a server met, where two were merged.
    pub met: Option<Met>,
    /// Secrets that this run replaced, by kind.
    pub redacted: BTreeMap<&'static str, u64>,
}

impl Summary {
    /// How many findings of a severity and certainty.
    pub fn count(&self, severity: &str, certainty: &str) -> u64 {
        let fits = |found: &&FindingCount| found.severity == severity && found.certainty == certainty;
        self.findings.iter().find(fits).map_or(0, |found| found.count)
    }

    /// Everything that rules asked for and the logs do not show, in words.
    pub fn lacking(&self) -> Vec<String> {
        let mut all: Vec<String> = self.undecided.iter().flat_map(|rule| rule.lacks.iter().cloned()).collect();
        all.sort();
        all.dedup();
        all
    }
}

/// What a database holds; nothing is judged again.
pub fn summary(store: &Store) -> Result<Summary> {
    summarise(store, Vec::new())
}

pub(super) fn summarise(store: &Store, inputs: Vec<Input>) -> Result<Summary> {
    Ok(Summary {
        inputs,
        sources: store.sources()?,
        tally: store.tally()?,
        findings: store.finding_counts()?,
        undecided: store.undecided()?,
        followed: Vec::new(),
        met: None,
        redacted: BTreeMap::new(),
    })
}
