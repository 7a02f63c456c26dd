//! The screen of a run: the first divergence on top, one line for each exchange that is worth one, and what was not done at the bottom.

use super::super::columns::{hang, middle, pad, width};
use super::super::escape::{escape, escape_cut};
use super::super::style::{Ink, Style};
use super::rows;
use crate::number::duration;
use crate::replay::verdict::{Difference, ExchangeReport, RunReport, RunVerdict, Verdict};

/// Differences of one exchange that are shown.
const SHOWN: usize = 3;
/// The widest request column.
const REQUEST: usize = 40;

/// The screen. `all` shows every exchange, `next` are commands that go on from here.
pub fn screen(report: &RunReport, style: &Style, all: bool, next: &[String]) -> String {
    let mut lines = head(report, style);
    let worth = |entry: &&ExchangeReport| all || is_worth_a_line(entry);
    let shown: Vec<&ExchangeReport> = report.exchanges.iter().filter(worth).collect();
    if !shown.is_empty() {
        lines.extend(table(report, &shown, style));
    }
    let left = report.exchanges.len() - shown.len();
    if left > 0 {
        let more = if shown.is_empty() { "" } else { "more " };
        lines.push(format!("      {left} {more}same (-v shows them)"));
    }
    lines.push(String::new());
    lines.extend(foot(report, style));
    for (index, command) in next.iter().take(2).enumerate() {
        let mark = if index == 0 { "NEXT" } else { "    " };
        lines.push(format!(" {}  {}", style.paint(Ink::Strong, mark), escape(command)));
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The exchanges alone, for a review of them.
pub fn review(report: &RunReport, style: &Style) -> String {
    let shown: Vec<&ExchangeReport> = report.exchanges.iter().collect();
    table(report, &shown, style).iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn is_worth_a_line(entry: &ExchangeReport) -> bool {
    entry.verdict != Verdict::Same || entry.fails || entry.cancel.is_some() || !rows::detail(entry).is_empty()
}

fn head(report: &RunReport, style: &Style) -> Vec<String> {
    let asked = report.exchanges.iter().filter(|entry| entry.line.is_some()).count();
    let retries: usize = report.exchanges.iter().map(|entry| entry.retries.len()).sum();
    let cancels = report.cancels.recorded;
    let counts = format!(
        "{}, {}",
        super::super::number::plural((asked + retries) as u64, "request"),
        super::super::number::plural(cancels.into(), "cancel")
    );
    let arrow = if style.ascii { "->" } else { "\u{2192}" };
    let text = format!(
        "{}: {counts}   {arrow}   {}   {}",
        middle(&escape(&report.recording), style.columns() / 2),
        escape(&report.target),
        escape(&report.speed)
    );
    let mut lines: Vec<String> = hang(&text, style.columns() - 1).into_iter().map(|line| format!(" {line}")).collect();
    // `hang` joins by single blanks; where all fits into one line, it stays as it is.
    if lines.len() == 1 {
        lines = vec![format!(" {}", text.trim_end())];
    }
    if let Some(entry) = report.first_divergence.and_then(|at| report.exchanges.get(at)) {
        let place = match entry.label.as_str() {
            "-" => escape(&rows::request(entry)).into_owned(),
            _ => format!("#{}", escape(&rows::label(report, entry))).replace("#s", "s"),
        };
        lines.push(format!(" {}", style.paint(Ink::Error, &format!("FIRST DIVERGENCE at {place}"))));
    }
    lines.push(String::new());
    lines
}

fn table(report: &RunReport, shown: &[&ExchangeReport], style: &Style) -> Vec<String> {
    let columns = style.columns();
    let cells: Vec<[String; 5]> = shown.iter().map(|entry| cells(report, entry)).collect();
    let widest =
        |column: usize, least: usize| cells.iter().map(|cells| width(&cells[column])).max().unwrap_or(0).max(least);
    let (label, recorded, live) = (widest(0, 1).min(12), widest(2, 8), widest(3, 4));
    let verdict = widest(4, 7);
    let room = columns.saturating_sub(label + recorded + live + verdict + 13);
    let request = widest(1, 7).min(REQUEST).min(room.max(12));
    let line = |cells: [&str; 4], word: &str| {
        format!(
            "  {}  {}  {}  {}  {word}",
            right(cells[0], label),
            pad(&escape_cut(cells[1], request, None), request),
            right(cells[2], recorded),
            right(cells[3], live),
        )
    };
    let heading = line(["#", "request", "recorded", "live"], "verdict");
    let mut lines = vec![style.paint(Ink::Faint, heading.trim_end())];
    for (entry, cells) in shown.iter().zip(&cells) {
        let word = pad(&cells[4], verdict);
        let word = if entry.fails { style.paint(Ink::Error, &word) } else { word };
        let row = line([&cells[0], &cells[1], &cells[2], &cells[3]], &word);
        // The width of the row without its colours.
        let used = label + request + recorded + live + verdict + 12;
        let detail = escape(&rows::detail(entry)).into_owned();
        if used + width(&detail) <= columns {
            lines.push(format!("{row}  {detail}"));
        } else {
            lines.push(row);
            let indent = " ".repeat(label + 6);
            lines.extend(
                hang(&detail, columns.saturating_sub(label + 6)).into_iter().map(|line| format!("{indent}{line}")),
            );
        }
        lines.extend(differences(entry, columns));
    }
    lines
}

fn right(text: &str, columns: usize) -> String {
    let text = escape_cut(text, columns, None);
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(&text))))
}

fn cells(report: &RunReport, entry: &ExchangeReport) -> [String; 5] {
    let cancel = rows::cancelled_at(entry).map_or(String::new(), |us| format!("  x {}", duration(us)));
    // The cancel stays in sight where the request is cut.
    let room = REQUEST.saturating_sub(width(&cancel));
    let request = escape_cut(&rows::request(entry), room, None);
    [
        escape(&rows::label(report, entry)).into_owned(),
        format!("{request}{cancel}"),
        rows::recorded_time(entry),
        rows::live_time(entry),
        rows::word(entry),
    ]
}

fn differences(entry: &ExchangeReport, columns: usize) -> Vec<String> {
    let changes: Vec<&Difference> = entry.diff.iter().filter(|it| !it.harmless).collect();
    let mut lines = Vec::new();
    let several = changes.len() > 1;
    for difference in changes.iter().take(SHOWN) {
        let of = difference.of.as_ref().map_or(String::new(), |of| format!("{of} "));
        let why = difference.why.as_ref().map_or(String::new(), |why| format!(" ({why})"));
        if several || !of.is_empty() || !why.is_empty() {
            let place = if difference.at.is_empty() { "the whole message" } else { &difference.at };
            lines.push(format!("        {}", escape_cut(&format!("{of}{place}{why}"), columns - 8, None)));
        }
        let (recorded, live) = window(difference.recorded.as_deref(), difference.live.as_deref());
        for (sign, value) in [("-", recorded), ("+", live)] {
            let value = value.as_deref().unwrap_or("(nothing)");
            lines.push(format!("        {sign} {}", escape_cut(value, columns - 10, None)));
        }
    }
    let left = changes.len().saturating_sub(SHOWN) as u64 + entry.more_diff;
    if left > 0 {
        lines.push(format!("        and {}", super::super::number::plural(left, "more difference")));
    }
    lines
}

/// Two values from shortly before the place where they begin to differ.
fn window(a: Option<&str>, b: Option<&str>) -> (Option<String>, Option<String>) {
    let (Some(a), Some(b)) = (a, b) else { return (a.map(str::to_string), b.map(str::to_string)) };
    let common = a.char_indices().zip(b.chars()).find(|((_, x), y)| x != y).map_or(0, |((at, _), _)| at);
    let from = a[..common].char_indices().rev().nth(24).map_or(0, |(at, _)| at);
    let cut = |text: &str| if from > 24 { format!("...{}", &text[from..]) } else { text.to_string() };
    (Some(cut(a)), Some(cut(b)))
}

fn foot(report: &RunReport, style: &Style) -> Vec<String> {
    let (word, ink) = match report.verdict {
        RunVerdict::Pass => ("PASS", Ink::Strong),
        RunVerdict::Fail => ("FAIL", Ink::Error),
        RunVerdict::Inconclusive => ("INCONCLUSIVE", Ink::Warning),
    };
    let told = rows::told(report, |it| it.as_str().to_string());
    let mut told = hang(&told, style.columns() - word.len() - 3).into_iter();
    let mut lines = vec![format!(" {}  {}", style.paint(ink, word), told.next().unwrap_or_default())];
    lines.extend(told.map(|line| format!("       {line}")));
    let mut say = |text: &str| {
        let text = escape(text);
        lines.extend(hang(&text, style.columns() - 7).into_iter().map(|line| format!("       {line}")));
    };
    report.notes.iter().for_each(|note| say(note));
    if let Some(cancels) = rows::cancels(report) {
        say(&cancels);
    }
    let wall = report.wall_us.map(|us| format!("wall {}", duration(us)));
    let session = report.live_session.as_ref().map(|path| format!("live session: {path}"));
    let run: Vec<String> = wall.into_iter().chain(session).collect();
    if !run.is_empty() {
        say(&run.join(", "));
    }
    if !report.rewrites.is_empty() {
        say(&format!("changed on the way: {}", report.rewrites.join("; ")));
    }
    if report.delayed {
        say("latencies not comparable: replay was delayed");
    }
    if let Some(end) = &report.server_end {
        say(end);
    }
    rows::last_words(report).iter().for_each(|line| say(&format!("stderr: {line}")));
    lines
}
