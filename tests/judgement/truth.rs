//! Logs of which the truth is known: what has to be said of them, and what must not be.
//!
//! `tests/truth/expected.json` asks one question of a small log each: is this side innocent, is this not known, is this
//! fault there? `tests/production/expected.json` has what gateways, proxies, monitors and log shippers write: how much of
//! it is read, and that a clean session stays clean. `docs/testing.md` describes both forms.
//!
//! What does not hold yet stands in `tests/truth/gaps.txt` with the reason. A gap that was closed has to be taken out.
#![allow(clippy::print_stdout, reason = "what was checked and what was skipped is said aloud")]

mod cases;
mod production;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;

/// The longest that one run of the program may take.
const DEADLINE: Duration = Duration::from_secs(120);

/// What a run said.
struct Said {
    out: String,
    err: String,
    /// `None` where it was killed, or took too long.
    code: Option<i32>,
}

/// Runs a program with an environment of its own.
fn call(program: &str, args: &[String], folder: &Path, input: Option<&str>) -> Said {
    let mut command = assert_cmd::Command::new(program);
    command.args(args).current_dir(folder).timeout(DEADLINE).env_clear();
    for name in ["TMPDIR", "PATH"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command.env("NO_COLOR", "1").env("TZ", "UTC").env("LC_ALL", "C.UTF-8").env("COLUMNS", "160");
    if let Some(input) = input {
        command.write_stdin(input);
    }
    let output = command.output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let said = Said { out: text(&output.stdout), err: text(&output.stderr), code: output.status.code() };
    assert!(said.code != Some(101), "it panicked: {args:?}\n{}", said.err);
    said
}

fn rpctape() -> &'static str {
    env!("CARGO_BIN_EXE_rpctape")
}

/// The objects among the lines of a text.
fn objects(text: &str) -> Vec<Value> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).filter(Value::is_object).collect()
}

/// The folder with the cases of a kind.
fn folder(kind: &str) -> PathBuf {
    crate::common::top().join("tests").join(kind)
}

fn expected(kind: &str) -> BTreeMap<String, Value> {
    let text = fs::read_to_string(folder(kind).join("expected.json")).expect("expected.json is there");
    serde_json::from_str(&text).expect("it is an object")
}

/// Cases that do not hold yet: `KIND NAME: reason`, one a line.
fn gaps(kind: &str) -> Vec<String> {
    let text = fs::read_to_string(folder("truth").join("gaps.txt")).expect("gaps.txt is there");
    let of_kind = text.lines().filter_map(|line| line.strip_prefix(kind)?.strip_prefix(' '));
    of_kind.filter_map(|line| Some(line.split_once(": ")?.0.to_string())).collect()
}

/// Holds every case against what is expected; `wrong` says what does not hold of one.
fn hold(kind: &str, wrong: fn(&str, &Value) -> Vec<String>) {
    let all: Vec<(String, Value)> = expected(kind).into_iter().collect();
    let (next, gaps) = (AtomicUsize::new(0), gaps(kind));
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    let work = || {
        let mut said = Vec::new();
        while let Some((name, case)) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            let faults = wrong(name, case);
            match (faults.is_empty(), gaps.contains(name)) {
                (true, true) => said.push(format!("{name}: holds now; take it out of tests/truth/gaps.txt")),
                (false, false) => said.push(format!("{name}: {}", faults.join("; "))),
                (false, true) => println!("KNOWN GAP {kind} {name}: {}", faults.join("; ")),
                (true, false) => {}
            }
        }
        said
    };
    let mut said: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no case panics")).collect()
    });
    said.sort();
    let unknown = gaps.iter().filter(|name| !all.iter().any(|(case, _)| case == *name));
    said.extend(unknown.map(|name| format!("{name}: there is no such case")));
    assert!(all.len() > 50, "only {} cases were found", all.len());
    assert!(said.is_empty(), "{} of {}:\n{}", said.len(), all.len(), said.join("\n"));
    println!("{} of {} cases of {kind} hold", all.len() - gaps.len(), all.len());
}

#[test]
fn what_is_true_of_a_log_is_said_and_nothing_else() {
    hold("truth", cases::wrong);
}

#[test]
fn what_production_writes_is_read_and_accuses_nobody() {
    hold("production", production::wrong);
}
