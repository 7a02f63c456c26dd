//! What a team agrees on: the configuration, suppressions, the baseline; and what leaves the house: extract and scrub.

use crate::common::{file, rpctape, run, top};
use serde_json::Value;

const BAD: &str = "samples/mcp/bad.jsonl";

fn summary(out: &str) -> Value {
    serde_json::from_str(out.lines().last().expect("a line")).expect("JSON")
}

#[test]
fn a_configuration_is_found_above_and_a_flag_goes_before_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let below = folder.path().join("deep/down");
    std::fs::create_dir_all(&below).expect("folders");
    file(folder.path(), "rpctape.toml", "[audit]\nfail-on = \"none\"\nselect = [\"CAN\"]\n");
    let log = top().join(BAD).display().to_string();
    let code = |args: &[&str]| {
        let output = rpctape().current_dir(&below).args(args).output().expect("it starts");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (exit, out) = code(&["check", &log, "--format", "jsonl"]);
    assert_eq!(exit, Some(0));
    assert!(summary(&out)["by_rule"].as_object().expect("rules").keys().all(|code| code.starts_with("CAN")));
    assert_eq!(summary(&out)["fail_on"], "none");
    assert_eq!(code(&["check", &log, "--fail-on", "error"]).0, Some(1));
    assert_eq!(code(&["check", &log, "--config", "no-such.toml"]).0, Some(2));
}

#[test]
fn an_unknown_key_is_named_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = file(folder.path(), "own.toml", "[audit]\n\nfail-onn = \"error\"\n");
    let said = run(&["check", BAD, "--config", &config]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("own.toml:3") && said.err.contains("did you mean fail-on?"), "{}", said.err);
}

#[test]
fn what_is_suppressed_is_counted_until_its_day() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = run(&["check", BAD, "--format", "jsonl"]);
    let before = summary(&rules.out);
    let entry = |until: &str| {
        let codes = before["by_rule"].as_object().expect("rules").keys();
        let entries =
            codes.map(|code| format!("[[suppress]]\nrule = \"{code}\"\nreason = \"known\"\nuntil = {until}\n"));
        entries.collect::<String>()
    };
    let valid = file(folder.path(), "valid.toml", entry("9999-12-31"));
    let said = run(&["check", BAD, "--config", &valid, "--format", "jsonl"]);
    assert_eq!(said.code, 0, "{}", said.out);
    assert_eq!(summary(&said.out)["suppressed"], before["counts"]["findings"]);
    let shown = run(&["check", BAD, "--config", &valid, "--format", "jsonl", "--show-suppressed"]);
    let first: Value = serde_json::from_str(shown.out.lines().next().expect("a finding")).expect("JSON");
    assert_eq!((first["suppressed"]["by"].as_str(), shown.code), (Some("suppress"), 0));
    let over = file(folder.path(), "over.toml", entry("2020-01-01"));
    let said = run(&["check", BAD, "--config", &over, "--format", "jsonl"]);
    assert_eq!((said.code, summary(&said.out)["suppressed"].as_u64()), (1, Some(0)));
    assert!(said.err.contains("ended on 2020-01-01"), "{}", said.err);
}

#[test]
fn a_baseline_silences_what_is_known_and_only_that() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("known.jsonl").display().to_string();
    let said = run(&["baseline", BAD, "-o", &path]);
    assert_eq!((said.code, said.out.as_str()), (0, ""), "{}", said.err);
    let text = std::fs::read_to_string(&path).expect("the baseline");
    let mut sorted: Vec<&str> = text.lines().collect();
    sorted.sort_by_key(|line| serde_json::from_str::<Value>(line).expect("JSON")["rule"].to_string());
    assert_eq!(sorted, text.lines().collect::<Vec<_>>());
    let same = run(&["check", BAD, "--baseline", &path, "--strict-baseline", "--format", "jsonl"]);
    assert_eq!((same.code, summary(&same.out)["counts"]["findings"].as_u64()), (0, Some(0)), "{}", same.err);
    // The same traffic as another file: nothing new.
    let copy = file(folder.path(), "copy.jsonl", std::fs::read(top().join(BAD)).expect("the sample"));
    assert_eq!(run(&["check", &copy, "--baseline", &path, "--strict-baseline"]).code, 0);
    // One entry less: that finding is new. Another log: everything is stale.
    let fewer: String = text.lines().skip(1).map(|line| format!("{line}\n")).collect();
    let fewer = file(folder.path(), "fewer.jsonl", fewer);
    assert_ne!(summary(&run(&["check", BAD, "--baseline", &fewer, "--format", "jsonl"]).out)["counts"]["findings"], 0);
    let good = "samples/mcp/good.jsonl";
    let stale = run(&["check", good, "--baseline", &path, "--format", "jsonl"]);
    assert_eq!(stale.code, 0);
    assert!(stale.err.contains("stale in the baseline"), "{}", stale.err);
    assert!(summary(&stale.out)["stale"].as_u64() > Some(0));
    assert_eq!(run(&["check", good, "--baseline", &path, "--strict-baseline"]).code, 1);
    let broken = file(folder.path(), "broken.jsonl", "{}\n");
    assert_eq!(run(&["check", BAD, "--baseline", &broken]).code, 2);
    assert_eq!(run(&["baseline", BAD, "-o", &broken]).code, 2);
}

#[test]
fn init_writes_and_never_overwrites() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rpctape.toml").display().to_string();
    assert_eq!(run(&["init", &path]).code, 0);
    let said = run(&["init", &path]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("exists already"), "{}", said.err);
    assert_eq!(run(&["init", "/dev/null"]).code, 2, "nothing would be there");
    assert_eq!(run(&["check", BAD, "--config", &path]).out, run(&["check", BAD]).out);
}

/// A log with secrets in a handshake, an argument, an answer and a URL.
fn secrets() -> String {
    let lines = [
        (
            "c2s",
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
        ),
        (
            "s2c",
            r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#,
        ),
        ("c2s", r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
        (
            "c2s",
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"other","arguments":{"q":"plain"}}}"#,
        ),
        ("s2c", r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#),
        (
            "c2s",
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"login","arguments":{"password":"hunter2hunter2","url":"https://me:hunter2hunter2@x.org"}}}"#,
        ),
        (
            "s2c",
            r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"access_token\":\"ghp_abcdefghijklmnopqrst0123\"}"}]}}"#,
        ),
        (
            "c2s",
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"Bearer abcdef0123456"}}"#,
        ),
    ];
    let mut log = String::new();
    for (second, (dir, raw)) in lines.iter().enumerate() {
        let raw = serde_json::to_string(raw).expect("a string");
        log.push_str(&format!("{{\"ts\":\"2026-04-12T06:11:{:02}Z\",\"dir\":\"{dir}\",\"raw\":{raw}}}\n", second * 4));
    }
    log
}

const SECRETS: [&str; 3] = ["hunter2hunter2", "ghp_abcdefghijklmnopqrst0123", "abcdef0123456"];

#[test]
fn scrubbed_is_the_same_log_without_its_secrets() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = file(folder.path(), "log.jsonl", secrets());
    let out = folder.path().join("out.jsonl").display().to_string();
    let rec = folder.path().join("log.rec.jsonl").display().to_string();
    assert_eq!(run(&["export", &log, "--as", "rec", "-o", &rec]).code, 0);
    let sql = "select sender, kind, method, rpc_id from messages order by id";
    for input in [&log, &rec] {
        let said = run(&["scrub", input, "-o", &out]);
        assert_eq!(said.code, 0, "{}", said.err);
        assert!(said.err.contains("read it before you share it"), "{}", said.err);
        let text = std::fs::read_to_string(&out).expect("the copy");
        assert!(SECRETS.iter().all(|secret| !text.contains(secret)), "{text}");
        assert_eq!(text.matches("<<secret:password#1>>").count(), 2, "{text}");
        let rows = |path: &str| run(&["query", path, sql, "--format", "jsonl"]).out;
        assert_eq!(rows(input), rows(&out));
        assert_eq!(run(&["scrub", input, "-o", input]).code, 2);
    }
    let prose = file(folder.path(), "prose.txt", "no JSON\n");
    assert_eq!(run(&["scrub", &prose, "-o", &out]).code, 2);
}

#[test]
fn an_extract_is_small_redacted_and_shows_the_same_fault() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = file(folder.path(), "log.jsonl", secrets());
    let out = folder.path().join("bug.rec.jsonl").display().to_string();
    let said = run(&["extract", &log, "#2", "-o", &out]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.err.contains("6 of 8 messages") && said.err.contains("left out: 2"), "{}", said.err);
    let text = std::fs::read_to_string(&out).expect("the recording");
    assert!(SECRETS.iter().all(|secret| !text.contains(secret)), "{text}");
    let found = run(&["check", &out, "--format", "concise"]).out;
    assert!(found.contains("cancel-of-completed"), "{found}");
    let open = run(&["extract", &log, "#2", "--redact", "off"]);
    assert!(SECRETS.iter().all(|secret| open.out.contains(secret)), "{}", open.out);
    for (sample, request, rule) in [
        ("06-result-after-cancel", "#4", "response-after-cancel"),
        ("12-never-answered", "#4", "never-answered"),
        ("14-lsp-cancel-never-answered", "", "cancelled-never-answered"),
    ] {
        let sample = format!("samples/faults/{sample}.jsonl");
        let sql =
            "select e.rpc_id from findings f join exchanges e on e.id = f.exchange_id where f.code not like 'CAP%'";
        let row = run(&["query", &sample, sql, "--format", "jsonl"]).out;
        let id =
            serde_json::from_str::<Value>(row.lines().next().expect("a finding")).expect("JSON")["rpc_id"].to_string();
        let id = id.trim_matches('"').to_string();
        let request =
            if request.is_empty() || !request.ends_with(&id) { format!("#{id}") } else { request.to_string() };
        let said = run(&["extract", &sample, &request, "-o", &out]);
        assert_eq!(said.code, 0, "{sample}: {}", said.err);
        assert!(run(&["check", &out, "--format", "concise"]).out.contains(rule), "{sample}");
    }
}

#[test]
fn screens_hide_secrets_unless_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = file(folder.path(), "log.jsonl", secrets());
    let wide = vec!["check", &log, "--width", "200"];
    for args in [wide, vec!["show", &log], vec!["show", &log, "--raw"], vec!["show", &log, "#2"]] {
        let said = run(&args);
        assert!(SECRETS.iter().all(|secret| !said.out.contains(secret)), "{args:?}: {}", said.out);
        // A line of `show` is cut before it comes to any of them.
        let hidden = said.out.contains("<<secret:password#1>>") || said.out.contains("<<secret:authz#1>>");
        assert!(hidden || args[0] == "show" && !args.contains(&"--raw"), "{args:?}: {}", said.out);
    }
    let said = run(&["show", &log, "--raw", "--redact", "off"]);
    assert!(SECRETS.iter().all(|secret| said.out.contains(secret)), "{}", said.out);
}

#[test]
fn what_is_redacted_at_ingest_is_never_stored() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = file(folder.path(), "log.jsonl", secrets());
    let db = folder.path().join("kept.db");
    let place = db.display().to_string();
    let said = run(&["ingest", &log, "--db", &place, "--redact", "default"]);
    assert!(said.code == 0 && said.out.contains("replaced "), "{}{}", said.out, said.err);
    let stored = String::from_utf8_lossy(&std::fs::read(&db).expect("a database")).into_owned();
    assert!(stored.contains("<<secret:"), "a placeholder");
    assert!(SECRETS.iter().all(|secret| !stored.contains(secret)), "a secret is in the database");
    // The same traffic: what is paired and judged does not change, but for the note that secrets are there.
    let findings = |args: &[&str]| -> Vec<String> {
        let said = run(&[args, &["--format", "concise"]].concat());
        let codes = said.out.lines().filter(|line| line.contains('[') && !line.contains("possible-secret"));
        codes.map(|line| line.split('[').nth(1).unwrap_or_default().to_string()).collect()
    };
    assert_eq!(findings(&["check", &place]), findings(&["check", &log]));
    // A second log with another secret of the same kind gets another number.
    let other = r#"{"ts":"2026-04-12T06:12:00Z","dir":"c2s","msg":{"jsonrpc":"2.0","id":9,"method":"login","params":{"password":"another one"}}}"#;
    let more = file(folder.path(), "more.jsonl", format!("{other}\n"));
    assert_eq!(run(&["ingest", &more, "--db", &place, "--redact", "default"]).code, 0);
    let rows = run(&["query", &place, "SELECT json FROM messages WHERE method = 'login'", "--format", "jsonl"]);
    assert!(rows.out.contains("<<secret:password#2>>"), "{}", rows.out);
}

#[test]
fn sentences_and_reasons_hide_secrets_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines = [
        r#"{"ts":"2026-04-12T06:11:00Z","dir":"c2s","msg":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}}"#,
        r#"{"ts":"2026-04-12T06:11:01Z","dir":"s2c","msg":{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}}"#,
        r#"{"ts":"2026-04-12T06:11:02Z","dir":"c2s","msg":{"jsonrpc":"2.0","method":"notifications/initialized"}}"#,
        r#"{"ts":"2026-04-12T06:11:03Z","dir":"c2s","msg":{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x"}}}"#,
        r#"{"ts":"2026-04-12T06:11:04Z","dir":"c2s","msg":{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"AKIA1234567890ABCDEF"}}}"#,
        r#"{"ts":"2026-04-12T06:11:05Z","dir":"c2s","msg":{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"AKIA1234567890ABCDEF"}}}"#,
    ];
    // An id is left alone on the way of pairing; in a sentence about it, it is text like any other.
    let (reason, id) =
        (file(folder.path(), "a.jsonl", lines[..5].join("\n")), file(folder.path(), "b.jsonl", lines.join("\n")));
    for args in [["why", &reason, "--format", "json"], ["check", &id, "--format", "jsonl"]] {
        let said = run(&args);
        assert!(
            !said.out.contains("AKIA1234567890ABCDEF") && said.out.contains("<<secret:aws#1>>"),
            "{args:?}: {}",
            said.out
        );
        let plain = run(&[&args[..], &["--redact", "off"]].concat());
        assert!(plain.out.contains("AKIA1234567890ABCDEF"), "{args:?}: {}", plain.out);
    }
}
