//! `conform` does no more than it says: what is called, what is started, and what is left behind however it ends.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{ended, program, rpctape, said};
use crate::replay::bench::example;

/// A server with a tool that only reads and takes its time, and with others that are not known to be harmless.
fn script(takes_ms: u64) -> Value {
    let schema = json!({"type": "object"});
    let tool = |name: &str, hints: Value| json!({"name": name, "inputSchema": schema, "annotations": hints});
    let needs = json!({"name": "needs", "annotations": {"readOnlyHint": true},
        "inputSchema": {"type": "object", "required": ["x"], "properties": {"x": {"type": "string"}}}});
    json!({"handlers": [
        {"on": "tools/list", "do": [{"answer": {"tools": [tool("slow", json!({"readOnlyHint": true})), tool("unsaid", json!({})),
            tool("writes", json!({"readOnlyHint": false})), tool("wipes", json!({"readOnlyHint": true, "destructiveHint": true})), needs]}}]},
        {"on": "tools/call:slow", "do": [{"wait": takes_ms}, {"answer": {"content": []}}], "cancel": []}]})
}

/// What the servers of a folder read, each message.
fn logged(folder: &Path) -> Vec<Value> {
    let log = std::fs::read_to_string(folder.join("server.log")).unwrap_or_default();
    let lines: Vec<Value> = log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    lines.iter().filter_map(|line| serde_json::from_str(line["in"].as_str()?).ok()).collect()
}

#[test]
fn nothing_is_called_but_what_only_reads() {
    let folder = tempfile::tempdir().expect("a folder");
    let fixture = example("fixture-stdio").display().to_string();
    let mut command = rpctape();
    command.current_dir(folder.path()).args(["conform", "--fast", "--", &fixture, "--log", "server.log"]);
    let output = command.arg(script(300).to_string()).timeout(Duration::from_secs(600)).output().expect("it starts");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    let read = logged(folder.path());
    let called = read.iter().filter(|message| message["method"] == "tools/call");
    let tools: BTreeSet<&str> = called.filter_map(|message| message["params"]["name"].as_str()).collect();
    assert_eq!(tools, BTreeSet::from(["slow"]));
    let methods: BTreeSet<&str> = read.iter().filter_map(|message| message["method"].as_str()).collect();
    let harmless = ["initialize", "notifications/initialized", "notifications/cancelled", "ping", "tools/list"];
    assert_eq!(methods, BTreeSet::from(harmless).union(&BTreeSet::from(["tools/call"])).copied().collect());
}

#[test]
fn a_list_starts_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let fixture = example("fixture-stdio").display().to_string();
    let list = ["conform", "--list", "--", &fixture, "--log", "server.log"];
    let said = said(rpctape().current_dir(folder.path()).args(list).output().expect("it starts"));
    assert!(said.code == 0 && said.out.contains("malformed-array"), "{}{}", said.out, said.err);
    assert!(!folder.path().join("server.log").exists(), "a server was started");
}

/// A run against a server that has a child, and the folder it runs in. `child` is started by the shell that becomes the server.
#[cfg(target_os = "linux")]
fn started(child: &str, takes_ms: u64, flags: &[&str]) -> (Child, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let server = format!(r#"{child} exec "$0" --log server.log "$1""#);
    let mut command = program();
    command.current_dir(folder.path()).args(["conform", "--fast"]).args(flags).args(["--", "sh", "-c", &server]);
    command.arg(example("fixture-stdio")).arg(script(takes_ms).to_string());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    (command.spawn().expect("the program starts"), folder)
}

/// The processes that run in a folder, which is that of one run alone. The id of a process may be another's by now.
#[cfg(target_os = "linux")]
fn alive(folder: &Path) -> Vec<String> {
    let folder = folder.canonicalize().expect("a folder");
    let processes = std::fs::read_dir("/proc").expect("processes").filter_map(Result::ok);
    let inside =
        processes.filter(|process| std::fs::read_link(process.path().join("cwd")).is_ok_and(|at| at == folder));
    inside.map(|process| process.file_name().to_string_lossy().into_owned()).collect()
}

/// Waits, three minutes at most.
#[cfg(target_os = "linux")]
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..9_000 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("{what}");
}

/// The server is deaf to every signal that can be ignored and so is its child, which holds no stream and sees no end of input.
#[cfg(target_os = "linux")]
#[test]
fn however_it_is_ended_no_process_of_the_server_stays() {
    const CHILD: &str = "trap '' TERM INT HUP; sleep 600 </dev/null >/dev/null 2>&1 &";
    std::thread::scope(|scope| {
        for (signal, code) in [("KILL", None), ("TERM", Some(143)), ("INT", Some(130)), ("HUP", Some(129))] {
            scope.spawn(move || {
                let (mut program, folder) = started(CHILD, 700, &["--only", "mid,early,late,type"]);
                let calls = |read: &[Value]| read.iter().filter(|message| message["method"] == "tools/call").count();
                // One chooses the tool, three are the control, one looks for questions: from here on it is the probes.
                until("no probe was played", || calls(&logged(folder.path())) > 5);
                let pid = program.id().to_string();
                assert!(Command::new("kill").args(["-s", signal, &pid]).status().expect("a signal").success());
                let status = ended(&mut program).unwrap_or_else(|| panic!("{signal} does not end it"));
                assert_eq!(status.code(), code, "{signal}");
                until(&format!("{signal} leaves processes behind"), || alive(folder.path()).is_empty());
            });
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn who_outlives_the_server_is_ended_and_told() {
    let (program, folder) = started("sleep 600 </dev/null >/dev/null 2>&1 &", 300, &["--only", "unknown,done"]);
    let output = program.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("processes that outlived the server and were ended: "), "{text}");
    assert!(alive(folder.path()).is_empty(), "they are still there");
}
