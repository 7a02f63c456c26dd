//! The same run as production writes it down: in the records of loggers and shippers, with what shipping does to them.

use std::io::Write;
use std::process::Command;

use rpctape::protocol::Side;
use serde_json::{Value, json};

use super::rng::Rng;
use crate::support::trace::{Trace, What};

/// 2026-03-01 09:00, in milliseconds since the epoch.
pub const START_MS: i64 = 1_772_355_600_000;

/// One message of one of the connections.
#[derive(Clone, Debug)]
pub struct Record {
    at_ms: i64,
    side: Side,
    text: String,
    /// Which connection.
    who: usize,
}

/// A form in which logs are kept.
pub struct Form {
    pub name: &'static str,
    /// True if messages are kept as text, which can be cut.
    pub textual: bool,
    head: &'static str,
    write: fn(&Record, &str) -> String,
}

/// What production does to a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Artefact {
    None,
    Twice,
    Resent,
    Swapped,
    NewestFirst,
    Rotated,
    Redacted,
    RedactedTargets,
    Cut,
    NullParams,
    /// Of exchanges: the log ends before some of them, and each has its record when it ends.
    Stopped,
    /// Of exchanges: the log begins later than some of them.
    Started,
}

pub const ARTEFACTS: [Artefact; 10] = [
    Artefact::None,
    Artefact::Twice,
    Artefact::Resent,
    Artefact::Swapped,
    Artefact::NewestFirst,
    Artefact::Rotated,
    Artefact::Redacted,
    Artefact::RedactedTargets,
    Artefact::Cut,
    Artefact::NullParams,
];

impl Artefact {
    /// What delivery does to records.
    pub fn deliver(self, lines: &mut Vec<String>, rng: &mut Rng) {
        let count = lines.len();
        match self {
            Artefact::Twice => *lines = lines.drain(..).flat_map(|line| [line.clone(), line]).collect(),
            Artefact::Resent if count > 5 => {
                let from = rng.between(0, count as i64 - 4) as usize;
                let to = count.min(from + 3 + rng.between(0, 5) as usize);
                let block = lines[from..to].to_vec();
                lines.splice(to..to, block);
            }
            Artefact::NewestFirst => lines.reverse(),
            Artefact::Rotated => lines.rotate_left(count / 2),
            _ => {}
        }
    }
}

/// Artefacts that take nothing away: a fault shows as before.
pub const HARMLESS: [Artefact; 4] = [Artefact::None, Artefact::Twice, Artefact::Resent, Artefact::NewestFirst];

fn form(name: &'static str, textual: bool, write: fn(&Record, &str) -> String) -> Form {
    Form { name, textual, head: "", write }
}

/// The forms; the first keeps all there is.
pub fn forms() -> Vec<Form> {
    vec![
        form("wrapped", false, |r, text| {
            let (dir, text) = (way(r, "c2s", "s2c"), text);
            format!(r#"{{"ts":"{}","lvl":"debug","dir":"{dir}","session_id":"s{}","msg":{text}}}"#, iso(r), r.who)
        }),
        form("nested", true, |r, text| {
            let dir = way(r, "inbound", "outbound");
            json!({"@timestamp": iso(r), "event": {"direction": dir}, "upstream": r.who, "data": {"body": text}})
                .to_string()
        }),
        form("gcp", true, |r, text| {
            let labels = json!({"pod_name": format!("app-{}", r.who)});
            json!({"insertId": r.at_ms, "resource": {"labels": labels}, "textPayload": said(r, text), "timestamp": iso(r)})
                .to_string()
        }),
        form("loki", true, |r, text| {
            json!({"labels": {"pod": format!("app-{}", r.who)}, "line": said(r, text), "timestamp": iso(r)}).to_string()
        }),
        form("docker", true, |r, text| {
            let attrs = json!({"tag": format!("app-{}", r.who)});
            json!({"log": said(r, text) + "\n", "stream": "stderr", "attrs": attrs, "time": iso(r)}).to_string()
        }),
        form("cri", true, |r, text| format!("{} stderr F {}", iso(r), said(r, text))),
        form("kubectl", true, |r, text| format!("[pod/app-{}/main] {} {}", r.who, iso(r), said(r, text))),
        form("stern", true, |r, text| format!("app-{} main {} {}", r.who, iso(r), said(r, text))),
        form("fluentd", true, |r, text| {
            format!("{}\tkube.app-{}\t{}", iso(r), r.who, json!({"log": said(r, text), "stream": "stderr"}))
        }),
        Form {
            head: "@timestamp,@logStream,@message\n",
            ..form("csv", true, |r, text| {
                format!("{},app/{},\"{}\"", iso(r), r.who, said(r, text).replace('"', "\"\""))
            })
        },
        form("otlp", true, |r, text| {
            let attributes = json!([{"key": "k8s.pod.name", "value": {"stringValue": format!("app-{}", r.who)}}]);
            let time = (r.at_ms * 1_000_000).to_string();
            let records = json!([{"timeUnixNano": time, "body": {"stringValue": said(r, text)}}]);
            json!({"resourceLogs": [{"resource": {"attributes": attributes}, "scopeLogs": [{"logRecords": records}]}]})
                .to_string()
        }),
    ]
}

fn way(record: &Record, client: &'static str, server: &'static str) -> &'static str {
    if record.side == Side::Client { client } else { server }
}

fn said(record: &Record, text: &str) -> String {
    format!("{}: {text}", way(record, "INCOMING", "OUTGOING"))
}

fn iso(record: &Record) -> String {
    let ms = record.at_ms - START_MS;
    let (seconds, minutes) = (ms / 1000 % 60, ms / 60_000);
    format!("2026-03-01T{:02}:{:02}:{seconds:02}.{:03}Z", 9 + minutes / 60, minutes % 60, ms % 1000)
}

/// The records of some runs in one log, in the order of their times.
pub fn records(traces: &[Trace], apart_ms: i64) -> Vec<Record> {
    let mut all = Vec::new();
    for (who, trace) in traces.iter().enumerate() {
        for step in &trace.steps {
            if let (Some(side), What::Json(text)) = (step.side, &step.what) {
                let at_ms = START_MS + 1000 + step.at_ms + apart_ms * who as i64;
                all.push(Record { at_ms, side, text: text.clone(), who });
            }
        }
    }
    all.sort_by_key(|record| record.at_ms);
    all
}

/// The log in a form, with what was done to it.
pub fn log(records: &[Record], form: &Form, artefact: Artefact, rng: &mut Rng) -> String {
    let mut records = records.to_vec();
    match artefact {
        Artefact::Swapped => {
            let apart: Vec<usize> =
                (1..records.len()).filter(|at| records[at - 1].at_ms + 2 < records[*at].at_ms).collect();
            if !apart.is_empty() {
                let at = *rng.pick(&apart);
                records.swap(at - 1, at);
            }
        }
        Artefact::Redacted => records.iter_mut().for_each(|record| edit(record, &redact)),
        Artefact::RedactedTargets => records.iter_mut().for_each(|record| edit(record, &redact_target)),
        Artefact::NullParams => records.iter_mut().for_each(|record| edit(record, &null_params)),
        _ => {}
    }
    let line = |record: &Record| match artefact {
        Artefact::Cut if form.textual && record.text.len() > 90 => {
            let end = (0..=90).rev().find(|end| record.text.is_char_boundary(*end)).unwrap_or(0);
            (form.write)(record, &format!("{}...[truncated]", &record.text[..end]))
        }
        _ => (form.write)(record, &record.text),
    };
    let mut lines: Vec<String> = records.iter().map(line).collect();
    artefact.deliver(&mut lines, rng);
    form.head.to_string() + &lines.join("\n") + "\n"
}

fn edit(record: &mut Record, how: &dyn Fn(&mut serde_json::Map<String, Value>)) {
    if let Ok(Value::Object(mut message)) = serde_json::from_str(&record.text) {
        how(&mut message);
        record.text = Value::Object(message).to_string();
    }
}

pub fn redact(message: &mut serde_json::Map<String, Value>) {
    for key in ["params", "result"] {
        if let Some(value) = message.get_mut(key) {
            *value = json!("[REDACTED]");
        }
    }
}

pub fn redact_target(message: &mut serde_json::Map<String, Value>) {
    let cancels = message.get("method").and_then(Value::as_str).is_some_and(|method| method.contains("ancel"));
    if let Some(Value::Object(params)) = message.get_mut("params").filter(|_| cancels) {
        for key in ["requestId", "id"] {
            if let Some(value) = params.get_mut(key) {
                *value = json!("***");
            }
        }
    }
}

fn null_params(message: &mut serde_json::Map<String, Value>) {
    if message.contains_key("method") && !message.contains_key("params") {
        message.insert("params".to_string(), Value::Null);
    }
}

/// Stands among the rules that a log cannot decide where lines of it were not read, which it then names.
pub const UNREAD: &str = "unread";

/// The rules that `check` finds broken for certain, above a note.
pub fn broken(log: &str) -> Vec<String> {
    verdicts(log).0
}

/// The same, and the rules of which it says that the log cannot decide them.
pub fn verdicts(log: &str) -> (Vec<String>, Vec<String>) {
    verdicts_by(log, None)
}

/// The same of a log that a definition reads.
pub fn verdicts_by(log: &str, definition: Option<&str>) -> (Vec<String>, Vec<String>) {
    let kept = |text: &str| {
        let mut file = tempfile::Builder::new().suffix(".toml").tempfile().expect("a file");
        file.write_all(text.as_bytes()).expect("written");
        file
    };
    let (file, definition) = (kept(log), definition.map(kept));
    let mut check = Command::new(env!("CARGO_BIN_EXE_rpctape"));
    check.args(["check", "--format", "jsonl", "--no-progress"]).arg(file.path());
    if let Some(definition) = &definition {
        check.arg("--format-in").arg(definition.path());
    }
    let done = check.output().expect("run");
    let complaint = String::from_utf8_lossy(&done.stderr);
    let refused = ["holds no JSON-RPC", "no message was found"].iter().any(|words| complaint.contains(words));
    if refused || complaint.contains("without") && complaint.contains("bodies") && !log.contains("jsonrpc") {
        // All that there was of it has been cut.
        return (Vec::new(), Vec::new());
    }
    assert!(matches!(done.status.code(), Some(0 | 1)), "{complaint}");
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    let lines: Vec<Value> = said.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let code = |value: &Value| value["code"].as_str().map(str::to_string);
    let findings = || lines.iter().filter(|line| line["type"] == "finding");
    let proven = findings().filter(|line| line["certainty"] == "violation" && line["severity"] != "note");
    let says_so = |line: &&Value| matches!(line["code"].as_str(), Some("CAP001" | "CAP002"));
    let unsure = findings().filter(|line| line["certainty"] != "violation" || says_so(line));
    let summaries = || lines.iter().filter(|line| line["type"] == "summary");
    let lacking = summaries().filter_map(|summary| summary["undecidable"].as_array()).flatten();
    let unread = summaries().any(|summary| summary["unread"].as_array().is_some_and(|unread| !unread.is_empty()));
    let mut unsure: Vec<String> = unsure.chain(lacking).filter_map(code).collect();
    unsure.extend(unread.then(|| UNREAD.to_string()));
    (proven.filter_map(code).collect(), unsure)
}
