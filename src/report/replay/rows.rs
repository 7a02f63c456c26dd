//! What the screen and the files have in common: one exchange in words.

use crate::number::duration;
use crate::replay::run::CancelStatus;
use crate::replay::verdict::{ExchangeReport, RunReport, Verdict};
use crate::report::escape::cut;

/// Lines of stderr that are shown.
const STDERR: usize = 8;

/// Columns of each.
const COLUMNS: usize = 200;

/// The last lines that a server wrote to its standard error, where it ended otherwise than it should have. Text as it came, cut.
pub fn last_words(report: &RunReport) -> Vec<String> {
    report.stderr[report.stderr.len().saturating_sub(STDERR)..].iter().map(|line| cut(line, COLUMNS)).collect()
}

/// Id, and connection where there are several: `7`, `s5`, `7@2`. Text as it stood in the log.
pub fn label(report: &RunReport, entry: &ExchangeReport) -> String {
    let label = entry.label.strip_prefix('#').unwrap_or(&entry.label);
    match report.protocols.len() > 1 || entry.connection > 0 {
        true => format!("{label}@{}", entry.connection + 1),
        false => label.to_string(),
    }
}

/// The request that it is about, or what else it is. Text as it stood in the log.
pub fn request(entry: &ExchangeReport) -> String {
    match (&entry.name, entry.method.as_str()) {
        (Some(name), method) => format!("{method} {name}"),
        (None, "") => "(no request)".into(),
        (None, method) => method.to_string(),
    }
}

/// The recorded latency.
pub fn recorded_time(entry: &ExchangeReport) -> String {
    match (entry.line, entry.recorded.latency_us) {
        (None, _) => "-".into(),
        (Some(_), Some(us)) => duration(us),
        (Some(_), None) => "none".into(),
    }
}

/// The live latency; of an answer after a cancel, how long after it.
pub fn live_time(entry: &ExchangeReport) -> String {
    let live = &entry.live;
    let landed = entry.cancel.as_ref().is_some_and(|cancel| cancel.status == CancelStatus::Landed);
    if matches!(entry.verdict, Verdict::NotSent | Verdict::Blocked | Verdict::Missing) && live.sent_us.is_none() {
        return "-".into();
    }
    match (live.latency_us, live.cancelled_us) {
        (Some(took), Some(cancelled)) if landed && took >= cancelled => format!("+{}", duration(took - cancelled)),
        (Some(took), _) => duration(took),
        (None, _) if entry.line.is_none() => "-".into(),
        (None, _) => match live.watched_us.filter(|_| entry.verdict == Verdict::Stuck) {
            Some(watched) => format!("> {}", duration(watched)),
            None => "none".into(),
        },
    }
}

/// When it was cancelled, counted from its request: live where it was sent, else as recorded.
pub fn cancelled_at(entry: &ExchangeReport) -> Option<i64> {
    entry.live.cancelled_us.or(entry.recorded.cancelled_us)
}

/// The line that says why, with all remarks. Text as it stood in the log.
pub fn detail(entry: &ExchangeReport) -> String {
    let mut parts: Vec<String> = Vec::new();
    if !entry.detail.is_empty() {
        parts.push(entry.detail.clone());
    }
    let also = entry.also.iter().filter(|verdict| **verdict != Verdict::Violates || entry.rule.is_none());
    let also: Vec<&str> = also.map(|verdict| verdict.as_str()).collect();
    if !also.is_empty() {
        parts.push(format!("also {}", also.join(", ")));
    }
    if let (true, Some(rule)) = (entry.also.contains(&Verdict::Violates), &entry.rule) {
        parts.push(format!("also violates {rule}"));
    }
    if !entry.retries.is_empty() {
        parts.push(format!("with its retry {}", entry.retries.join(", ")));
    }
    if entry.after_stuck {
        parts.push("after-stuck".into());
    }
    if entry.cancel.as_ref().is_some_and(|cancel| cancel.anchor_missed) {
        parts.push("anchor missed".into());
    }
    if !entry.captured.is_empty() {
        parts.push(format!("captured {}", entry.captured.join(", ")));
    }
    let put = entry.substituted.iter().map(|put| format!("{} from {}", put.at, put.from));
    parts.extend(put);
    parts.extend(entry.notes.iter().filter(|note| !entry.detail.contains(note.as_str())).cloned());
    parts.join("; ")
}

/// `10 same, 1 violates`: what the run came to, `same` first.
pub fn counts(report: &RunReport) -> Vec<(Verdict, usize)> {
    let order = std::iter::once(Verdict::Same).chain(Verdict::ALL.into_iter().filter(|it| *it != Verdict::Same));
    let of = |verdict: Verdict| report.exchanges.iter().filter(|entry| entry.verdict == verdict).count();
    order.map(|verdict| (verdict, of(verdict))).filter(|(_, count)| *count > 0).collect()
}

/// The counts in words.
pub fn told(report: &RunReport, word: impl Fn(Verdict) -> String) -> String {
    let counts: Vec<String> = counts(report).into_iter().map(|(verdict, n)| format!("{n} {}", word(verdict))).collect();
    if counts.is_empty() { "nothing was played".into() } else { counts.join(", ") }
}

/// How the cancels went, and for how long silence was watched; `None` where the recording has none.
pub fn cancels(report: &RunReport) -> Option<String> {
    let counts = &report.cancels;
    if counts.recorded == 0 {
        return None;
    }
    let mut text = format!("cancels: {} recorded, {} landed, {} raced", counts.recorded, counts.landed, counts.raced);
    let others = [(counts.not_sent - counts.refused, "not sent"), (counts.refused, "refused")];
    text.extend(others.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}")));
    text.push_str(&watched(report));
    Some(text)
}

/// `; silence was watched for 5.00 s`, behind cancels that landed and were followed by none; empty where there is none.
pub fn watched(report: &RunReport) -> String {
    let silent = report.exchanges.iter().filter(|entry| entry.live.latency_us.is_none());
    let landed = silent.filter_map(|entry| entry.cancel.as_ref()).filter(|it| it.status == CancelStatus::Landed);
    let least = landed.map(|cancel| cancel.horizon_us).min();
    least.map_or(String::new(), |horizon| format!("; silence was watched for {}", duration(horizon)))
}

/// The word of a verdict for people: in capitals where it fails, so that colour is never the only sign.
pub fn word(entry: &ExchangeReport) -> String {
    let word = entry.verdict.as_str();
    if entry.fails { word.to_uppercase() } else { word.to_string() }
}
