//! A run as JSON: one object per line, or the same objects in one document. Public API: members are only ever added.

use std::io;

use serde::Serialize;
use serde_json::value::RawValue;

use super::super::escape::{is_hostile, json};
use super::super::time::rfc3339;
use crate::replay::run::{Anchor, CancelRun, CancelStatus};
use crate::replay::verdict::{Difference, ExchangeReport, RunReport, RunVerdict, SideFigures, Verdict};

/// Values longer than this many bytes are cut, and said to be.
const LONGEST: usize = 2_000;

#[derive(Serialize)]
struct Run<'a> {
    r#type: &'static str,
    v: u8,
    rpctape: &'static str,
    recording: &'a str,
    target: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    speed: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    started: Option<String>,
    protocols: &'a [String],
}

#[derive(Serialize)]
struct Exchange<'a> {
    r#type: &'static str,
    n: Option<Box<RawValue>>,
    label: &'a str,
    connection: usize,
    issuer: &'static str,
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    rec: Side<'a>,
    live: Side<'a>,
    verdict: &'static str,
    also: Vec<&'static str>,
    fails: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'a str>,
    detail: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cancel: Option<Cancel>,
    diff: Vec<Diff<'a>>,
    #[serde(skip_serializing_if = "is_zero")]
    more_diff: u64,
    subst: Vec<Subst<'a>>,
    captured: &'a [String],
    waited_for: &'a [String],
    #[serde(skip_serializing_if = "is_false")]
    after_stuck: bool,
    #[serde(skip_serializing_if = "is_false")]
    still_violates: bool,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    retries: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    live_session: Option<&'a str>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct Side<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    outcome: &'a str,
    latency_us: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sent_us: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resp_us: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lag_us: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    watched_us: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cancelled_us: Option<i64>,
}

#[derive(Serialize)]
struct Cancel {
    status: &'static str,
    anchor: String,
    at_us: Option<i64>,
    anchor_missed: bool,
    horizon_us: i64,
    #[serde(skip_serializing_if = "is_false")]
    harness_made: bool,
    progress_after: u32,
}

#[derive(Serialize)]
struct Diff<'a> {
    at: &'a str,
    rec: Option<Box<RawValue>>,
    live: Option<Box<RawValue>>,
    /// The side that has no value here, which is not null.
    #[serde(skip_serializing_if = "Option::is_none")]
    absent: Option<&'static str>,
    #[serde(skip_serializing_if = "is_false")]
    harmless: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<&'a str>,
    #[serde(skip_serializing_if = "is_false")]
    cut: bool,
}

#[derive(Serialize)]
struct Subst<'a> {
    at: &'a str,
    from: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rec: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    live: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct Summary<'a> {
    r#type: &'static str,
    v: u8,
    recording: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    pass: bool,
    verdict: &'static str,
    first_divergence: Option<&'a str>,
    #[serde(flatten)]
    counts: Counts,
    cancels: Cancels,
    notes: &'a [String],
    #[serde(skip_serializing_if = "str::is_empty")]
    proposed: &'a str,
    rewrites: &'a [String],
    delayed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    server_end: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    stderr: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    wall_us: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    live_session: Option<&'a str>,
    exit: u8,
}

/// How many exchanges have which primary verdict, in the order of the verdicts, `same` first.
struct Counts([usize; Verdict::ALL.len()]);

impl Serialize for Counts {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let each = Verdict::ALL.iter().zip(self.0).rev();
        serializer.collect_map(each.map(|(verdict, count)| (verdict.as_str().replace('-', "_"), count)))
    }
}

#[derive(Serialize)]
struct Cancels {
    recorded: u32,
    landed: u32,
    raced: u32,
    not_sent: u32,
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// JSON text from a peer as it may stand in a line of ours: no line breaks, no character that acts on a terminal.
fn raw(text: &str) -> Option<Box<RawValue>> {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            // Outside of strings; inside they cannot stand.
            '\n' | '\r' | '\t' => safe.push(' '),
            c if is_hostile(c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    safe.push_str(&format!("\\u{unit:04x}"));
                }
            }
            c => safe.push(c),
        }
    }
    RawValue::from_string(safe).ok().or_else(|| quoted(text))
}

/// Text that is no JSON, or only the beginning of some, as a string.
fn quoted(text: &str) -> Option<Box<RawValue>> {
    RawValue::from_string(json(&text).ok()?).ok()
}

/// A value, and whether it was cut.
fn value(text: Option<&str>) -> (Option<Box<RawValue>>, bool) {
    match text {
        None => (None, false),
        Some(text) if text.len() <= LONGEST => (raw(text), false),
        Some(text) => {
            let end = (0..=LONGEST).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            (quoted(&text[..end]), true)
        }
    }
}

fn side(seen: &SideFigures, line: Option<u64>) -> Side<'_> {
    Side {
        line,
        outcome: &seen.outcome,
        latency_us: seen.latency_us,
        sent_us: seen.sent_us,
        resp_us: seen.sent_us.zip(seen.latency_us).map(|(sent, took)| sent + took),
        lag_us: seen.lag_us,
        watched_us: seen.watched_us,
        cancelled_us: seen.cancelled_us,
    }
}

fn cancel(entry: &ExchangeReport, cancel: &CancelRun) -> Cancel {
    Cancel {
        status: match cancel.status {
            CancelStatus::Landed => "landed",
            CancelStatus::Raced => "raced",
            CancelStatus::NotSent => "not-sent",
            CancelStatus::Refused => "refused",
        },
        anchor: match cancel.anchor {
            Anchor::Progress => format!("progress {}", cancel.nth),
            Anchor::Elapsed => "elapsed".into(),
        },
        at_us: entry.live.cancelled_us,
        anchor_missed: cancel.anchor_missed,
        horizon_us: cancel.horizon_us,
        harness_made: cancel.harness_made,
        progress_after: cancel.progress_after.0,
    }
}

fn diff(difference: &Difference) -> Diff<'_> {
    let (rec, cut_rec) = value(difference.recorded.as_deref());
    let (live, cut_live) = value(difference.live.as_deref());
    Diff {
        at: &difference.at,
        rec,
        live,
        absent: match (&difference.recorded, &difference.live) {
            (None, _) => Some("rec"),
            (_, None) => Some("live"),
            _ => None,
        },
        harmless: difference.harmless,
        why: difference.why.as_deref(),
        of: difference.of.as_deref(),
        cut: cut_rec || cut_live,
    }
}

fn exchange(entry: &ExchangeReport) -> io::Result<String> {
    let substituted = entry.substituted.iter().map(|put| Subst {
        at: &put.at,
        from: format!("{} {}", put.from, put.from_at),
        rec: put.values.as_ref().and_then(|(recorded, _)| value(Some(recorded)).0),
        live: put.values.as_ref().and_then(|(_, live)| value(Some(live)).0),
    });
    json(&Exchange {
        r#type: "exchange",
        n: if entry.rpc_id.is_empty() { None } else { raw(&entry.rpc_id) },
        label: &entry.label,
        connection: entry.connection + 1,
        issuer: entry.issuer.as_str(),
        method: &entry.method,
        name: entry.name.as_deref(),
        rec: side(&entry.recorded, entry.line),
        live: side(&entry.live, None),
        verdict: entry.verdict.as_str(),
        also: entry.also.iter().map(|verdict| verdict.as_str()).collect(),
        fails: entry.fails,
        rule: entry.rule.as_deref(),
        detail: &entry.detail,
        cancel: entry.cancel.as_ref().map(|it| cancel(entry, it)),
        diff: entry.diff.iter().map(diff).collect(),
        more_diff: entry.more_diff,
        subst: substituted.collect(),
        captured: &entry.captured,
        waited_for: &entry.waited_for,
        after_stuck: entry.after_stuck,
        still_violates: entry.still_violates,
        retries: &entry.retries,
        live_session: entry.live_session.as_deref(),
        notes: &entry.notes,
    })
}

fn run(report: &RunReport) -> io::Result<String> {
    json(&Run {
        r#type: "run",
        v: 1,
        rpctape: env!("CARGO_PKG_VERSION"),
        recording: &report.recording,
        target: &report.target,
        speed: &report.speed,
        started: report.started_us.map(rfc3339),
        protocols: &report.protocols,
    })
}

fn summary(report: &RunReport) -> io::Result<String> {
    let of = |verdict| report.exchanges.iter().filter(|entry| entry.verdict == verdict).count();
    let cancels = &report.cancels;
    json(&Summary {
        r#type: "summary",
        v: 1,
        recording: &report.recording,
        error: report.failure.as_deref(),
        pass: report.verdict == RunVerdict::Pass,
        verdict: if report.failure.is_some() { "error" } else { report.verdict.as_str() },
        first_divergence: report.first_divergence.and_then(|at| Some(report.exchanges.get(at)?.label.as_str())),
        counts: Counts(Verdict::ALL.map(of)),
        cancels: Cancels {
            recorded: cancels.recorded,
            landed: cancels.landed,
            raced: cancels.raced,
            not_sent: cancels.not_sent,
        },
        notes: &report.notes,
        proposed: &report.proposed,
        rewrites: &report.rewrites,
        delayed: report.delayed,
        server_end: report.server_end.as_deref(),
        stderr: &report.stderr,
        wall_us: report.wall_us,
        live_session: report.live_session.as_deref(),
        exit: report.exit,
    })
}

/// One object per line: the run, its exchanges, the summary. Of a recording that could not be played, the summary alone; of a
/// sweep, its delays.
pub fn lines(report: &RunReport) -> io::Result<String> {
    if let Some(lines) = &report.lines {
        return Ok(lines.clone());
    }
    if report.failure.is_some() {
        return Ok(summary(report)? + "\n");
    }
    let mut text = run(report)? + "\n";
    for entry in &report.exchanges {
        text.push_str(&exchange(entry)?);
        text.push('\n');
    }
    Ok(text + &summary(report)? + "\n")
}

/// The same objects in one document.
pub fn document(report: &RunReport) -> io::Result<String> {
    let exchanges = report.exchanges.iter().map(exchange).collect::<io::Result<Vec<_>>>()?;
    Ok(format!(
        "{{\"run\":{},\n\"exchanges\":[\n{}\n],\n\"summary\":{}}}\n",
        run(report)?,
        exchanges.join(",\n"),
        summary(report)?
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_is_not_nothing() {
        let written = |recorded: Option<&str>, live: Option<&str>| {
            let (recorded, live) = (recorded.map(str::to_string), live.map(str::to_string));
            let difference = Difference { at: "/a".into(), recorded, live, ..Difference::default() };
            serde_json::to_string(&diff(&difference)).expect("JSON")
        };
        assert_eq!(written(Some("null"), None), r#"{"at":"/a","rec":null,"live":null,"absent":"live"}"#);
        assert_eq!(written(None, Some("null")), r#"{"at":"/a","rec":null,"live":null,"absent":"rec"}"#);
        assert_eq!(written(Some("null"), Some("1")), r#"{"at":"/a","rec":null,"live":1}"#);
    }
}
