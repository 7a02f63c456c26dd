//! A run as Markdown for a pull request: what failed first, at most 60 kB, no payload.

use super::super::escape::escape_block;
use super::super::markdown::{LIMIT, REST, cell};
use super::rows;
use crate::replay::verdict::{ExchangeReport, RunReport, Verdict};

/// Lines, fenced by more backticks than they have.
fn fenced(language: &str, lines: &str) -> String {
    let longest = lines.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", escape_block(lines.trim()))
}

/// The text.
pub fn markdown(report: &RunReport) -> String {
    let failing = report.exchanges.iter().filter(|entry| entry.fails).count();
    let all = report.exchanges.len();
    let kind = if report.speed.is_empty() { "diff" } else { "replay" };
    let mut text = format!("### rpctape {kind}: **{}** ({failing} of {all})\n\n", report.verdict.as_str());
    let mut rows: Vec<&ExchangeReport> =
        report.exchanges.iter().filter(|entry| entry.verdict != Verdict::Same).collect();
    rows.sort_by_key(|entry| !entry.fails);
    if !rows.is_empty() {
        text.push_str(
            "<details open><summary>What differs</summary>\n\n| # | request | verdict | detail |\n|--:|---|---|---|\n",
        );
    }
    let mut left = rows.len();
    for entry in &rows {
        let verdict =
            if entry.fails { format!("**{}**", entry.verdict.as_str()) } else { entry.verdict.as_str().to_string() };
        let label = cell(&rows::label(report, entry));
        let line =
            format!("| {label} | {} | {verdict} | {} |\n", cell(&rows::request(entry)), cell(&rows::detail(entry)));
        if text.len() + line.len() > LIMIT - REST {
            break;
        }
        text.push_str(&line);
        left -= 1;
    }
    if left > 0 {
        text.push_str(&format!("\n{left} more are left out here.\n"));
    }
    if !rows.is_empty() {
        text.push_str("\n</details>\n\n");
    }
    let mut parts = vec![rows::told(report, |verdict| verdict.as_str().to_string())];
    parts.extend(rows::cancels(report));
    text.push_str(&parts.join(" \u{b7} "));
    text.push('\n');
    if !report.proposed.is_empty() && report.proposed.len() < LIMIT / 2 {
        text.push_str(&format!("\nProposed for `rpctape.toml`:\n\n{}", fenced("toml", &report.proposed)));
    }
    let last_words = rows::last_words(report).join("\n");
    if !last_words.is_empty() && last_words.len() < LIMIT / 4 {
        text.push_str(&format!("\nThe last lines of its standard error:\n\n{}", fenced("text", &last_words)));
    }
    let mut room = (LIMIT - REST / 2).saturating_sub(text.len());
    for note in &report.notes {
        let line = format!("\n- {}", cell(note));
        if line.len() > room {
            break;
        }
        room -= line.len();
        text.push_str(&line);
    }
    if !report.notes.is_empty() {
        text.push('\n');
    }
    text
}
