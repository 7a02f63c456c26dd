//! What came of sweeps of cancels and of repeated runs, as tables and as JSON Lines.

use std::collections::BTreeMap;

use rpctape::error::Result;
use rpctape::output;
use rpctape::replay::Verdict;
use rpctape::replay::run::CancelStatus;
use rpctape::replay::verdict::ExchangeReport;
use rpctape::report::{escape, json, labelled, middle, pad, plural, shell, width};
use serde_json::{Value, json};

use super::span;

/// What became of its cancel.
pub(super) fn status(entry: &ExchangeReport) -> Option<CancelStatus> {
    entry.cancel.as_ref().map(|cancel| cancel.status)
}

pub(super) fn named(entry: &ExchangeReport) -> String {
    let name = entry.name.as_ref().map_or(String::new(), |name| format!(" {name}"));
    escape(&format!("{} {}{name}", entry.label, entry.method)).to_string()
}

pub(super) fn cancel_word(entry: &ExchangeReport) -> &'static str {
    match status(entry) {
        Some(CancelStatus::Landed) => "landed",
        Some(CancelStatus::Raced) => "raced",
        Some(CancelStatus::Refused) => "refused",
        Some(CancelStatus::NotSent) | None => "not sent",
    }
}

pub(super) fn verdict_word(entry: &ExchangeReport) -> String {
    let rule = entry.rule.as_ref().map_or(String::new(), |rule| format!(" {rule}"));
    let word = if entry.fails { entry.verdict.as_str().to_uppercase() } else { entry.verdict.as_str().to_string() };
    format!("{word}{rule}")
}

/// The columns of a sweep beside its requests.
const SWEPT: usize = 50;

pub(super) fn sweep_table(rows: &[(i64, ExchangeReport)], columns: usize) -> String {
    let names = rows.iter().map(|(_, entry)| middle(&named(entry), columns.saturating_sub(SWEPT)));
    let width = names.map(|name| width(&name)).max().unwrap_or(0).max(7);
    let mut text = format!(" {:<width$}  {:>8}  {:<8}  {:<10}  verdict\n", "request", "delay", "cancel", "live");
    for (delay, entry) in rows {
        let cells = (
            pad(&middle(&named(entry), width), width),
            span(*delay),
            cancel_word(entry),
            &entry.live.outcome,
            verdict_word(entry),
        );
        text.push_str(&format!(" {}  {:>8}  {:<8}  {:<10}  {}\n", cells.0, cells.1, cells.2, cells.3, cells.4));
    }
    let kept = rows.iter().filter_map(|(_, entry)| entry.live_session.as_ref());
    for (at, file) in kept.enumerate() {
        let (before, mark) = if at == 0 { ("\n", "NEXT") } else { ("", "    ") };
        text.push_str(&format!("{before} {mark}  rpctape why {}\n", escape(&shell::file(file))));
    }
    text
}

pub(super) fn sweep_lines(rows: &[(i64, ExchangeReport)], failed: bool) -> Result<String> {
    let line = |(delay, entry): &(i64, ExchangeReport)| {
        json!({"type": "sweep", "label": entry.label, "method": entry.method, "name": entry.name, "delay_us": delay,
            "cancel": cancel_word(entry), "outcome": entry.live.outcome, "verdict": entry.verdict.as_str(), "rule": entry.rule,
            "fails": entry.fails, "live_session": entry.live_session})
    };
    let mut lines: Vec<Value> = rows.iter().map(line).collect();
    lines.push(json!({"type": "summary", "v": 1, "pass": !failed, "exit": u8::from(failed)}));
    as_lines(&lines)
}

pub(super) type Counted<'c> = (&'c ExchangeReport, &'c BTreeMap<Verdict, u32>);

/// The column of requests in the counts of repeated runs.
const REPEATED: usize = 40;

pub(super) fn repeat_table<'c>(rows: impl Iterator<Item = Counted<'c>>, runs: u32, columns: usize) -> String {
    let mut text = format!(" {}\n", plural(u64::from(runs), "run"));
    for (entry, counts) in rows {
        let list: Vec<String> = counts.iter().map(|(verdict, times)| format!("{} {times}", verdict.as_str())).collect();
        let name = pad(&middle(&named(entry), REPEATED), REPEATED);
        let lines = labelled(&format!("   {name}  "), &list.join(", "), columns);
        lines.iter().for_each(|line| text.push_str(&format!("{line}\n")));
    }
    text
}

pub(super) fn repeat_lines<'c>(rows: impl Iterator<Item = Counted<'c>>) -> Result<String> {
    let line = |(entry, counts): Counted<'_>| {
        let counts: serde_json::Map<String, Value> =
            counts.iter().map(|(verdict, times)| (verdict.as_str().to_string(), (*times).into())).collect();
        json!({"type": "repeat", "label": entry.label, "method": entry.method, "name": entry.name, "verdicts": counts})
    };
    as_lines(&rows.map(line).collect::<Vec<_>>())
}

fn as_lines(lines: &[Value]) -> Result<String> {
    let fault = |error| output::failed("the answer", error);
    lines.iter().map(|line| json(line).map(|text| text + "\n").map_err(fault)).collect()
}
