//! Findings that were made part by part, as one check.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;

use rpctape::capture::{Proof, RecordedPart, Skip, lost_between, unfollowed};
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::facts::{FileFacts, source_order};
use rpctape::finding;
use rpctape::pipeline::coverage_of;
use rpctape::protocol::{Profile, Side, by_name};
use rpctape::report::{Breach, Coverage, FindingLine, Occasion, PartLine, PassedOver, Summary};
use rpctape::rules::{Covered, Selection};
use rpctape::store::{ConnectionRow, OccasionRow, SourceRow, UndecidedRow, UnreadRow};

use crate::cli::args::input::harm_of;
use crate::cli::commands::check::Judged;

/// What the lines of all parts say.
#[derive(Default)]
struct Read {
    connections: Vec<ConnectionRow>,
    undecided: BTreeMap<String, UndecidedRow>,
    findings: Vec<FindingLine>,
    /// By what they say, how many connections and findings say it.
    occasions: BTreeMap<Occasion<'static>, u64>,
    breaches: BTreeMap<Breach<'static>, u64>,
    sources: BTreeMap<String, (String, FileFacts)>,
    /// What the parts say that they hold: connections, findings.
    promised: (u64, u64),
    parts: u64,
}

/// Reads the lines of all parts. Errors: a line that is none of theirs, a part whose end is missing or that is there twice.
pub fn read(input: Box<dyn BufRead>, name: &str, selection: &Selection, clauses: bool) -> Result<Judged<'static>> {
    let mut all = Read::default();
    for (at, line) in input.lines().enumerate() {
        let line = line.map_err(|error| Error::io("read", name, &error))?;
        let part = serde_json::from_str(&line).map_err(|error| {
            let what = format!("line {} of {name} is nothing that `audit --facts` writes: {error}", at + 1);
            Error::new(ErrorKind::Input, what)
        })?;
        all.take(part);
    }
    all.whole(name)?;
    all.once()?;
    let covered = all.covered(selection);
    let mut judged = all.judged();
    judged.summary.coverage = Coverage::of(covered, clauses);
    Ok(judged)
}

impl Read {
    fn take(&mut self, line: PartLine) {
        match line {
            PartLine::Connection(row) => self.connections.push(row),
            PartLine::Occasion(row) => {
                *self.occasions.entry(Occasion { connections: 0, ..row.clone() }).or_default() += row.connections;
            }
            PartLine::Breach(row) => *self.breaches.entry(Breach { count: 0, ..row.clone() }).or_default() += row.count,
            PartLine::Finding(found) => self.findings.push(*found),
            PartLine::Judged(tally) => {
                self.promised.0 += tally.connections;
                self.promised.1 += tally.findings;
                self.parts += 1;
            }
            PartLine::Source(told) => {
                self.sources.insert(source_order(&told.source), (told.source, told.told));
            }
            PartLine::Undecidable(row) => match self.undecided.get_mut(&row.code) {
                None => drop(self.undecided.insert(row.code.clone(), row)),
                Some(known) => {
                    known.events += row.events;
                    for lack in row.lacks {
                        if !known.lacks.contains(&lack) {
                            known.lacks.push(lack);
                        }
                    }
                    // Parts come in any order.
                    known.lacks = Proof::in_order(&known.lacks);
                }
            },
        }
    }

    /// Parts are whole, and there once.
    fn whole(&self, name: &str) -> Result<()> {
        let there = (self.connections.len() as u64, self.findings.len() as u64);
        let keys: BTreeSet<&str> = self.connections.iter().map(|row| row.key.as_str()).collect();
        let what = if there != self.promised {
            format!("{name} does not hold all that its {} parts say they found", self.parts)
        } else if keys.len() as u64 != there.0 {
            format!("{name} holds a connection twice")
        } else {
            return Ok(());
        };
        Err(Error::new(ErrorKind::Input, what)
            .hint("give the lines of each part once, its last one (`judged`) included"))
    }

    /// No log is there twice.
    fn once(&self) -> Result<()> {
        let mut first: BTreeMap<(&str, u64), &str> = BTreeMap::new();
        for (name, told) in self.sources.values().filter(|(_, told)| !told.hash.is_empty() && !told.format.is_empty()) {
            if let Some(same) = first.insert((&told.hash, told.size), name) {
                let what = format!("{same} and {name} hold the same bytes: what is in them was judged twice");
                return Err(Error::new(ErrorKind::Input, what)
                    .hint("give the facts of one of them; the row `source` of each holds the hash of its content"));
            }
        }
        Ok(())
    }

    /// Which clauses were judged.
    fn covered(&mut self, selection: &Selection) -> Vec<Covered> {
        let occasions = std::mem::take(&mut self.occasions).into_iter().filter_map(|(row, connections)| {
            let Occasion { client, server, proof, .. } = row;
            Some(OccasionRow { profile: profile_of(&row.profile)?, client, server, proof, connections })
        });
        let breaches = std::mem::take(&mut self.breaches).into_iter().filter_map(|(row, count)| {
            Some(finding::Breach {
                profile: profile_of(&row.profile)?,
                clause: row.clause.into_owned(),
                code: row.code.into_owned(),
                side: Side::BOTH.into_iter().find(|side| row.side.as_deref() == Some(side.as_str())),
                violation: row.violation,
                count,
            })
        });
        coverage_of(occasions.collect(), &breaches.collect::<Vec<_>>(), selection)
    }

    /// Says of recordings what one part alone does not tell: a further part that was not read. Gives what is missing between parts.
    fn put_parts_together(&mut self) -> u64 {
        let parts = self.sources.iter().filter_map(|(at, (_, told))| Some((at, told.part.as_deref()?)));
        let parts: Vec<(&String, &RecordedPart)> = parts.collect();
        let lost = lost_between(&parts.iter().map(|(_, part)| *part).collect::<Vec<_>>());
        let open: Vec<(String, u64)> = unfollowed(&parts).into_iter().map(|(at, line)| (at.clone(), line)).collect();
        for (at, line) in open {
            let skipped = (Skip::Unfollowed.as_str().to_string(), 1, line);
            self.sources.entry(at).and_modify(|(_, told)| told.skipped.push(skipped));
        }
        lost
    }

    fn judged(mut self) -> Judged<'static> {
        self.findings.sort_by(FindingLine::order);
        let between = self.put_parts_together();
        let mut loss = None;
        let (mut files, mut rows, mut lost) = (Vec::new(), Vec::new(), between);
        for (name, told) in self.sources.into_values() {
            loss = loss.or_else(|| harm_of(&name, &told.skipped).find(|(skip, _)| skip.is_loss()));
            if told.format.is_empty() {
                // Of a torn archive that is all there is to say: the logs in it have facts of their own.
                files.extend(
                    Some(told.reason).filter(|why| !why.is_empty()).map(|why| PassedOver { source: name, why }),
                );
                continue;
            }
            lost += told.lost;
            rows.push(row_of(name, told));
        }
        let undecided: Vec<UndecidedRow> = self.undecided.into_values().collect();
        let mut summary = Summary::of(&self.connections, &rows, &undecided);
        (summary.files, summary.lost) = (files, lost);
        let findings = self.findings;
        Judged {
            connections: self.connections,
            summary,
            loss: loss.map(|(_, told)| told),
            findings: Box::new(|_, _, take| findings.into_iter().map(FindingLine::into_row).try_for_each(take)),
            loaded: None,
        }
    }
}

/// A profile by its label.
fn profile_of(label: &str) -> Option<&'static Profile> {
    match label.split_once(' ') {
        Some((name, revision)) => by_name(name, Some(revision)),
        None => by_name(label, None),
    }
}

fn row_of(name: String, mut told: FileFacts) -> SourceRow {
    // As a store hands them on.
    told.skipped.sort();
    SourceRow {
        id: 0,
        name,
        format: told.format,
        reason: told.reason,
        bytes: told.bytes,
        first_time: told.first_time,
        last_time: told.last_time,
        skipped: told.skipped,
        unread: told.unread.map(|(lines, first, quote)| UnreadRow { lines, first, quote }),
    }
}
