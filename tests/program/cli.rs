//! How the program behaves as a program: exit codes, errors with hints, files it writes, databases it keeps.

use crate::common::{self, file, program, run, run_with, top};

/// The fault that each sample shows, by the code that must be found in it.
const FAULTS: [(&str, &str); 15] = [
    ("01-cancel-in-the-wrong-direction", "CAN001"),
    ("02-cancel-of-an-unknown-id", "CAN004"),
    ("03-cancel-of-a-finished-request", "CAN005"),
    ("04-cancel-with-an-id-of-the-wrong-type", "CAN030"),
    ("05-cancelled-twice", "CAN006"),
    ("06-result-after-cancel", "CAN010"),
    ("07-error-32800-after-cancel", "CAN010"),
    ("08-initialize-cancelled", "CAN003"),
    ("09-cancel-without-request-id", "CAN007"),
    ("10-cancel-sent-as-a-request", "RPC016"),
    ("11-task-cancelled-by-notification", "CAN017"),
    ("12-never-answered", "STK001"),
    ("13-progress-after-cancel", "PRG002"),
    ("14-lsp-cancel-never-answered", "CAN011"),
    ("15-acp-cancel-never-answered", "CAN011"),
];

#[test]
fn every_fault_is_proven_and_nothing_else_is_accused() {
    for (sample, code) in FAULTS {
        let said = run(&["check", &format!("samples/faults/{sample}.jsonl"), "--format", "jsonl"]);
        let proven = said.out.lines().filter(|line| line.contains(r#""certainty":"violation""#));
        let codes: Vec<String> = proven
            .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["code"].to_string())
            .filter(|code| !code.starts_with("\"CAP"))
            .collect();
        assert_eq!(codes, [format!("\"{code}\"")], "{sample}");
    }
}

#[test]
fn exit_codes() {
    let code = |args: &[&str]| run(args).code;
    assert_eq!(code(&["check", "samples/mcp/good.jsonl"]), 0);
    assert_eq!(code(&["check", "samples/jsonrpc/one.jsonl", "--fail-on", "warning"]), 0, "1.0 is not judged by 2.0");
    assert_eq!(code(&["check", "samples/jsonrpc/one.jsonl", "--proto", "jsonrpc 2.0"]), 1);
    assert_eq!(code(&["check", "samples/mcp/bad.jsonl"]), 1);
    assert_eq!(code(&["check", "samples/mcp/bad.jsonl", "--fail-on", "none"]), 0);
    assert_eq!(code(&["check", "samples/faults/06-result-after-cancel.jsonl"]), 0);
    assert_eq!(code(&["check", "samples/faults/06-result-after-cancel.jsonl", "--fail-on", "warning"]), 1);
    assert_eq!(
        code(&["check", "samples/faults/06-result-after-cancel.jsonl", "--fail-on", "warning", "--proof-only"]),
        0
    );
    assert_eq!(code(&["check"]), 2);
    assert_eq!(code(&["check", "no/such/file.jsonl"]), 2);
    assert_eq!(code(&["check", "samples/mcp/bad.jsonl", "--select", "nonsense"]), 2);
    assert_eq!(code(&["check", "--nonsense"]), 2);
    assert_eq!(code(&["ls", "samples/mcp/bad.jsonl"]), 0);
}

#[test]
fn nothing_to_check_is_no_success() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in [("empty.jsonl", ""), ("prose.txt", "no message here\nnone at all\n")] {
        let path = file(folder.path(), name, content);
        let said = run(&["check", &path]);
        assert_eq!(said.code, 2, "{name}: {}", said.out);
        assert!(said.err.contains("error: ") && said.err.contains("hint: "), "{}", said.err);
    }
    assert_eq!(run(&["check", folder.path().to_str().expect("UTF-8")]).code, 2);
}

#[test]
fn errors_say_what_to_do_next() {
    let cases: [(&[&str], &str, &str); 7] = [
        (
            &["explain", "respone-after-cancel"],
            "there is no rule respone-after-cancel",
            "did you mean response-after-cancel?",
        ),
        (&["chek"], "there is no command and no file chek", "did you mean `rpctape check`?"),
        (&["show", "samples/mcp/bad.jsonl", "#44"], "there is no request #44", "the nearest is #12"),
        (&["show", "samples/acp/bad.jsonl", "0"], "0 fits 2 requests", "name the connection as in #17@2"),
        (&["show", "samples/mcp"], "samples/mcp holds 2 connections", "choose one"),
        (
            &["check", "samples/mcp/bad.jsonl", "--connection", "samples/mcp/bad.jsonl/2"],
            "there is no connection",
            "did you mean",
        ),
        (&["query", "samples/mcp/bad.jsonl", "delete from frame"], "only a query that reads is run", "SELECT"),
    ];
    for (args, error, hint) in cases {
        let said = run(args);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{args:?}");
        assert!(said.err.starts_with("error: ") && said.err.contains(error), "{args:?}: {}", said.err);
        assert!(said.err.contains("hint: ") && said.err.contains(hint), "{args:?}: {}", said.err);
    }
}

#[test]
fn a_file_alone_is_listed() {
    let said = run(&["samples/mcp/good.jsonl"]);
    assert_eq!(said.code, 0);
    assert!(said.out.contains("samples/mcp/good.jsonl/1") && said.err.contains("next: rpctape check"), "{}", said.err);
}

#[test]
fn standard_input_is_a_log_like_any_other() {
    let log = std::fs::read(top().join("samples/mcp/bad.jsonl")).expect("the sample");
    let said = run_with(&["check", "-", "--format", "concise"], &log);
    assert_eq!(said.code, 1, "{}", said.err);
    let named = run(&["check", "samples/mcp/bad.jsonl", "--format", "concise"]);
    assert_eq!(said.out.replace("-:", "samples/mcp/bad.jsonl:"), named.out);
}

#[test]
fn a_kept_database_gives_the_same_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = folder.path().join("session.db").display().to_string();
    let ingested = run(&["ingest", "samples/mcp/bad.jsonl", "--db", &db]);
    assert_eq!(ingested.code, 0, "{}", ingested.err);
    let again = run(&["ingest", "samples/mcp/bad.jsonl", "--db", &db]);
    assert!(again.out.contains("nothing added"), "{}", again.out);
    let direct = run(&["check", "samples/mcp/bad.jsonl", "--format", "jsonl"]);
    let kept = run(&["check", &db, "--format", "jsonl"]);
    let audited = run(&["audit", &db, "--format", "jsonl"]);
    assert_eq!(direct.out, kept.out);
    assert_eq!(direct.out, audited.out);
    assert_eq!((direct.code, kept.code, audited.code), (1, 1, 1));
    let other = run(&["check", &db, "--proof-only"]);
    assert_eq!(other.code, 2);
    assert!(other.err.contains("rpctape audit"), "{}", other.err);
    let proven = run(&["audit", &db, "--proof-only", "--format", "jsonl"]);
    assert_ne!(direct.out, proven.out);
    assert!(!proven.out.contains(r#""severity":"error","certainty":"violation","basis":"rtt""#));
}

#[test]
fn a_selection_holds_for_logs_and_for_databases() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = folder.path().join("session.db").display().to_string();
    run(&["ingest", "samples/mcp/bad.jsonl", "--db", &db]);
    for input in ["samples/mcp/bad.jsonl", &db] {
        let said =
            run(&["check", input, "--select", "CAN", "--ignore", "duplicate-cancel,CAN010", "--format", "concise"]);
        assert!(said.out.contains("cancel-wrong-direction"), "{}", said.out);
        for absent in ["duplicate-cancel", "response-after-cancel", "progress-after-cancel"] {
            let found = |line: &str| line.contains(absent) && !line.starts_with("not looked at: ");
            assert!(!said.out.lines().any(found), "{input}: {}", said.out);
        }
        assert!(said.out.contains("all rules but CAN, the rules duplicate-cancel, CAN010 (ignored)"), "{}", said.out);
    }
}

#[test]
fn an_answer_in_a_file_is_whole_and_never_an_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out.jsonl").display().to_string();
    let said = run(&["check", "samples/mcp/bad.jsonl", "--format", "jsonl", "-o", &out]);
    assert_eq!((said.code, said.out.as_str()), (1, ""), "{}", said.err);
    let written = std::fs::read_to_string(&out).expect("the answer");
    assert_eq!(written, run(&["check", "samples/mcp/bad.jsonl", "--format", "jsonl"]).out);
    let log = file(folder.path(), "log.jsonl", &written);
    let before = std::fs::read(&log).expect("the log");
    let refused = run(&["export", &log, "--as", "jsonl", "-o", &log]);
    assert_eq!(refused.code, 2);
    assert_eq!(std::fs::read(&log).expect("the log"), before);
    let names: Vec<_> = std::fs::read_dir(folder.path())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn what_is_exported_is_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    for sample in ["mcp/bad", "acp/bad", "jsonrpc/good", "jsonrpc/bad"] {
        let sample = format!("samples/{sample}.jsonl");
        for kind in ["jsonl", "rec"] {
            let exported = run(&["export", &sample, "--as", kind]);
            let copy = file(folder.path(), "copy.jsonl", &exported.out);
            let sql = "select at_us, sender, kind, raw from messages order by id";
            let rows = |path: &str| run(&["query", path, sql, "--format", "jsonl"]).out;
            assert_eq!(rows(&sample), rows(&copy), "{sample} {kind}");
            let sql = "select m.raw, f.code, f.severity, f.certainty from findings f join frames m on m.id = f.message_id \
                       where f.code not like 'CAP%' and f.certainty = 'violation' order by f.id";
            let found = |path: &str| run(&["query", path, sql, "--format", "jsonl"]).out;
            assert_eq!(found(&sample), found(&copy), "{sample} {kind}");
        }
    }
}

#[test]
fn at_most_so_many_findings_are_printed_and_all_are_counted() {
    let said = run(&["check", "samples/mcp/bad.jsonl", "--format", "jsonl", "--max-findings", "2"]);
    let lines: Vec<&str> = said.out.lines().collect();
    assert_eq!(lines.len(), 3);
    let summary: serde_json::Value = serde_json::from_str(lines[2]).expect("JSON");
    let all = summary["counts"]["findings"].as_u64().expect("a count");
    assert_eq!(summary["not_shown"].as_u64(), Some(all - 2));
    assert_eq!(said.code, 1);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    use std::process::Stdio;
    let mut child = program()
        .args(["explain", "all"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn manual_pages_and_completions_name_every_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().display().to_string();
    assert_eq!(run(&["man", "-o", &path]).code, 0);
    let help = run(&["--help"]).out;
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let commands = commands.filter(|line| !line.trim_start().starts_with("help "));
    for command in commands.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next()) {
        let page = std::fs::read_to_string(folder.path().join(format!("rpctape-{command}.1"))).expect(command);
        for section in ["EXIT STATUS", "FILES", "ENVIRONMENT", "EXAMPLES"] {
            assert!(page.contains(section), "{command}: {section}");
        }
        assert!(run(&["completions", "bash"]).out.contains(command), "{command}");
    }
}

#[test]
fn completions_know_rules_formats_and_protocols() {
    for shell in ["bash", "zsh", "fish"] {
        let script = run(&["completions", shell]).out;
        for name in ["CAN010", "response-after-cancel", "jsonl-wrapped", "mcp/2025-11-25"] {
            assert!(script.contains(name), "{shell}: {name}");
        }
    }
    assert_eq!(run(&["check", "samples/mcp/good.jsonl", "--proto", "mcp/2025-11-25"]).code, 0);
    assert_eq!(run(&["rules", "--clauses", "--profile", "mcp/2025-11-25"]).code, 0);
}

#[test]
#[cfg(unix)]
fn an_interrupt_ends_with_its_own_code_and_leaves_nothing() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let folder = tempfile::tempdir().expect("a folder");
    let check = ["check"].as_slice();
    let facts = ["facts", "--as", "jsonl", "-o", "made/for/facts"].as_slice();
    for (signal, code, args) in [("INT", 130, check), ("TERM", 143, check), ("HUP", 129, check), ("INT", 130, facts)] {
        // Standard input stays open: the program waits for more of the log when the signal comes.
        let mut child = program()
            .args(args)
            .args(["-"])
            .current_dir(folder.path())
            .env("TMPDIR", folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        // The handlers stand before the arguments are read; what is written by `Cli::parse` comes after.
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(&vec![b'\n'; 1 << 20]).expect("it reads, so it listens");
        let kill = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status().expect("kill");
        assert!(kill.success());
        // A read that no signal wakes is left after a moment.
        assert_eq!(common::ended(&mut child).and_then(|status| status.code()), Some(code), "{signal}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 0);
}

/// A follower of a log, and what it prints, line by line.
struct Tail {
    child: std::process::Child,
    lines: std::sync::mpsc::Receiver<String>,
}

impl Tail {
    fn start(args: &[&str]) -> Tail {
        use std::io::BufRead;
        let mut child = program()
            .args(args)
            .current_dir(top())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("the program starts");
        let out = std::io::BufReader::new(child.stdout.take().expect("a pipe"));
        let (send, lines) = std::sync::mpsc::channel();
        std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        Tail { child, lines }
    }

    fn line(&self) -> String {
        self.lines.recv_timeout(std::time::Duration::from_secs(180)).expect("a line in time")
    }
}

impl Drop for Tail {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn append(path: &std::path::Path, text: &str) {
    use std::io::Write;
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).expect("opened");
    file.write_all(text.as_bytes()).expect("written");
}

/// A log that grows, is renamed and begins anew, and is cut: every finding once, with its line in the file as it is.
#[test]
fn tail_follows_growth_rotation_and_truncation() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("a.jsonl");
    let bad = std::fs::read_to_string(top().join("samples/mcp/bad.jsonl")).expect("a sample");
    let lines: Vec<String> = bad.lines().map(|line| format!("{line}\n")).collect();
    std::fs::write(&log, lines[..9].concat()).expect("written");
    let tail = Tail::start(&["tail", log.to_str().expect("UTF-8")]);
    // The first half of a line is no line.
    append(&log, &lines[9..13].concat());
    append(&log, &lines[13][..20]);
    append(&log, &lines[13][20..]);
    let mut seen = tail.line();
    while !seen.contains("CAN010") {
        seen = tail.line();
    }
    assert!(seen.contains("line 14") && seen.contains("warning"), "{seen}");
    std::fs::rename(&log, folder.path().join("a.1.jsonl")).expect("renamed");
    append(&log, &lines[14..28].concat());
    while !seen.contains("CAN006") {
        seen = tail.line();
    }
    assert!(seen.contains("line 10 "), "{seen}");
    std::fs::write(&log, lines[28..30].concat()).expect("cut");
    while !seen.contains("CAN001") {
        seen = tail.line();
    }
    assert!(seen.contains("line 2 "), "{seen}");
}

#[test]
fn tail_ends_at_a_finding_and_with_a_recording() {
    let said = run(&["tail", "samples/mcp/bad.jsonl", "--until-finding", "--format", "jsonl"]);
    let lines: Vec<serde_json::Value> =
        said.out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!((said.code, lines.last().expect("a summary")["type"].as_str()), (1, Some("summary")), "{}", said.out);
    let findings: Vec<_> = lines.iter().filter(|line| line["type"] == "finding").collect();
    assert_eq!(findings.len(), 1, "{}", said.out);
    let dead = run(&["tail", "samples/incidents/b-server-dead.rec.jsonl"]);
    assert!(dead.code == 0 && dead.out.contains("STK001 never-answered"), "{}{}", dead.out, dead.err);
    let error = run(&["tail", "samples/incidents/b-server-dead.rec.jsonl", "--until-finding=error"]);
    assert_eq!(error.code, 1, "{}", error.out);
    let clean = run(&["tail", "samples/formats/rec/demo.rec.jsonl", "--until-finding"]);
    assert!(clean.code == 0 && clean.out.is_empty() && clean.err.contains("the log has ended"), "{}", clean.err);
    for refused in ["-", "samples/mcp", "samples/formats/har/1.har", "no-such-file"] {
        let said = run(&["tail", refused]);
        assert_eq!(said.code, 2, "{refused}: {}{}", said.out, said.err);
    }
}

/// A log that is quiet: what waits for an answer is stuck by the clock of whoever watches.
#[test]
fn tail_says_once_that_a_request_is_stuck() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("a.jsonl");
    let good = std::fs::read_to_string(top().join("samples/mcp/good.jsonl")).expect("a sample");
    let head: Vec<&str> = good.lines().take(4).collect();
    std::fs::write(&log, head.join("\n") + "\n").expect("written");
    let tail = Tail::start(&["tail", log.to_str().expect("UTF-8"), "--stuck-after", "300ms"]);
    let line = tail.line();
    assert!(line.contains("stuck") && line.contains("#1 tools/list") && line.contains("line 4"), "{line}");
    assert!(tail.lines.recv_timeout(std::time::Duration::from_millis(600)).is_err());
}

#[test]
fn help_of_a_command_is_its_help() {
    let (long, short) = (run(&["help", "check"]), run(&["check", "--help"]));
    assert!(long.code == 0 && long.out == short.out && long.out.contains("--fail-on"), "{}", long.err);
}

/// A log of these messages: when (in ms), who sent it, what.
fn tap(folder: &std::path::Path, name: &str, messages: &[(u32, &str, &str)]) -> String {
    let line = |(at, dir, msg): &(u32, &str, &str)| {
        let at = format!("2026-05-04T08:00:{:02}.{:03}Z", at / 1000, at % 1000);
        format!("{{\"ts\":\"{at}\",\"dir\":\"{dir}\",\"msg\":{{\"jsonrpc\":\"2.0\",{msg}}}}}\n")
    };
    let path = folder.join(name);
    std::fs::write(&path, messages.iter().map(line).collect::<String>()).expect("a log");
    path.display().to_string()
}

/// At the client both answers may have crossed their cancels. The server's log tells which one did.
#[test]
fn two_taps_decide_what_one_cannot() {
    let hello = r#""id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}"#;
    let answer = r#""id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#;
    let done = r#""method":"notifications/initialized""#;
    let call = [1, 2].map(|id| format!(r#""id":{id},"method":"tools/call","params":{{"name":"a"}}"#));
    let cancel = [1, 2].map(|id| format!(r#""method":"notifications/cancelled","params":{{"requestId":{id}}}"#));
    let result = [1, 2].map(|id| format!(r#""id":{id},"result":{{"content":[]}}"#));
    let (call, cancel, result) =
        (call.each_ref().map(|s| &**s), cancel.each_ref().map(|s| &**s), result.each_ref().map(|s| &**s));
    let folder = tempfile::tempdir().expect("a folder");
    let client = tap(
        folder.path(),
        "client.jsonl",
        &[
            (0, "c2s", hello),
            (50, "s2c", answer),
            (51, "c2s", done),
            (100, "c2s", call[0]),
            (500, "c2s", cancel[0]),
            (530, "s2c", result[0]),
            (1000, "c2s", call[1]),
            (1500, "c2s", cancel[1]),
            (1600, "s2c", result[1]),
        ],
    );
    let server = tap(
        folder.path(),
        "server.jsonl",
        &[
            (7025, "c2s", hello),
            (7026, "s2c", answer),
            (7076, "c2s", done),
            (7125, "c2s", call[0]),
            (7505, "s2c", result[0]),
            (7525, "c2s", cancel[0]),
            (8025, "c2s", call[1]),
            (8525, "c2s", cancel[1]),
            (8575, "s2c", result[1]),
        ],
    );
    let late = |args: &[&str]| -> Vec<(String, u64)> {
        let said = run(args);
        let findings = said.out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
        let late = findings.filter(|finding| finding["code"] == "CAN010");
        late.map(|one| (one["certainty"].to_string(), one["line"].as_u64().expect("a line"))).collect()
    };
    let race = |line| ("\"race\"".to_string(), line);
    assert_eq!(late(&["check", &client, "--vantage", "client", "--format", "jsonl"]), [race(6), race(9)]);
    let merged = ["check", "--merge", &client, &server, "--format", "jsonl"];
    assert_eq!(late(&merged), [("\"violation\"".to_string(), 9)]);
    let said = run(&["check", "--merge", &client, &server]);
    assert!(said.err.contains("in both logs: 9 messages; only in"), "{}", said.err);
    let said = run(&["check", "--merge", &client, "samples/jsonrpc/one.jsonl"]);
    assert!(said.code == 2 && said.err.contains("no message in common"), "{} {}", said.code, said.err);
    assert_eq!(run(&["check", "--merge", &client]).code, 2);
}

/// Of each connection it is said whether both logs have it, only one, or nobody can tell.
#[test]
fn two_logs_of_several_connections_say_how_they_met() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = |name: &str, late: u32, sessions: &[(&str, &str)]| {
        let line = |at: u32, session: &str, dir: &str, msg: &str| {
            let at = format!("2026-05-04T08:00:{:02}.{:03}Z", at / 1000, at % 1000);
            format!(
                "{{\"ts\":\"{at}\",\"session\":\"{session}\",\"dir\":\"{dir}\",\"msg\":{{\"jsonrpc\":\"2.0\",{msg}}}}}\n"
            )
        };
        let both = |(nth, (session, tool)): (usize, &(&str, &str))| {
            let at = late + 100 * nth as u32;
            let call = format!(r#""id":1,"method":"tools/call","params":{{"name":"{tool}"}}"#);
            line(at, session, "c2s", &call) + &line(at + 50, session, "s2c", r#""id":1,"result":{"content":[]}"#)
        };
        common::file(folder.path(), name, sessions.iter().enumerate().map(both).collect::<String>())
    };
    let client = log("client.jsonl", 0, &[("a", "find"), ("b", "same"), ("c", "same"), ("d", "mine")]);
    let server = log("server.jsonl", 20, &[("7", "theirs"), ("8", "same"), ("9", "find")]);
    let said = run(&["check", "--merge", &client, &server, "--proto", "mcp 2025-11-25"]);
    let lines: Vec<String> =
        said.err.lines().map(|line| line.replace(&format!("{}/", folder.path().display()), "")).collect();
    let expected = [
        "in both logs: 1 connection; only in client.jsonl: 1; only in server.jsonl: 1",
        "not merged: 2 connections of client.jsonl; what they carry does not tell which of the other log's they are (b, c)",
        "not merged: 1 connection of server.jsonl; what they carry does not tell which of the other log's they are (8)",
        "in both logs: 2 messages; only in client.jsonl: 0; only in server.jsonl: 0",
    ];
    assert_eq!(lines, expected, "{}", said.out);
    let json = run(&["check", "--merge", &client, &server, "--format", "json"]).out;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let merged = &json["summary"]["merged"];
    assert_eq!((&merged["connections"], &merged["client"]["in_doubt"]), (&1.into(), &serde_json::json!(["b", "c"])));
    assert_eq!(json["summary"]["connections"], 6);
}

/// Whether this command reads it or not: nobody gets it back.
#[test]
fn no_answer_is_written_over_the_configuration() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = file(folder.path(), "a.jsonl", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
    std::fs::create_dir(folder.path().join("logs")).expect("a folder");
    for name in ["rpctape.toml", ".rpctape.toml"] {
        let settings = file(folder.path(), name, "[check]\n");
        for from in ["", "logs"] {
            let mut command = common::rpctape();
            command.current_dir(folder.path().join(from)).args(["query", &log, "select 1", "-o", &settings]);
            let said = command.output().expect("it runs");
            let text = String::from_utf8_lossy(&said.stderr);
            assert!(said.status.code() == Some(2) && text.contains("is the configuration"), "{name}: {text}");
            assert_eq!(std::fs::read_to_string(&settings).expect("the file"), "[check]\n");
        }
        std::fs::remove_file(&settings).expect("removed");
    }
}

#[test]
fn a_database_without_secrets_has_none_in_the_names_of_its_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let secret = concat!("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
    let ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    let log = file(folder.path(), &format!("run-{secret}.jsonl"), ping);
    let db = folder.path().join("a.db").display().to_string();
    let ingest = || run(&["ingest", &log, "--db", &db, "--redact", "default"]);
    assert_eq!(ingest().code, 0);
    assert!(ingest().out.contains("nothing added"), "the same log has the same name");
    std::fs::write(&log, ping.to_string() + &ping.replace('1', "2")).expect("a file");
    let grown = ingest();
    assert!(grown.out.contains("read on from where it ended"), "{}{}", grown.out, grown.err);
    let bytes = std::fs::read(&db).expect("a database");
    assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "the name holds the secret");
    let names = run(&["query", &db, "select source from messages", "--format", "jsonl"]);
    assert!(names.out.contains("<<secret:") && names.out.lines().count() == 2, "{}{}", names.out, names.err);
}

/// What two logs show together, in a finding and as a tree; and what is wrong with how hops are named is said.
#[test]
fn requests_are_followed_from_hop_to_hop() {
    let hops = ["--hop", "client=samples/hops/client.jsonl", "--hop", "server=samples/hops/server.jsonl"];
    let said = run(&[&["check", "--format", "concise"], &hops[..]].concat());
    let codes: Vec<&str> =
        ["cancel-not-forwarded", "cancelled-but-ran"].into_iter().filter(|code| said.out.contains(code)).collect();
    assert_eq!((said.code, codes), (0, vec!["cancel-not-forwarded", "cancelled-but-ran"]), "{}", said.out);
    assert!(said.err.contains("followed from client to server: 8 of 8 requests"), "{}", said.err);
    // Clocks of hops need not agree: how long after its request an answer came is told by its own log alone.
    let full = run(&[&["check", "--width", "100"], &hops[..]].concat());
    let of_server = |line: &&str| line.contains("(server.jsonl)") && line.contains("s>c");
    let answers: Vec<&str> = full.out.lines().filter(of_server).collect();
    assert!(!answers.is_empty() && answers.iter().all(|line| line.ends_with("(request)")), "{answers:#?}");
    for file in ["client", "server"] {
        let alone = run(&["check", &format!("samples/hops/{file}.jsonl"), "--format", "jsonl"]);
        assert!(!alone.out.contains("\"code\""), "alone, the log of the {file} shows nothing: {}", alone.out);
    }
    let why = run(&[&["why", "--width", "80"], &hops[..]].concat());
    let tree: Vec<&str> = why.out.lines().skip_while(|line| *line != " HOPS").skip(1).take(2).collect();
    assert_eq!(
        tree,
        [
            "   #6    tools/call docs__search  client  09:46:46  cancelled after 2.00 s",
            "     #46 tools/call search        server  09:46:46  result after 12.4 s",
        ]
    );
    for (args, error) in [
        (&["check", "--hop", "client=samples/hops/client.jsonl"][..], "--hop names one hop"),
        (&["check", "--hop", "samples/hops/client.jsonl"], "write NAME=LOG"),
        (
            &["check", "--hop", "a=A.jsonl", "--hop", "b=B.jsonl", "samples/mcp/bad.jsonl"],
            "samples/mcp/bad.jsonl is the log of no hop",
        ),
        (&["check", "--hop", "a=A.jsonl", "--hop", "b=B.jsonl", "--db", "x.db"], "cannot be used with"),
    ] {
        let said = run(args);
        assert!(said.code == 2 && said.err.contains(error), "{args:?}: {}", said.err);
    }
}

#[test]
fn the_debug_adapter_protocol_is_read_where_it_is_asked_for_and_not_spoken() {
    let log = "tests/dap/bad.log";
    let refused = run(&["check", log]);
    assert!(refused.code == 2 && refused.err.contains("--format-in dap"), "{}", refused.err);
    let bad = run(&["check", log, "--format-in", "dap", "--format", "jsonl"]);
    let found: Vec<(String, u64)> = bad
        .out
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|line| line["type"] == "finding" && line["code"] != "CAP002")
        .map(|line| (line["code"].as_str().unwrap_or_default().to_string(), line["line"].as_u64().unwrap_or(0)))
        .collect();
    let want = [
        ("LIF003", 2),
        ("LIF002", 3),
        ("RPC008", 7),
        ("CAN016", 9),
        ("CAN004", 11),
        ("PRG008", 15),
        ("PRG008", 16),
        ("PRG003", 17),
        ("RPC009", 18),
    ];
    let mut sorted: Vec<(&str, u64)> = found.iter().map(|(code, line)| (code.as_str(), *line)).collect();
    sorted.sort_by_key(|(_, line)| *line);
    assert_eq!(sorted, want, "{}", bad.out);
    for good in ["good", "two-sessions", "delve", "lldb-dap", "codelldb", "vimspector", "content-length"] {
        let path = format!("tests/dap/{good}.log");
        let said = run(&["check", &path, "--format-in", "dap", "--fail-on", "warning"]);
        assert_eq!(said.code, 0, "{}", said.out);
    }
    let cancels = "SELECT mechanism, effect FROM cancellations ORDER BY message_id";
    let told = run(&["query", "tests/dap/good.log", cancels, "--format-in", "dap", "--format", "csv"]);
    for effect in ["cancel,acknowledged", "cancel,moot"] {
        assert!(told.out.contains(effect), "{}", told.out);
    }
    for args in [
        vec!["mock", "tests/dap/good.log", "--format-in", "dap", "--listen", "127.0.0.1:0"],
        vec!["record", "--proto", "dap", "-o", "never.jsonl", "--", "true"],
        vec!["conform", "--proto", "dap", "--", "true"],
    ] {
        let said = run(&args);
        assert!(said.code == 2 && said.err.contains("not spoken"), "{args:?}: {}", said.err);
    }
}
