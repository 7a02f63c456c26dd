//! The lines of a log that prove a finding, as a compiler shows source: line number, time, direction, text, offset.

use super::columns::{pad, width};
use super::escape::escape;
use super::{Ink, Style, message, time};
use crate::store::{EvidenceRow, FindingRow};

/// At most this many lines are shown; a finding with more evidence than that is better read with `show`.
const LINES: usize = 8;

/// The snippet's lines, and the width of its gutter.
pub fn snippet(finding: &FindingRow, style: &Style) -> (Vec<String>, usize) {
    let mut evidence: Vec<&EvidenceRow> = finding.evidence.iter().collect();
    evidence.dedup_by_key(|evidence| evidence.message.id);
    let hidden = evidence.len().saturating_sub(LINES);
    if hidden > 0 {
        // The end is where it went wrong.
        evidence.drain(LINES / 2..LINES / 2 + hidden);
    }
    let gutter = evidence.iter().map(|evidence| evidence.message.line.to_string().len()).max().unwrap_or(1).max(3);
    let offsets: Vec<String> = evidence.iter().map(|one| offset(one, finding)).collect();
    let times = evidence.iter().any(|evidence| evidence.message.at_us.is_some());
    let aside = offsets.iter().map(|offset| width(offset)).max().unwrap_or(0);
    let fixed = gutter + 5 + if times { 14 } else { 0 } + 5;
    let room = style.columns().saturating_sub(fixed);
    // A line without an offset may run on to the edge.
    let short = room.saturating_sub(if aside > 0 { aside + 2 } else { 0 }).max(16);
    let room_of = |offset: &String| if offset.is_empty() { room.max(16) } else { short };
    let texts = evidence.iter().zip(&offsets).map(|(one, offset)| text(one, finding, room_of(offset)));
    let texts: Vec<String> = texts.collect();
    let with_offset = texts.iter().zip(&offsets).filter(|(_, offset)| !offset.is_empty());
    let longest = with_offset.map(|(text, _)| width(text)).max().unwrap_or(0);
    let mut lines = Vec::with_capacity(evidence.len() + 1);
    for (index, ((one, text), offset)) in evidence.iter().zip(&texts).zip(&offsets).enumerate() {
        if hidden > 0 && index == LINES / 2 {
            lines.push(format!(" {} {}  ... {hidden} more", " ".repeat(gutter), style.paint(Ink::Faint, "|")));
        }
        let number = style.paint(Ink::Faint, &format!(" {:>gutter$} |", one.message.line));
        let at = match (times, one.message.at_us) {
            (false, _) => String::new(),
            (true, at) => pad(&at.map(time::clock).unwrap_or_default(), 14),
        };
        let line = format!("{number}  {at}{} {}  {offset}", message::arrow(&one.message), pad(text, longest));
        lines.push(line.trim_end().to_string());
    }
    (lines, gutter)
}

fn text(one: &EvidenceRow, finding: &FindingRow, room: usize) -> String {
    if one.message.source == finding.source {
        return message::line(&one.message, room);
    }
    let source = format!(" ({})", escape(apart(&one.message.source, &finding.source)));
    format!("{}{source}", message::line(&one.message, room.saturating_sub(width(&source))))
}

/// What tells a file from one beside it: its path without the folders that both are in.
fn apart<'s>(source: &'s str, beside: &str) -> &'s str {
    let same = source.bytes().zip(beside.bytes()).take_while(|(a, b)| a == b).count();
    source.as_bytes()[..same].iter().rposition(|byte| *byte == b'/').map_or(source, |at| &source[at + 1..])
}

/// How long after its cancel, or else after its request, a message came; and that it is a witness, where it is one. The clocks of
/// hops need not agree: between their logs there is no such time.
fn offset(one: &EvidenceRow, finding: &FindingRow) -> String {
    if one.role == "witness" {
        return one.role.clone();
    }
    let hops = finding.code.starts_with("HOP");
    let one_clock = |other: &EvidenceRow| !hops || other.message.source == one.message.source;
    let anchor = |role: &'static str| {
        let before = |other: &&EvidenceRow| part_of(other) == role && other.message.id < one.message.id;
        let found = finding.evidence.iter().find(|other| before(other) && one_clock(other))?;
        Some((found.message.at_us?, role))
    };
    let from = match part_of(one) {
        "request" => None,
        "cancel" => anchor("request"),
        _ => anchor("cancel").or_else(|| anchor("request")),
    };
    match (one.message.at_us, from) {
        (Some(at), Some((start, role))) => format!("{} ({role})", time::offset(at - start)),
        _ => String::new(),
    }
}

/// What a message is to its own request, at whichever hop.
fn part_of(one: &EvidenceRow) -> &str {
    one.role.strip_suffix(" below").unwrap_or(&one.role)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_apart_by_what_differs() {
        assert_eq!(apart("logs/a/server.jsonl", "logs/a/client.jsonl"), "server.jsonl");
        assert_eq!(apart("logs/b/tap.jsonl", "logs/a/tap.jsonl"), "b/tap.jsonl");
        assert_eq!(apart("server.jsonl", "client.jsonl"), "server.jsonl");
        assert_eq!(apart("lögs/x", "lägs/x"), "lögs/x");
        assert_eq!(apart("", "a"), "");
    }
}
