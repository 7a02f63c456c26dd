//! What was judged, said aloud: a line of the summary, a table (`--coverage`), and the same as data.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::columns::{Lean, Table, entry};
use super::escape::escape;
use super::{Ink, Style, number};
use crate::rules::{Covered, Standing, totals};

/// How many clauses came out how, and each of them where it was asked for.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Coverage {
    /// Clauses with an occasion that nothing in the log breaks.
    pub kept: u64,
    /// Clauses that a finding proves to be broken.
    pub broken: u64,
    /// Clauses without an occasion.
    pub not_exercised: u64,
    /// Clauses with an occasion that the log does not show well enough.
    pub not_decidable: u64,
    /// Clauses that cannot be kept or broken in such a connection.
    pub not_applicable: u64,
    /// Every clause and side.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clauses: Vec<ClauseCoverage>,
    /// Rules that the log cannot decide on connections of a profile, and what it lacks for them.
    #[serde(skip)]
    pub undecided: BTreeMap<(String, &'static str), String>,
}

/// A clause and a side, and what became of it.
#[derive(Clone, Debug, Serialize)]
pub struct ClauseCoverage {
    /// The profile.
    pub profile: String,
    /// Whose clause it is to keep.
    pub side: &'static str,
    /// What became of it.
    pub standing: &'static str,
    /// How strongly it binds.
    pub level: &'static str,
    /// Its name in this program.
    pub clause: &'static str,
    /// The quotation.
    pub text: &'static str,
    /// Where it stands.
    pub url: &'static str,
    /// Codes of the rules that judge it.
    pub rules: Vec<&'static str>,
    /// Connections with an occasion.
    pub connections: u64,
    /// Findings about it.
    pub findings: u64,
    /// What the log lacks, or what would have to happen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<String>,
}

impl Coverage {
    /// The numbers, and with `whole` every clause. `None` where nothing is known of occasions: an older program judged.
    pub fn of(rows: Vec<Covered>, whole: bool) -> Option<Coverage> {
        if rows.is_empty() {
            return None;
        }
        let totals = totals(&rows);
        let count = |standing: Standing| totals.get(&standing).copied().unwrap_or_default();
        Some(Coverage {
            kept: count(Standing::Kept),
            broken: count(Standing::Broken),
            not_exercised: count(Standing::NotExercised),
            not_decidable: count(Standing::NotDecidable),
            not_applicable: count(Standing::NotApplicable),
            undecided: undecided(&rows),
            clauses: if whole { rows.into_iter().map(ClauseCoverage::of).collect() } else { Vec::new() },
        })
    }

    /// `71 clauses kept, 2 broken, 38 not exercised, 6 not decidable`.
    pub fn told(&self) -> String {
        let rest = [
            (self.broken, "broken"),
            (self.not_exercised, "not exercised"),
            (self.not_decidable, "not decidable"),
            (self.not_applicable, "not applicable"),
        ];
        let rest = rest.into_iter().filter(|(count, _)| *count > 0);
        let rest: String = rest.map(|(count, word)| format!(", {} {word}", number::count(count))).collect();
        format!("{} kept{rest}", number::plural(self.kept, "clause"))
    }
}

fn undecided(rows: &[Covered]) -> BTreeMap<(String, &'static str), String> {
    let of = |row: &Covered| {
        let label = row.profile.label();
        row.undecided.iter().map(move |(code, lacks)| ((label.clone(), *code), lacks.clone())).collect::<Vec<_>>()
    };
    rows.iter().flat_map(of).collect()
}

impl ClauseCoverage {
    fn of(row: Covered) -> ClauseCoverage {
        ClauseCoverage {
            profile: row.profile.label(),
            side: row.side.as_str(),
            standing: row.standing.as_str(),
            level: row.clause.level.as_str(),
            clause: row.clause.id,
            text: row.clause.text,
            url: row.clause.url,
            rules: row.rules,
            connections: row.connections,
            findings: row.findings,
            because: row.because,
        }
    }

    /// The name of the clause without that of its profile.
    pub(super) fn short(&self) -> &'static str {
        self.clause.rsplit('/').next().unwrap_or(self.clause)
    }

    /// What the table says beside it: what it found, lacks or needs.
    pub(super) fn remark(&self) -> String {
        match self.standing {
            "broken" => number::plural(self.findings, "finding"),
            _ => self.because.join("; "),
        }
    }
}

/// Columns below which a table would break names.
pub(super) const WIDE: usize = 110;

/// The table, profile by profile.
pub fn write_table(out: &mut dyn Write, coverage: &Coverage, style: &Style) -> io::Result<()> {
    let mut rest = coverage.clauses.as_slice();
    while let Some(first) = rest.first() {
        let (own, others) = rest.split_at(rest.iter().take_while(|row| row.profile == first.profile).count());
        writeln!(out, "{}", style.paint(Ink::Strong, &format!("{}: clauses judged", first.profile)))?;
        if let Some(limit) = style.width.filter(|width| *width < WIDE) {
            for row in own {
                let words = [(row.standing, 13), (row.side, 6), (row.level, 6), (row.short(), 0)];
                for line in entry(&words, &row.rules.join(" "), &row.remark(), limit.saturating_sub(2)) {
                    writeln!(out, "  {}", escape(&line))?;
                }
            }
            writeln!(out)?;
            rest = others;
            continue;
        }
        let columns = ["standing", "side", "level", "clause", "rules", "because"];
        let mut table = Table::new(columns.map(|name| (name, Lean::Left))).wrapped();
        for row in own {
            let cells = [row.standing, row.side, row.level, row.short()].map(str::to_string);
            table.row(cells.into_iter().chain([row.rules.join(" "), row.remark()]).collect());
        }
        for line in table.lines(2, style.width) {
            writeln!(out, "{line}")?;
        }
        writeln!(out)?;
        rest = others;
    }
    Ok(())
}
