//! Every cancel of every recorded session: paired with the right request, and given the right effect.

use std::fs;
use std::path::Path;

use rpctape::session::{Cancellation, Certainty, Effect, Exchange};
use serde_json::Value;

use crate::support::captured::run;

/// What the driver's own notes must say for an error-severity violation of a code to be true in that session.
/// A code that is not in this list is a false accusation wherever it appears.
const SUPPORTED: [(&str, &str); 13] = [
    ("CAN003", "initialize"),
    ("CAN004", "unknown id|before its request"),
    ("CAN005", "already finished|finished|repeat of an earlier cancel"),
    ("CAN007", "malformed"),
    ("CAN030", "wrong JSON type"),
    ("LIF006", "shutdown, in the same write"),
    ("LIF011", "without the _meta envelope|bare ping|no _meta"),
    ("RPC001", "truncated JSON"),
    ("RPC010", "id is re-used|id re-used|initialize in flight"),
    ("RPC011", "id is re-used|id re-used"),
    ("RPC016", "cancel sent as a request|with an id|as a request"),
    ("SES002", "session/cancel, permission unanswered"),
    ("SES003", "session/cancel, permission unanswered"),
];

#[test]
fn every_cancel_is_paired_and_judged_as_it_was() {
    let Some(folder) = crate::shared("captures") else { return };
    let (mut errors, mut checked, mut sessions) = (Vec::new(), 0, 0);
    for log in logs(&folder) {
        let meta = log.with_extension("meta.json");
        let Ok(text) = fs::read_to_string(&meta) else { continue };
        let meta: Value = serde_json::from_str(&text).expect("a truth file is JSON");
        sessions += 1;
        checked += check(&log, &meta, &mut errors);
    }
    println!("{checked} cancels in {sessions} recorded sessions checked");
    assert!(errors.is_empty(), "{} wrong:\n{}", errors.len(), errors.join("\n"));
    assert!(checked > 150, "only {checked} cancels found");
}

fn logs(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder") {
        let Ok(files) = fs::read_dir(entry.expect("an entry").path()) else { continue };
        let paths = files.filter_map(|file| Some(file.ok()?.path()));
        found.extend(paths.filter(|path| {
            let name = path.to_string_lossy();
            name.ends_with(".jsonl") && !name.ends_with(".chunks.jsonl") && !name.ends_with(".http.jsonl")
        }));
    }
    found.sort();
    found
}

fn check(log: &Path, meta: &Value, errors: &mut Vec<String>) -> usize {
    let (verdicts, lines) = run(log);
    let place = log.iter().rev().take(2).collect::<Vec<_>>();
    let place = format!("{}/{}", place[1].to_string_lossy(), place[0].to_string_lossy());
    let mut checked = 0;
    for list in ["cancels", "s2c_cancels"] {
        for truth in meta["truth"][list].as_array().into_iter().flatten() {
            let Some(sent) = truth["sent_at"].as_str() else { continue };
            if truth["kind"].as_str().is_some_and(|kind| kind.contains("truncated JSON")) {
                continue;
            }
            checked += 1;
            let at = micros(sent);
            let Some(cancel) = nearest(&verdicts.cancellations, at, truth) else {
                errors.push(format!("{place}: no cancel found for {truth}"));
                continue;
            };
            if let Err(why) = compare(truth, cancel, &verdicts.exchanges, meta) {
                errors.push(format!("{place}:{}: {why}\n    {truth}", lines[&cancel.seen.frame]));
            }
        }
    }
    let notes = meta.to_string();
    for finding in &verdicts.findings {
        let severe = finding.severity.as_str() == "error" && finding.certainty == Certainty::Violation;
        let support = SUPPORTED.iter().find(|(code, _)| *code == finding.code).map_or("", |(_, words)| words);
        if severe && !support.split('|').any(|words| !words.is_empty() && notes.contains(words)) {
            errors.push(format!("{place}:{}: {} {}", lines[&finding.frame], finding.code, finding.summary));
        }
    }
    checked
}

fn micros(text: &str) -> i64 {
    chrono::DateTime::parse_from_rfc3339(text).expect("a time").timestamp_micros()
}

/// The cancellation that was sent at a time; several can share one.
fn nearest<'a>(cancels: &'a [Cancellation], at: i64, truth: &Value) -> Option<&'a Cancellation> {
    let target = truth.get("target").filter(|target| !target.is_null()).map(Value::to_string);
    let same = |cancel: &&Cancellation| {
        cancel.mechanism.as_str() == truth["method"].as_str().unwrap_or_default()
            && (target.is_none()
                || cancel.target_text.as_deref() == target.as_deref()
                || cancel.mechanism.as_str() == "session/cancel")
    };
    let best = cancels.iter().filter(same).min_by_key(|cancel| (cancel.seen.at_us.unwrap_or(0) - at).abs());
    best.filter(|cancel| (cancel.seen.at_us.unwrap_or(0) - at).abs() < 50_000)
}

fn compare(truth: &Value, cancel: &Cancellation, exchanges: &[Exchange], meta: &Value) -> Result<(), String> {
    let want = expected(truth, meta);
    let got = cancel.effect.map(Effect::as_str).unwrap_or("none");
    if !want.contains(&got) {
        return Err(format!("effect {got}, want {want:?}"));
    }
    let method = truth["target_method"].as_str();
    let hit = cancel.exchange.and_then(|frame| exchanges.iter().find(|exchange| exchange.request.frame == frame));
    match (method, hit) {
        (Some(method), Some(exchange)) if *exchange.method != *method => {
            Err(format!("paired with {}", exchange.method))
        }
        (Some(method), None) => Err(format!("not paired, want {method}")),
        (None, Some(exchange)) if got != "unknown-target" => {
            Err(format!("paired with {}, want nothing", exchange.method))
        }
        _ => Ok(()),
    }
}

/// The effects that fit the truth. Where an id was used twice several do.
fn expected(truth: &Value, meta: &Value) -> Vec<&'static str> {
    let kind = truth["kind"].as_str().unwrap_or_default();
    if kind.starts_with("malformed") {
        return vec!["malformed"];
    }
    let before = truth["ms_from_request_to_cancel"].as_f64().is_some_and(|ms| ms < 0.0);
    if truth["target_method"].is_null() || before {
        return vec!["unknown-target"];
    }
    let responses: Vec<&Value> = truth["responses"].as_array().into_iter().flatten().collect();
    if responses.iter().any(|response| response["ms_after_cancel"].as_f64().is_some_and(|ms| ms < 0.0)) {
        return vec!["moot"];
    }
    let mut effects: Vec<&str> = responses.iter().map(|response| effect_of(response)).collect();
    if effects.is_empty() || truth.get("id_reused").is_some() {
        effects.push(if meta["protocol"] == "mcp" { "silent" } else { "unsettled" });
    }
    effects
}

fn effect_of(response: &Value) -> &'static str {
    match (response["kind"].as_str(), response["code"].as_i64(), response["stopReason"].as_str()) {
        (Some("error"), Some(-32800), _) | (Some("result"), _, Some("cancelled")) => "acknowledged",
        (Some("error"), ..) => "error",
        _ => "result",
    }
}
