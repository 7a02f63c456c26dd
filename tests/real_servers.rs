//! Real programs, in the versions of tests/real/install.sh: a session with cancels is recorded through the shim or the
//! proxy, audited, replayed against the same server (pass) and against a changed build of it (the right verdict).
//!
//! What is not installed is skipped, and said aloud. `bash tests/real/install.sh target/real` installs it.
#![cfg(feature = "live")]
#![allow(clippy::print_stdout, reason = "what was checked and what was skipped is said aloud")]

#[path = "real/acp.rs"]
mod acp;
#[path = "real/client.rs"]
mod client;
#[path = "real/http.rs"]
mod http;
#[path = "real/lsp.rs"]
mod lsp;
#[path = "real/mcp.rs"]
mod mcp;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use client::Client;
use serde_json::Value;

/// Where the real programs are installed.
fn installed() -> PathBuf {
    match std::env::var_os("RPCTAPE_REAL") {
        Some(path) => path.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("target/real"),
    }
}

/// A file of the suite.
fn ours(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real/servers").join(name).display().to_string()
}

/// A server to record, and a changed build of it.
struct Pair {
    what: &'static str,
    server: Vec<String>,
    changed: Vec<String>,
}

/// The words of a command line. `None`, said aloud, where the program or a file named in it is missing.
fn command(what: &str, words: &[&str]) -> Option<Vec<String>> {
    let there = |word: &&str| !word.starts_with('/') || Path::new(word).exists();
    let program = words.first().copied().unwrap_or_default();
    let found = program.starts_with('/') || on_path(program);
    if found && words.iter().all(there) {
        return Some(words.iter().map(ToString::to_string).collect());
    }
    println!("SKIPPED: {what} is not installed (tests/real/install.sh)");
    None
}

fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn rpctape() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rpctape"));
    command.env_remove("CI").env("NO_COLOR", "1");
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What `check --format jsonl` finds: rule and certainty of each finding, and the exit code.
fn audited(recording: &Path) -> (Vec<(String, String)>, i32) {
    let output = rpctape().arg("check").arg(recording).args(["--format", "jsonl"]).output().expect("rpctape");
    let findings = lines(&output)
        .into_iter()
        .filter(|line| line["type"] == "finding")
        .map(|line| (word(&line["rule"]), word(&line["certainty"])))
        .collect();
    (findings, output.status.code().unwrap_or(-1))
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

fn lines(output: &Output) -> Vec<Value> {
    let parse = |line: &str| serde_json::from_str(line).expect("a JSON line");
    text(&output.stdout).lines().filter(|line| !line.is_empty()).map(parse).collect()
}

/// A run of `replay`: its exchanges, its summary, its exit code.
struct Run {
    exchanges: Vec<Value>,
    summary: Value,
    exit: i32,
    stderr: String,
}

impl Run {
    /// The verdict of the exchange with an id.
    fn verdict(&self, id: &Value) -> String {
        self.exchanges.iter().find(|line| line["n"] == *id).map(|line| word(&line["verdict"])).unwrap_or_default()
    }

    /// Everything that went otherwise than in the recording, for a message.
    fn differences(&self) -> String {
        let odd = self.exchanges.iter().filter(|line| line["verdict"] != "same");
        let odd: Vec<String> = odd.map(ToString::to_string).collect();
        format!("{}\n{}\n{}", odd.join("\n"), self.summary, self.stderr)
    }
}

/// Replays a recording; `target` is what stands after it on the command line.
fn replayed(recording: &Path, flags: &[&str], target: &[String]) -> Run {
    let folder = recording.parent().expect("a folder");
    let output = rpctape()
        .arg("replay")
        .arg(recording)
        .args(["--format", "jsonl", "--linger", "1500ms"])
        .args(flags)
        .args(target)
        .current_dir(folder)
        .output()
        .expect("rpctape");
    let lines = lines(&output);
    Run {
        exchanges: lines.iter().filter(|line| line["type"] == "exchange").cloned().collect(),
        summary: lines.iter().find(|line| line["type"] == "summary").cloned().unwrap_or(Value::Null),
        exit: output.status.code().unwrap_or(-1),
        stderr: text(&output.stderr),
    }
}

/// `-- CMD`, as `replay` takes it.
fn after_dashes(server: &[String]) -> Vec<String> {
    std::iter::once("--".to_string()).chain(server.iter().cloned()).collect()
}
