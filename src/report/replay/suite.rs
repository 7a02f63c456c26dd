//! Runs of several recordings as one report: a line for each file, and what is wrong with those that did not pass.

use std::io;

use serde::Serialize;

use super::super::columns::{middle, pad, width, wrap};
use super::super::escape::{escape, json};
use super::super::markdown::{LIMIT, cell};
use super::super::number::plural;
use super::super::style::{Ink, Style};
use super::{Suite, rows};
use crate::number::duration;
use crate::replay::verdict::{RunReport, worst_exit};

/// The widest column of names on a screen.
const NAME: usize = 48;
/// The column of outcomes.
const OUTCOME: usize = 12;
/// How a sentence introduces a command.
const COMMAND: &str = ": rpctape ";
/// How many commands are proposed for a suite.
const NEXT: usize = 3;

#[derive(Serialize)]
struct Summary {
    r#type: &'static str,
    v: u8,
    files: usize,
    pass: usize,
    fail: usize,
    inconclusive: usize,
    error: usize,
    #[serde(skip_serializing_if = "is_zero")]
    not_played: usize,
    exit: u8,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

fn summary(suite: &Suite<'_>) -> Summary {
    let of = |word: &str| suite.runs.iter().filter(|run| run.outcome() == word).count();
    Summary {
        r#type: "suite",
        v: 1,
        files: suite.runs.len() + suite.not_played,
        pass: of("pass"),
        fail: of("fail"),
        inconclusive: of("inconclusive"),
        error: of("error"),
        not_played: suite.not_played,
        exit: suite.stopped.unwrap_or_else(|| worst_exit(suite.runs)),
    }
}

/// The lines of each run, then one of the suite.
pub fn lines(suite: &Suite<'_>) -> io::Result<String> {
    let runs = suite
        .runs
        .iter()
        .map(|run| Ok(run.ahead_lines.clone() + &super::lines(run)?))
        .collect::<io::Result<String>>()?;
    Ok(runs + &json(&summary(suite))? + "\n")
}

/// The same in one document.
pub fn document(suite: &Suite<'_>) -> io::Result<String> {
    let runs = suite.runs.iter().map(super::document).collect::<io::Result<Vec<_>>>()?;
    Ok(format!("{{\"runs\":[\n{}],\n\"suite\":{}}}\n", runs.join(",\n"), json(&summary(suite))?))
}

/// `3 same, 1 changed`, and for how long silence was watched, or why it could not be played.
fn told(run: &RunReport) -> String {
    match &run.failure {
        Some(why) => why.clone(),
        None => rows::told(run, |verdict| verdict.as_str().to_string()) + &rows::watched(run),
    }
}

/// `3 files: 2 pass, 1 fail`.
fn counted(suite: &Suite<'_>) -> String {
    let all = summary(suite);
    let parts = [
        (all.pass, "pass"),
        (all.fail, "fail"),
        (all.inconclusive, "inconclusive"),
        (all.error, "error"),
        (all.not_played, "not played"),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    format!("{}: {}", plural(all.files as u64, "file"), parts.join(", "))
}

/// A table of files first, then each of those that did not pass.
pub fn markdown(suite: &Suite<'_>) -> String {
    let mut text = format!("### rpctape replay: {}\n\n| file | verdict | exchanges |\n|---|---|---|\n", counted(suite));
    let mut left = 0;
    for run in suite.runs {
        let word = run.outcome();
        let word = if matches!(word, "fail" | "error") { format!("**{word}**") } else { word.to_string() };
        let row = format!("| {} | {word} | {} |\n", cell(&run.recording), cell(&told(run)));
        match text.len() + row.len() < LIMIT / 2 {
            true => text.push_str(&row),
            false => left += 1,
        }
    }
    if left > 0 {
        text.push_str(&format!("\n{} left out here.\n", plural(left, "more file")));
    }
    let mut left = 0;
    for run in suite.runs.iter().filter(|run| run.outcome() != "pass" && run.failure.is_none()) {
        let part = format!("\n#### {}\n\n{}", cell(&run.recording), super::markdown(run));
        match text.len() + part.len() < LIMIT - 200 {
            true => text.push_str(&part),
            false => left += 1,
        }
    }
    if left > 0 {
        text.push_str(&format!("\nWhat differs in {} is left out here.\n", plural(left, "more file")));
    }
    text
}

/// A text behind the beginning of a row that takes so many columns; what does not fit goes on under it. A command is to be copied,
/// and never broken.
fn beside(row: &str, taken: usize, text: &str, limit: usize) -> Vec<String> {
    if taken + width(text) <= limit || text.contains(COMMAND) {
        return vec![format!("{row}{text}")];
    }
    let lines = wrap(text, limit.saturating_sub(taken));
    let line = |(at, line): (usize, &String)| match at {
        0 => format!("{row}{line}"),
        _ => format!("{}{line}", " ".repeat(taken)),
    };
    lines.iter().enumerate().map(line).collect()
}

/// What did not pass, then a line for each file.
pub fn screen(suite: &Suite<'_>, style: &Style, all: bool) -> String {
    let mut text = String::new();
    for run in suite.runs {
        text.push_str(&run.ahead);
        if run.failure.is_none() && (all || run.outcome() != "pass") {
            text.push_str(&super::screen(run, style, all, &[]));
            text.push('\n');
        }
    }
    let limit = NAME.min(style.columns() / 2);
    let names: Vec<String> = suite.runs.iter().map(|run| middle(&escape(&run.recording), limit)).collect();
    let wide = names.iter().map(|name| width(name)).max().unwrap_or(0);
    for (run, name) in suite.runs.iter().zip(&names) {
        let word = run.outcome();
        let (word, ink) = match word {
            "pass" => (word.to_string(), Ink::Faint),
            "inconclusive" => (word.to_string(), Ink::Warning),
            other => (other.to_uppercase(), Ink::Error),
        };
        let wall = run.wall_us.map_or(String::new(), |us| format!("   {}", duration(us)));
        let row = format!(" {}  {}  ", pad(name, wide), style.paint(ink, &pad(&word, OUTCOME)));
        beside(&row, wide + OUTCOME + 5, &format!("{}{wall}", escape(&told(run))), style.columns())
            .iter()
            .for_each(|line| text.push_str(&format!("{}\n", line.trim_end())));
    }
    text.push_str(&format!("\n {}\n", counted(suite)));
    // The first of each file, and then what there is room for.
    let nth = |nth: usize| suite.runs.iter().filter_map(move |run| run.next.get(nth));
    for (index, command) in nth(0).chain(nth(1)).take(NEXT).enumerate() {
        let mark = if index == 0 { "NEXT" } else { "    " };
        text.push_str(&format!(" {}  {command}\n", style.paint(Ink::Strong, mark)));
    }
    text
}
