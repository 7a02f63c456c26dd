//! What a check looked at, found, did not look at and could not decide: the last word of every format.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{Coverage, Silence, shell};
use crate::finding::Severity;
use crate::store::{ConnectionRow, FindingRow, SourceRow, UndecidedRow, UnreadRow};

/// Lines that every log of a format has: passing over them is reading it right.
const EXPECTED: [&str; 2] = ["blank", "header"];

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

/// Lines that hold something like messages and were not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unread {
    /// In which source.
    pub source: String,
    /// How many.
    pub lines: u64,
    /// The first of them.
    pub first: u64,
    /// What it says, cut.
    pub quote: String,
    /// Which format reads that line, or comes near to it, where one does and the file was looked at once more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub near: Option<String>,
}

impl Unread {
    /// Those of all sources.
    pub fn of(sources: &[SourceRow]) -> Vec<Unread> {
        let all = sources.iter().filter_map(|source| Some((&source.name, source.unread.as_ref()?)));
        let told = |(name, row): (&String, &UnreadRow)| Unread {
            source: name.clone(),
            lines: row.lines,
            first: row.first,
            quote: row.quote.clone(),
            near: None,
        };
        all.map(told).collect()
    }

    /// In words: where, how many, and what stands there.
    pub fn told(&self) -> String {
        let Unread { source, lines, first, quote, .. } = self;
        let more = match lines - 1 {
            0 => "holds something like a message".to_string(),
            more => format!("and {} hold something like messages", super::number::plural(more, "more line")),
        };
        format!("not read: {source}:{first} {more}: {quote}")
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        let near = self.near.as_ref().map_or(String::new(), |near| format!("{near}; "));
        format!(
            "nothing is concluded from what stands there; {near}--format-in NAME or a definition (--format-in FILE.toml) \
             reads it otherwise"
        )
    }

    /// The command that tells what the log was taken for.
    pub fn command(&self) -> Option<String> {
        Some(format!("rpctape formats --explain {}", shell::again(&self.source)?))
    }
}

/// A file in a folder that was passed over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PassedOver {
    /// The file.
    pub source: String,
    /// Why.
    pub why: String,
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

/// How two logs met that were read as one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Merged {
    /// Connections that are in both.
    pub connections: u64,
    /// Messages of these that are in both.
    pub messages: u64,
    /// What only the client's log has.
    pub client: MergedAlone,
    /// What only the server's log has.
    pub server: MergedAlone,
}

/// What only one of two logs has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MergedAlone {
    /// Connections that the other log does not have.
    pub connections: u64,
    /// Connections that it may have, and nothing tells which of several they are there.
    pub in_doubt: Vec<String>,
    /// Messages of connections that are in both.
    pub messages: u64,
}

/// Requests that could not be followed from one hop to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NotFollowed {
    /// The hop nearer to the user.
    pub from: String,
    /// The next one.
    pub to: String,
    /// How many.
    pub requests: u64,
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
    /// Lines that hold something like messages and were not read.
    pub unread: Vec<Unread>,
    /// Files that were passed over.
    pub files: Vec<PassedOver>,
    /// Messages that were lost, at least: by the recorder, in lines that were not read, at the end of a log that was cut.
    pub lost: u64,
    /// Rules that were not run because they are ignored, as the flags or the configuration name them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
    /// Where only some rules were asked for, these, named the same way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub selected: Vec<String>,
    /// Findings that an entry of the configuration excuses.
    pub suppressed: u64,
    /// Findings that the baseline knows.
    pub baselined: u64,
    /// Entries of the baseline that matched nothing.
    pub stale: u64,
    /// Excuses whose date has passed.
    pub expired: u64,
    /// Rules that this log cannot decide.
    pub undecidable: Vec<Undecidable>,
    /// Which clauses were judged, and how that came out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// How two logs met that were read as one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged: Option<Merged>,
    /// Requests that could not be followed from hop to hop.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_followed: Vec<NotFollowed>,
    /// What fails the check.
    pub fail_on: &'static str,
    /// The exit code.
    pub exit: u8,
}

impl Summary {
    /// A summary of what was read, before any finding is counted.
    pub fn of(connections: &[ConnectionRow], sources: &[SourceRow], undecided: &[UndecidedRow]) -> Summary {
        let sum = |count: fn(&ConnectionRow) -> u64| connections.iter().map(count).sum();
        let sessions: BTreeSet<&str> = connections.iter().map(|connection| connection.session.as_str()).collect();
        let skipped = sources.iter().flat_map(|source| {
            let told = source.skipped.iter().filter(|(why, ..)| !EXPECTED.contains(&why.as_str()));
            told.map(|(why, lines, first)| Skipped {
                source: source.name.clone(),
                why: why.clone(),
                lines: *lines,
                first: *first,
            })
        });
        let undecidable = undecided.iter().map(|row| Undecidable {
            code: row.code.clone(),
            rule: row.rule.clone(),
            lacks: row.lacks.clone(),
            events: row.events,
        });
        Summary {
            sources: sources.len() as u64,
            sessions: sessions.len() as u64,
            connections: connections.len() as u64,
            messages: sum(|connection| connection.messages),
            requests: sum(|connection| connection.requests),
            cancels: sum(|connection| connection.cancels),
            skipped: skipped.collect(),
            unread: Unread::of(sources),
            undecidable: undecidable.collect(),
            ..Summary::default()
        }
    }

    /// Counts a finding that does not count.
    pub fn silence(&mut self, silence: &Silence) {
        match silence.by {
            "baseline" => self.baselined += 1,
            _ => self.suppressed += 1,
        }
    }

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
