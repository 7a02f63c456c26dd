//! The clause table: what each revision asks, word for word, and who judges it.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::columns::{self, Lean, Table};
use super::coverage::WIDE;
use super::escape::{escape, json};
use super::{Ink, Style};
use crate::protocol::{Beyond, Clause, Profile};
use crate::rules::{find, rule_of};

/// A clause of a revision.
#[derive(Clone, Debug, Serialize)]
pub struct ClauseEntry {
    /// The revision.
    pub profile: String,
    /// Its name in this program.
    pub clause: &'static str,
    /// How strongly it binds.
    pub level: &'static str,
    /// The quotation.
    pub text: &'static str,
    /// Where it stands.
    pub url: &'static str,
    /// `judged`, `judged in part`, `not observable`, `not judged`, `about persons` or `allows`.
    pub is: &'static str,
    /// Codes of the rules that judge it.
    pub rules: Vec<&'static str>,
    /// `--select` or `--schema` where only rules judge it that a check without that option does not have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only_with: Option<&'static str>,
    /// What is left out, or why no observer can judge it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<&'static str>,
}

#[derive(Serialize)]
struct Document {
    clauses: Vec<ClauseEntry>,
}

/// Every clause of a revision that a rule rests on or that is known to be beyond an observer, in the order of their names.
pub fn clauses_of(profile: &Profile) -> Vec<ClauseEntry> {
    let mut entries: BTreeMap<&str, ClauseEntry> = BTreeMap::new();
    let new = |clause: &'static Clause| ClauseEntry {
        profile: profile.label(),
        clause: clause.id,
        level: clause.level.as_str(),
        text: clause.text,
        url: clause.url,
        is: "judged",
        rules: Vec::new(),
        only_with: None,
        because: None,
    };
    for ruling in profile.rulings {
        let Some(clause) = ruling.clause else { continue };
        let entry = entries.entry(clause.id).or_insert_with(|| new(clause));
        let code = rule_of(ruling).map_or(ruling.rule, |rule| rule.code);
        if !entry.rules.contains(&code) {
            entry.rules.push(code);
        }
    }
    for remark in profile.remarks() {
        let entry = entries.entry(remark.clause.id).or_insert_with(|| new(remark.clause));
        entry.because = Some(remark.beyond.because()).filter(|why| !why.is_empty());
        let rules = profile.rulings.iter().filter(|ruling| Some(ruling.rule) == remark.beyond.judged_by());
        entry.rules.extend(rules.map(|ruling| rule_of(ruling).map_or(ruling.rule, |rule| rule.code)));
        entry.is = match remark.beyond {
            Beyond::By(_) if entry.because.is_none() => "judged",
            Beyond::By(_) => "judged in part",
            Beyond::InPart(_) => "judged in part",
            Beyond::NotObservable(_) => "not observable",
            Beyond::NotJudged(_) => "not judged",
            Beyond::Persons(_) => "about persons",
            Beyond::Allows(_) => "allows",
        };
    }
    for entry in entries.values_mut() {
        entry.only_with = only_with(&entry.rules);
    }
    entries.into_values().collect()
}

/// The option that the first of `rules` needs, unless one of them needs none.
fn only_with(rules: &[&str]) -> Option<&'static str> {
    let options: Option<Vec<_>> = rules.iter().map(|code| find(code)?.only_with()).collect();
    options?.first().copied()
}

/// Codes for a screen, each with a mark where not every check has the rule.
fn codes(rules: &[&str]) -> String {
    let marked: Vec<_> =
        rules.iter().map(|code| format!("{code}{}", find(code).map_or("", |rule| rule.mark()))).collect();
    marked.join(" ")
}

/// `mcp 2025-11-25: 226 clauses (78 judged, 17 judged in part, ...)`.
fn head(profile: &Profile, entries: &[ClauseEntry]) -> String {
    let counts = ["judged", "judged in part", "not observable", "not judged", "about persons", "allows"].map(|is| {
        let count = entries.iter().filter(|entry| entry.is == is).count();
        format!("{count} {is}")
    });
    let asked = match entries.iter().filter(|entry| entry.only_with.is_some()).count() {
        0 => String::new(),
        count => format!("; {count} of the judged only with --select or --schema"),
    };
    format!("{}: {} clauses ({}{asked})", profile.label(), entries.len(), counts.join(", "))
}

/// `{"clauses":[...]}`.
pub fn write_json(out: &mut dyn Write, profiles: &[&Profile]) -> io::Result<()> {
    let clauses = profiles.iter().flat_map(|profile| clauses_of(profile)).collect();
    writeln!(out, "{}", json(&Document { clauses })?)
}

/// A table for each revision.
pub fn write_human(out: &mut dyn Write, profiles: &[&Profile], style: &Style) -> io::Result<()> {
    for profile in profiles {
        let entries = clauses_of(profile);
        for line in columns::hang(&head(profile, &entries), style.wrap_at()) {
            writeln!(out, "{}", style.paint(Ink::Strong, &line))?;
        }
        if let Some(limit) = style.width.filter(|width| *width < WIDE) {
            for entry in &entries {
                let because = entry.because.map_or(String::new(), |why| format!(" ({why})"));
                let short = entry.clause.rsplit('/').next().unwrap_or(entry.clause);
                let words = [(entry.level, 6), (entry.is, 14), (short, 0)];
                let quoted = format!("\"{}\"{because}", entry.text);
                for line in columns::entry(&words, &codes(&entry.rules), &quoted, limit) {
                    writeln!(out, "{}", escape(&line))?;
                }
            }
            writeln!(out)?;
            continue;
        }
        let columns = ["level", "clause", "is", "rules", "quotation"];
        let mut table = Table::new(columns.map(|name| (name, Lean::Left))).wrapped();
        for entry in &entries {
            let because = entry.because.map_or(String::new(), |why| format!(" ({why})"));
            table.row(vec![
                entry.level.to_string(),
                entry.clause.to_string(),
                entry.is.to_string(),
                codes(&entry.rules),
                format!("\"{}\"{because}", entry.text),
            ]);
        }
        for line in table.lines(0, style.width) {
            writeln!(out, "{line}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::profiles;

    #[test]
    fn every_clause_has_a_rule_or_a_reason() {
        for profile in profiles() {
            for entry in clauses_of(profile) {
                let told = !entry.rules.is_empty() || entry.because.is_some();
                assert!(told && entry.url.starts_with("https://"), "{} {}", entry.profile, entry.clause);
            }
        }
    }

    #[test]
    fn what_must_be_asked_for_is_marked() {
        assert_eq!(codes(&["CAN010", "PAY001", "SCH001"]), "CAN010 PAY001 (off) SCH001 (with --schema)");
        let options = [&["PAY001", "SCH001"][..], &["PAY001", "CAN010"], &["SCH001"], &[]].map(only_with);
        assert_eq!(options, [Some("--select"), None, Some("--schema"), None]);
    }
}
