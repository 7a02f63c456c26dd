//! `--format full`: the verdict and the statistics, and then for every kind of finding the lines that prove it, the clause, why it matters and what to do.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::columns::{fit, hang, pad, width, wrap};
use super::escape::{escape, escape_cut};
use super::group::{Group, Groups, subject};
use super::snippet::snippet;
use super::unseen::unseen;
use super::{Ink, Report, Style, Summary, Unread, coverage, message, number, page, redacted, time};
use crate::redact::Redactor;
use crate::rules;
use crate::store::FindingRow;

/// Columns that a sentence may take before it is cut: a log can hold a method name of any length.
pub(super) const LONGEST: usize = 400;

/// How many kinds of finding of one rule are shown whole, and of notes.
const WHOLE: usize = 3;
const WHOLE_NOTES: usize = 1;

/// How many further kinds of one rule get a line of their own.
const BRIEF: usize = 8;

/// Columns of the arrow before the place of a finding, with the blanks around it.
const ARROW: usize = 6;

/// The format.
pub struct Full {
    style: Style,
    groups: Option<Groups>,
    /// Rules whose page was quoted already: once is enough on one screen.
    quoted: BTreeSet<String>,
    redactor: Option<Redactor>,
}

impl Full {
    /// The format for a place; `fold` puts findings that are alike into one entry.
    pub fn new(style: Style, fold: bool) -> Full {
        Full { style, groups: fold.then(Groups::default), quoted: BTreeSet::new(), redactor: None }
    }

    /// The same with secrets replaced.
    pub fn redacted(mut self, redactor: Option<Redactor>) -> Full {
        self.redactor = redactor;
        self
    }

    /// The findings of one rule: the first few kinds whole, some more as one line each, the rest as a number.
    fn cluster(&mut self, out: &mut dyn Write, groups: &[Group]) -> io::Result<()> {
        let Some(first) = groups.first().map(|group| &group.first) else { return Ok(()) };
        let whole = if first.severity == "note" { WHOLE_NOTES } else { WHOLE };
        let (shown, rest) = groups.split_at(whole.min(groups.len()));
        for group in shown {
            self.entry(out, group)?;
        }
        if rest.is_empty() {
            return Ok(());
        }
        let style = &self.style;
        let findings: u64 = rest.iter().map(|group| group.more + 1).sum();
        let text = format!("{} more, about other methods or tools", number::count(findings));
        sentence(out, first, &text, style)?;
        for group in rest.iter().take(BRIEF) {
            let more =
                if group.more > 0 { format!("   and {} more", number::count(group.more)) } else { String::new() };
            pointer(out, &group.first, &more, style)?;
        }
        if rest.len() > BRIEF {
            let kinds = number::count((rest.len() - BRIEF) as u64);
            let arrow = style.paint(Ink::Faint, "-->");
            writeln!(out, "  {arrow} ... {kinds} more kinds: --format concise shows every finding")?;
        }
        writeln!(out)
    }

    fn entry(&mut self, out: &mut dyn Write, group: &Group) -> io::Result<()> {
        let quote = self.quoted.insert(group.first.rule.clone());
        let shown = self.redactor.as_mut().map(|redactor| redacted::finding(&group.first, redactor));
        let (finding, style) = (shown.as_ref().unwrap_or(&group.first), &self.style);
        sentence(out, finding, &escape_cut(&finding.summary, LONGEST, None), style)?;
        pointer(out, finding, "", style)?;
        let (lines, gutter) = snippet(finding, style);
        let bar = style.paint(Ink::Faint, &format!(" {} |", " ".repeat(gutter)));
        if !lines.is_empty() {
            writeln!(out, "{bar}")?;
            for line in lines {
                writeln!(out, "{line}")?;
            }
            writeln!(out, "{bar}")?;
        }
        for (name, text) in remarks(finding, quote) {
            let label = format!(" {} = {name}: ", " ".repeat(gutter));
            let room = style.columns().saturating_sub(label.len()).max(30);
            for (index, line) in wrap(&text, room).into_iter().enumerate() {
                let label = if index == 0 { label.clone() } else { " ".repeat(label.len()) };
                writeln!(out, "{}{}", style.paint(Ink::Faint, &label), escape(&line))?;
            }
        }
        if group.more > 0 {
            for line in hang(&escape(&others(group)), style.columns().saturating_sub(gutter + 2)) {
                writeln!(out, " {} {line}", " ".repeat(gutter))?;
            }
        }
        writeln!(out)
    }
}

impl Report for Full {
    fn finding(&mut self, out: &mut dyn Write, finding: &FindingRow) -> io::Result<()> {
        match &mut self.groups {
            Some(groups) => {
                groups.add(finding);
                Ok(())
            }
            None => self.entry(out, &Group { first: finding.clone(), more: 0, places: Vec::new() }),
        }
    }

    fn finish(&mut self, out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
        // Without folding, findings were printed as they came: the verdict can only follow.
        let Some(groups) = self.groups.take() else { return closing(out, summary, &self.style) };
        let clusters = groups.into_clusters();
        judgement(out, summary, &self.style)?;
        let mut redactor = self.redactor.take();
        // A name is redacted before it is cut: what is left of a secret is none that can be found.
        let mut clean = |title: String| match &mut redactor {
            Some(redactor) => redactor.text(&title).into_owned(),
            None => title,
        };
        let lines = statistics(&clusters, summary.sources == 1, &self.style, &mut clean);
        self.redactor = redactor;
        for line in lines {
            writeln!(out, "{line}")?;
        }
        if !clusters.is_empty() {
            writeln!(out)?;
        }
        for cluster in &clusters {
            self.cluster(out, cluster)?;
        }
        if let Some(coverage) = summary.coverage.as_ref().filter(|coverage| !coverage.clauses.is_empty()) {
            coverage::write_table(out, coverage, &self.style)?;
        }
        if clusters.is_empty() {
            return Ok(());
        }
        // What stands above the prompt.
        let last = format!("{}: exit {}", counted(summary), summary.exit);
        writeln!(out, "{}", self.style.paint(Ink::Strong, &last))
    }
}

/// One line for each rule that spoke: how often, and what it says first. Of one source the line is enough.
fn statistics(
    clusters: &[Vec<Group>],
    one_source: bool,
    style: &Style,
    clean: &mut dyn FnMut(String) -> String,
) -> Vec<String> {
    let firsts = || clusters.iter().filter_map(|cluster| Some((&cluster.first()?.first, cluster)));
    let widest = firsts().map(|(first, _)| first.rule.len()).max().unwrap_or(0);
    let mut line = |(first, cluster): (&FindingRow, &Vec<Group>)| {
        let findings: u64 = cluster.iter().map(|group| group.more + 1).sum();
        let sure = if first.certainty == "violation" { String::new() } else { format!(" ({})", first.certainty) };
        let severity = style.severity(&first.severity, &pad(&first.severity, 7));
        let line = match one_source {
            true => format!("line {}", first.line),
            false => format!("{}:{}", escape_cut(&first.source, LONGEST / 4, None), first.line),
        };
        let title = clean(subject(first).map(message::title).unwrap_or_default());
        let title = escape_cut(&title, LONGEST / 4, None);
        let rest = format!(
            "{} {} {:>5}  {line}  {title}{sure}",
            first.code,
            pad(&first.rule, widest),
            number::count(findings)
        );
        format!("  {severity} {}", fit(&rest, style.columns().saturating_sub(10))).trim_end().to_string()
    };
    firsts().map(&mut line).collect()
}

/// `error[rule]: text`, broken at blanks. The text is escaped already.
pub(super) fn sentence(out: &mut dyn Write, finding: &FindingRow, text: &str, style: &Style) -> io::Result<()> {
    let head = format!("{}[{}]:", finding.severity, finding.rule);
    for (index, line) in hang(&format!("{head} {text}"), style.columns()).into_iter().enumerate() {
        match line.strip_prefix(&head).filter(|_| index == 0) {
            Some(rest) => writeln!(out, "{}{rest}", style.severity(&finding.severity, &head))?,
            None => writeln!(out, "{line}")?,
        }
    }
    Ok(())
}

/// Where a finding is. The name of the file is there to be copied and is never broken; what would not fit stands below it.
fn pointer(out: &mut dyn Write, finding: &FindingRow, more: &str, style: &Style) -> io::Result<()> {
    let (at, what) = (format!("{}:{}", escape(&finding.source), finding.line), format!("{}{more}", place(finding)));
    write!(out, "  {} {at}", style.paint(Ink::Faint, "-->"))?;
    match ARROW + width(&at) + width(&what) <= style.wrap_at() {
        true => writeln!(out, "{what}"),
        false => writeln!(out, "\n{}", fit(&format!("   {what}"), style.wrap_at())),
    }
}

/// What stands behind the line number: the exchange, and when.
fn place(finding: &FindingRow) -> String {
    let title = subject(finding).map(message::title).filter(|title| !title.is_empty());
    let at = finding.evidence.iter().find(|evidence| evidence.message.id == finding.message_id);
    let at = at.and_then(|evidence| evidence.message.at_us).map(time::clock);
    [title, at].into_iter().flatten().map(|part| format!("   {}", escape_cut(&part, LONGEST / 4, None))).collect()
}

/// The lines under a snippet. Notes are kept short, and a page is quoted once.
fn remarks(finding: &FindingRow, quote: bool) -> Vec<(&'static str, String)> {
    let mut remarks = Vec::new();
    if let Some(basis) = finding.basis.as_deref() {
        remarks.push(("proof", format!("{} ({basis})", basis_text(&finding.certainty, basis))));
    }
    if let Some(clause) = &finding.clause {
        remarks.push(("rule", format!("{}, {}: \"{}\"", finding.profile, clause.level, clause.text)));
    }
    if let Some(rule) = rules::find(&finding.code)
        && finding.severity != "note"
        && quote
    {
        remarks.push(("why", page::opening(rule.page, "Why it matters")));
        remarks.push(("fix", page::opening(rule.page, "What to do")));
    }
    if quote {
        remarks.push(("more", format!("rpctape explain {}", finding.rule)));
    }
    remarks.retain(|(_, text)| !text.is_empty());
    remarks
}

fn basis_text(certainty: &str, basis: &str) -> &'static str {
    match (certainty, basis) {
        ("violation", "content") => "the message itself shows that its sender knew",
        ("violation", "causal") => "a message sent later had been answered before, so the first had arrived",
        ("violation", "vantage") => "the log was taken at the side that decides",
        ("violation", "rtt") => "it came later than every round trip in this log allows",
        ("race", "rtt") => "it came soon enough to have crossed on the way",
        ("race", _) => "the two may have crossed on the way",
        _ => "the log does not show enough to decide",
    }
}

fn others(group: &Group) -> String {
    let unnamed = group.more - group.places.len() as u64;
    let tail = if unnamed > 0 { ", ..." } else { "" };
    let word = if group.more == 1 { "line" } else { "lines" };
    format!("... and {} more: {word} {}{tail}", number::count(group.more), group.places.join(", "))
}

/// The summary for people: what was found, what was not looked at, and what this log cannot decide.
pub fn closing(out: &mut dyn Write, summary: &Summary, style: &Style) -> io::Result<()> {
    if let Some(coverage) = &summary.coverage {
        coverage::write_table(out, coverage, style)?;
    }
    judgement(out, summary, style)
}

/// The verdict, what was judged, what was not looked at and what this log cannot decide.
fn judgement(out: &mut dyn Write, summary: &Summary, style: &Style) -> io::Result<()> {
    for line in hang(&verdict(summary), style.wrap_at()) {
        writeln!(out, "{}", style.paint(Ink::Strong, &line))?;
    }
    if let Some(coverage) = &summary.coverage {
        for line in hang(&format!("judged: {}", coverage.told()), style.wrap_at()) {
            writeln!(out, "{line}")?;
        }
    }
    for line in hang(&escape(&format!("not looked at: {}", unseen(summary, &str::to_string))), style.wrap_at()) {
        writeln!(out, "{line}")?;
    }
    unread(out, &summary.unread, style)?;
    if !summary.undecidable.is_empty() {
        writeln!(out, "not decidable from this log:")?;
        for rule in &summary.undecidable {
            let times = number::plural(rule.events, "time");
            let text = format!("{} {} ({times}): the log lacks {}", rule.code, rule.rule, rule.lacks.join(", "));
            for line in hang(&text, style.wrap_at().saturating_sub(2)) {
                writeln!(out, "  {line}")?;
            }
        }
    }
    Ok(())
}

/// Lines that look like messages and were not read, and what to do about them.
pub fn unread(out: &mut dyn Write, unread: &[Unread], style: &Style) -> io::Result<()> {
    for one in unread {
        for line in hang(&escape(&one.told()), style.wrap_at()) {
            writeln!(out, "{}", fit(&line, style.wrap_at()))?;
        }
    }
    let Some(first) = unread.first() else { return Ok(()) };
    for line in hang(&escape(&format!("    {}", first.help())), style.wrap_at()) {
        writeln!(out, "{line}")?;
    }
    // A command is there to be copied: it is not cut, whatever the width.
    if let Some(command) = first.command() {
        writeln!(out, "    {command}")?;
    }
    Ok(())
}

/// `2 errors, 1 note`.
fn counted(summary: &Summary) -> String {
    let counts = &summary.counts;
    let found = [(counts.error, "error"), (counts.warning, "warning"), (counts.note, "note")];
    let found = found.into_iter().filter(|(n, _)| *n > 0).map(|(n, word)| number::plural(n, word));
    let found = found.collect::<Vec<_>>().join(", ");
    if found.is_empty() { "no findings".to_string() } else { found }
}

fn verdict(summary: &Summary) -> String {
    let counts = &summary.counts;
    let unsure: Vec<String> = [(counts.race, "race"), (counts.undecidable, "undecidable")]
        .into_iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, word)| format!("{} {word}", number::count(n)))
        .collect();
    let unsure = if unsure.is_empty() { String::new() } else { format!(" (of these {})", unsure.join(", ")) };
    let found = counted(summary);
    let hidden = match summary.not_shown {
        0 => String::new(),
        n => format!(", {} not shown", number::count(n)),
    };
    format!(
        "{found}{unsure}{hidden} in {} ({}, {}, {})",
        number::plural(summary.connections, "connection"),
        number::plural(summary.messages, "message"),
        number::plural(summary.requests, "request"),
        number::plural(summary.cancels, "cancel"),
    )
}
