//! Lists of what the program knows: rules, for people and for machines, and log formats.

use std::io::{self, Write};

use serde::Serialize;

use super::Style;
use super::columns::{Lean, Table};
use super::escape::json;
use crate::protocol::profiles;
use crate::rules::Rule;

#[derive(Serialize)]
struct RuleObject {
    code: &'static str,
    rule: &'static str,
    summary: &'static str,
    default: bool,
    profiles: Vec<ProfileObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<&'static str>,
}

#[derive(Serialize)]
struct ProfileObject {
    profile: String,
    severity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    clause: Option<ClauseObject>,
}

#[derive(Serialize)]
struct ClauseObject {
    level: &'static str,
    text: &'static str,
    url: &'static str,
}

/// Log formats by name, each with the line that says what it is.
pub fn format_list(out: &mut dyn Write, formats: &[(&str, &str, String)], style: &Style) -> io::Result<()> {
    let mut table = Table::new(["format", "is", "cannot prove"].map(|name| (name, Lean::Left))).wrapped();
    for (name, about, lost) in formats {
        table.row(vec![(*name).to_string(), (*about).to_string(), lost.clone()]);
    }
    for line in table.lines(0, style.width) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// The table: code, name, worst severity, what it finds.
pub fn write_human(out: &mut dyn Write, rules: &[&Rule], style: &Style) -> io::Result<()> {
    let columns = ["code", "rule", "severity", "finds"];
    let mut table = Table::new(columns.map(|name| (name, Lean::Left))).wrapped();
    for rule in rules {
        let finds = format!("{}{}", rule.summary, rule.mark());
        table.row(vec![rule.code.into(), rule.name.into(), severities(rule), finds]);
    }
    for line in table.lines(0, style.width) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// `{"rules":[...]}`, each with its severity and clause in every profile.
pub fn write_json(out: &mut dyn Write, rules: &[&Rule]) -> io::Result<()> {
    write_objects(out, rules.iter().map(|rule| object(rule)))
}

/// The same, each with its page in Markdown.
pub fn write_pages(out: &mut dyn Write, rules: &[&Rule]) -> io::Result<()> {
    write_objects(out, rules.iter().map(|rule| RuleObject { page: Some(rule.page), ..object(rule) }))
}

fn write_objects(out: &mut dyn Write, rules: impl Iterator<Item = RuleObject>) -> io::Result<()> {
    write!(out, "{{\"rules\":[")?;
    for (index, rule) in rules.enumerate() {
        write!(out, "{}\n{}", if index > 0 { "," } else { "" }, json(&rule)?)?;
    }
    writeln!(out, "\n]}}")
}

/// The severities that a rule has over all profiles: `error`, `warning-error`. Rules about the capture are notes.
pub fn severities(rule: &Rule) -> String {
    let mut all: Vec<_> =
        profiles().filter_map(|profile| profile.ruling(rule.code)).map(|ruling| ruling.severity).collect();
    all.sort();
    match (all.first(), all.last()) {
        (Some(least), Some(most)) if least != most => format!("{}-{}", least.as_str(), most.as_str()),
        (Some(only), _) => only.as_str().to_string(),
        (None, _) => "note".to_string(),
    }
}

fn object(rule: &Rule) -> RuleObject {
    let rulings = profiles().filter_map(|profile| Some((profile, profile.ruling(rule.code)?)));
    let profiles = rulings.map(|(profile, ruling)| ProfileObject {
        profile: profile.label(),
        severity: ruling.severity.as_str(),
        clause: ruling.clause.map(|clause| ClauseObject {
            level: clause.level.as_str(),
            text: clause.text,
            url: clause.url,
        }),
    });
    RuleObject {
        code: rule.code,
        rule: rule.name,
        summary: rule.summary,
        default: rule.default_on,
        profiles: profiles.collect(),
        page: None,
    }
}
