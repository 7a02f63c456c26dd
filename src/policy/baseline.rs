//! The baseline: findings that are known, one entry per line of JSON, sorted.
//!
//! `{"v":1,"rule":"never-answered","fp":"0123456789abcdef","method":"tools/call","name":"search","count":2,"note":""}`:
//! at most two findings with this fingerprint are known; a third one counts. `note` is for people and is kept.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Result};
use crate::redact::Redactor;
use crate::report::{self, Silence, fingerprint};
use crate::store::FindingRow;

/// The usual name of the file.
pub const FILE: &str = "rpctape-baseline.jsonl";

/// One kind of known finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Version of this form: 1.
    pub v: u8,
    /// Slug of the rule.
    pub rule: String,
    /// Fingerprint.
    pub fp: String,
    /// Method, for people.
    #[serde(default)]
    pub method: Option<String>,
    /// Tool or command, for people.
    #[serde(default)]
    pub name: Option<String>,
    /// How many of these are known.
    #[serde(default = "one")]
    pub count: u64,
    /// Why it is accepted; kept when the baseline is written again.
    #[serde(default)]
    pub note: String,
}

fn one() -> u64 {
    1
}

/// Known findings, by rule and fingerprint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    entries: BTreeMap<(String, String), Entry>,
}

impl Baseline {
    /// Reads a file's text. `file` is named in errors.
    pub fn read(text: &str, file: &str) -> Result<Baseline> {
        let mut baseline = Baseline::default();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let fault = |why: String| {
                Error::new(ErrorKind::Usage, format!("{file}:{}: {why}", index + 1))
                    .hint("a baseline is written by `rpctape baseline LOG -o FILE`")
            };
            let entry: Entry =
                serde_json::from_str(line).map_err(|error| fault(format!("no entry of a baseline: {error}")))?;
            if entry.v != 1 {
                return Err(fault(format!("this rpctape reads version 1 of a baseline, not {}", entry.v)));
            }
            baseline.insert(entry);
        }
        Ok(baseline)
    }

    fn insert(&mut self, entry: Entry) {
        let key = (entry.rule.clone(), entry.fp.clone());
        match self.entries.get_mut(&key) {
            // Two baselines that were joined into one file.
            Some(known) => known.count = known.count.saturating_add(entry.count),
            None => drop(self.entries.insert(key, entry)),
        }
    }

    /// Takes a finding into the baseline.
    pub fn add(&mut self, finding: &FindingRow) {
        // They are for people; what is known is told by the fingerprint.
        let clean = |word: &String| Redactor::default().text(word).into_owned();
        self.insert(Entry {
            v: 1,
            rule: finding.rule.clone(),
            fp: fingerprint(finding),
            method: finding.method.as_ref().map(clean),
            name: finding.name.as_ref().map(clean),
            count: 1,
            note: String::new(),
        });
    }

    /// Takes over the notes of an older one.
    pub fn keep_notes(&mut self, older: &Baseline) {
        for (key, entry) in &mut self.entries {
            if let Some(known) = older.entries.get(key).filter(|_| entry.note.is_empty()) {
                entry.note.clone_from(&known.note);
            }
        }
    }

    /// How many kinds of finding, and how many findings.
    pub fn size(&self) -> (u64, u64) {
        (self.entries.len() as u64, self.entries.values().map(|entry| entry.count).sum())
    }

    /// The file's text.
    pub fn to_text(&self) -> Result<String> {
        let mut text = String::new();
        for entry in self.entries.values() {
            let line = report::json(entry)
                .map_err(|error| Error::new(ErrorKind::Io, format!("cannot write the baseline: {error}")))?;
            text.push_str(&line);
            text.push('\n');
        }
        Ok(text)
    }
}

/// A baseline that is being used up.
#[derive(Debug)]
pub struct Known {
    left: BTreeMap<(String, String), (Entry, u64)>,
}

impl Known {
    /// Nothing of it is used yet.
    pub fn new(baseline: Baseline) -> Known {
        Known { left: baseline.entries.into_iter().map(|(key, entry)| (key, (entry, 0))).collect() }
    }

    /// Takes one finding off, if it is known and has not come more often than is known.
    pub fn take(&mut self, finding: &FindingRow) -> Option<Silence> {
        let (entry, used) = self.left.get_mut(&(finding.rule.clone(), fingerprint(finding)))?;
        *used += 1;
        (*used <= entry.count).then(|| Silence::baselined(&entry.note))
    }

    /// Entries that nothing matched.
    pub fn unused(self) -> Vec<Entry> {
        self.left.into_values().filter(|(_, used)| *used == 0).map(|(entry, _)| entry).collect()
    }
}
