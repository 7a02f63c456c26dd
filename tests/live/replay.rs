//! What stands around a replay: what is asked before anything starts, what becomes of the live session, signals, and runs beside the
//! main one. The verdicts themselves are in `replay_scenarios.rs`.

pub mod bench;
mod gate;
pub mod notation;
mod suite;

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::{file, program, run};
use bench::bench;
use notation::{Session, mcp};
use serde_json::{Value, json};

/// One call is cancelled, another one follows.
fn one_cancel() -> Session {
    mcp(r#"
        H(2025-11-25)
         20 c> call(2,slow,{})
        320 c> cancel(2)
        330 c> call(3,echo,{"x":1})
        332 s> text(3,"{\"x\":1}")
    "#)
}

fn one_call() -> Session {
    mcp(r#"
        H(2025-11-25)
        20 c> call(2,echo,{"x":1})
        22 s> text(2,"{\"x\":1}")
    "#)
}

const QUICK: &str = "--allow tools/call:* --linger 300ms --stuck-min 60s";

#[test]
fn the_live_session_is_a_recording_like_any_other() {
    let bench = bench(&one_call(), &Value::Null);
    let run_of = bench.flags("--db all.db").run();
    run_of.ended("pass", 0);
    let kept = run_of.folder.path().join("it.run.jsonl");
    let listed = run(&["ls", kept.to_str().expect("UTF-8")]);
    assert!(listed.code == 0 && listed.out.contains("mcp 2025-11-25"), "{}", listed.out);
    assert_eq!(run(&["check", kept.to_str().expect("UTF-8")]).code, 0);
    let head = std::fs::read_to_string(&kept).expect("it was kept");
    let head: Value = serde_json::from_str(head.lines().next().expect("a header")).expect("JSON");
    assert_eq!((&head["vantage"], &head["replay_of"]), (&json!("client"), &json!("5ce0")));
    let database = run_of.folder.path().join("all.db").display().to_string();
    let asked =
        run(&["query", "--format", "jsonl", &database, "SELECT replay_of, requests FROM connections ORDER BY id"]);
    let rows: Vec<Value> = asked.out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert_eq!(rows, [json!({"replay_of": null, "requests": 2}), json!({"replay_of": "5ce0", "requests": 2})]);
}

#[test]
fn secrets_are_replaced_in_what_is_kept_and_compared_as_they_are() {
    let secret = "sk-live-0123456789abcdef0123456789abcdef";
    let session = mcp(&format!(
        r#"
        H(2025-11-25)
        20 c> call(2,echo,{{"api_key":"{secret}"}})
        22 s> text(2,"{{\"api_key\":\"{secret}\"}}")
    "#
    ));
    let run_of = bench(&session, &Value::Null).run();
    run_of.verdicts(&["#2 same"]).ended("pass", 0);
    assert!(run_of.heard("tools/call")[0].1.to_string().contains(secret), "the server must get it");
    let kept = std::fs::read_to_string(run_of.folder.path().join("it.run.jsonl")).expect("it was kept");
    assert!(!kept.contains(secret) && kept.contains("<<secret:"), "{kept}");
    assert!(!run_of.said.out.contains(secret));
}

#[test]
fn a_secret_that_is_not_given_is_not_sent_and_asked_for() {
    let session = mcp(r#"
        H(2025-11-25)
        20 c> call(2,echo,{"key":"<<secret:token#1>>"})
        22 s> text(2,"{\"key\":\"<<secret:token#1>>\"}")
        30 c> call(3,echo,{"x":1})
        32 s> text(3,"{\"x\":1}")
    "#);
    let run_of = bench(&session, &Value::Null).run();
    run_of.verdicts(&["#2 not-sent", "#3 same"]);
    assert!(run_of.said.err.contains("--secret token#1=env:VARIABLE"), "{}", run_of.said.err);
    assert_eq!(run_of.heard("tools/call").len(), 1, "{}", run_of.all());
    let bench = bench(&session, &Value::Null).file("key", "s3cret-value\n");
    let place = bench.folder().join("key").display().to_string();
    let given = bench.flags(&format!("--secret token#1=file:{place}")).run();
    given.verdicts(&["#2 same", "#3 same"]).ended("pass", 0);
    assert_eq!(given.heard("\"id\":2")[0].1["params"]["arguments"]["key"], "s3cret-value");
}

#[test]
fn without_a_server_nothing_starts_and_the_recorded_one_is_proposed() {
    let folder = tempfile::tempdir().expect("a folder");
    let session = one_call().with("cmd", json!(["node", "build/index.js"]));
    let recording = file(folder.path(), "it.rec.jsonl", session.rec());
    let said = run(&["replay", &recording]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    assert!(said.err.contains("-- node build/index.js"), "{}", said.err);
    let said = run(&["replay", &recording, "--allow", "tools/call:*", "--strict", "--from", "#2"]);
    let proposed = "it.rec.jsonl --allow 'tools/call:*' --from '#2' --strict -- node build/index.js";
    assert!(said.err.contains(proposed), "with the flags of the run: {}", said.err);
}

#[test]
fn what_is_proposed_names_the_connection_where_there_are_several() {
    let mut events: Vec<Value> = Vec::new();
    for line in one_call().rec().lines() {
        let event: Value = serde_json::from_str(line).expect("JSON");
        let connections = if event["c"].is_null() { 1..=1 } else { 1..=2 };
        for connection in connections {
            let mut event = event.clone();
            if !event["c"].is_null() {
                event["c"] = json!(connection);
            }
            if !events.is_empty() {
                event["q"] = json!(events.len());
            }
            events.push(event);
        }
    }
    let other = events.iter_mut().rfind(|event| event["d"] == "s").expect("the answer of the second connection");
    other["b"] = json!(other["b"].as_str().expect("text").replace("1}", "2}"));
    let text: String = events.iter().map(|event| format!("{event}\n")).collect();
    let bench = || bench::of_capture("it.rec.jsonl", text.as_bytes(), &Value::Null);
    let shown = bench().screen();
    let words: Vec<&str> = shown.out.split_whitespace().collect();
    let named = words.iter().position(|word| *word == "--connection").map(|at| &words[at + 1..at + 4]);
    let Some([key, "--from", "'#2'"]) = named else { panic!("{}", shown.out) };
    let again = bench().flags(&format!("--connection {key} --from #2")).run();
    again.verdicts(&["#2 changed"]).ended("fail", 1);
}

#[test]
fn what_cannot_be_done_is_an_error_before_anything_is_sent() {
    let folder = tempfile::tempdir().expect("a folder");
    let recording = file(folder.path(), "it.rec.jsonl", one_call().rec());
    let empty = file(folder.path(), "empty.jsonl", "not a log\n");
    let allow = ["--allow", "tools/call:*"];
    let cases: [(&[&str], &str); 9] = [
        (&["--url", "https://example.com/mcp"], "--remote"),
        (&["--connect", "udp:h:1"], "tcp:HOST:PORT"),
        (&["--", "no-such-program-anywhere"], "no such program"),
        (&["--only", "nothing", "--", "cat"], "nothing was checked"),
        (&["--speed", "quick", "--", "cat"], "recorded, fast, wall"),
        (&["--match", "/result/x=uid", "--", "cat"], "uuid"),
        (&["--secret", "authz=hunter2", "--", "cat"], "env:VARIABLE"),
        (&["--set", "/params/x=text", "--", "cat"], "quotation marks"),
        (&["--from", "#99", "--", "cat"], "#99"),
    ];
    for (args, word) in cases {
        let said = run(&[&["replay", &recording], &allow[..], args].concat());
        assert!(said.code == 2 && said.err.contains(word), "{args:?}: {} {}", said.code, said.err);
        assert!(said.out.is_empty() && !said.err.contains("hunter2"), "{args:?}: {}{}", said.out, said.err);
    }
    assert_eq!(run(&["replay", &empty, "--", "cat"]).code, 2);
}

#[test]
fn a_server_that_cannot_be_reached_leaves_what_was_kept_before() {
    let bench = bench(&one_call(), &Value::Null).file("it.run.jsonl", "the run of yesterday");
    let recording = bench.folder().join("it.rec.jsonl").display().to_string();
    let keep = bench.folder().join("it.run.jsonl").display().to_string();
    let said =
        run(&["replay", &recording, "--keep", &keep, "--allow", "tools/call:*", "--", "no-such-program-anywhere"]);
    assert_eq!(said.code, 2, "{}", said.err);
    assert_eq!(std::fs::read_to_string(&keep).expect("it is there"), "the run of yesterday");
    let left: Vec<_> = std::fs::read_dir(bench.folder()).expect("a folder").collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn a_recording_is_never_written_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let recording = file(folder.path(), "it.rec.jsonl", one_call().rec());
    let said = run(&["replay", &recording, "--keep", &recording, "--allow", "tools/call:*", "--", "cat"]);
    assert!(said.code == 2 && said.err.contains("would be overwritten"), "{}", said.err);
    assert_eq!(std::fs::read_to_string(&recording).expect("it is there"), one_call().rec());
}

/// True if a process with this id runs.
#[cfg(target_os = "linux")]
fn runs(pid: u64) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !state.is_empty() && !state.contains(") Z")
}

/// Waits until something is so, for three minutes at most.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "a bound on waiting for another process")]
fn in_time<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(180), "{what} did not come");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The same of a program that goes on meanwhile: what has ended does nothing more.
#[cfg(target_os = "linux")]
fn while_it_runs(child: &mut std::process::Child, what: &str, mut found: impl FnMut() -> bool) {
    in_time(what, || {
        let ended = child.try_wait().expect("it can be waited for");
        let found = found();
        assert!(found || ended.is_none(), "{what} did not come, and the program has ended: {ended:?}");
        found.then_some(())
    });
}

#[test]
#[cfg(target_os = "linux")]
fn the_first_interrupt_tells_what_is_known_and_leaves_no_server() {
    let bench = bench(&one_cancel(), &Value::Null).only_flags("--allow tools/call:* --linger 60s");
    let mut child = program()
        .current_dir(bench.folder())
        .args(bench.arguments(&["--format", "jsonl"]))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let log = bench.folder().join("server.log");
    let lines = || std::fs::read_to_string(&log).unwrap_or_default();
    while_it_runs(&mut child, "the call after the cancel", || lines().contains("echo"));
    let first: Value = serde_json::from_str(lines().lines().next().expect("a line")).expect("JSON");
    let server = first["pid"].as_u64().expect("the server's id");
    assert!(runs(server));
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    let status = in_time("the end of the program", || child.try_wait().expect("it can be waited for"));
    assert_eq!(status.code(), Some(130));
    let mut out = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().expect("a pipe"), &mut out).expect("UTF-8");
    let last: Value = serde_json::from_str(out.lines().last().expect("a report")).expect("JSON");
    // Nobody has watched for an answer after the cancel for long enough to say that none comes.
    assert_eq!((&last["same"], &last["unknown"]), (&json!(2), &json!(1)), "{out}");
    assert!(last["notes"].to_string().contains("interrupted"), "{out}");
    assert_eq!(last["exit"], 130, "{out}");
    assert!(!runs(server), "the server still runs");
    assert!(bench.folder().join("it.run.jsonl").exists());
}

#[test]
fn the_deadline_breaks_a_run_off() {
    let run_of =
        bench(&one_cancel(), &Value::Null).only_flags("--allow tools/call:* --linger 60s --deadline 1500ms").run();
    run_of.ended("fail", 1);
    assert!(run_of.summary()["notes"].to_string().contains("deadline"), "{}", run_of.all());
}

#[test]
fn the_configuration_allows_and_carries_values() {
    let session = mcp(r#"
        H(2025-11-25)
        20 c> call(2,create,{})
        22 s> {"id":2,"result":{"content":[],"structuredContent":{"order":"A-17"}}}
        30 c> call(3,get,{"order":"A-17"})
        32 s> text(3,"found")
    "#);
    let script = json!({"handlers": [
        {"on": "tools/call:create", "do": [{"answer": {"content": [], "structuredContent": {"order": "B-99"}}}]},
        {"on": "tools/call:get", "when": {"/params/arguments/order": "B-99"},
            "do": [{"answer": {"content": [{"type": "text", "text": "found"}]}}]},
    ]});
    let rules = "[replay]\nspeed = \"fast\"\nallow = [\"tools/call:*\"]\n";
    let flow = "from = \"create /result/structuredContent/order\"\nto = \"get /params/arguments/order\"\n";
    for word in ["flow", "capture"] {
        let config = format!("{rules}[[replay.{word}]]\n{flow}");
        let run_of = bench(&session, &script).only_flags("--config rpctape.toml").file("rpctape.toml", &config).run();
        run_of.verdicts(&["#2 same", "#3 same"]).ended("pass", 0);
    }
    let run_of = bench(&session, &script).only_flags("--config rpctape.toml").file("rpctape.toml", rules).run();
    run_of.verdicts(&["#2 changed"]).ended("fail", 1);
    // A file that nobody named does not widen what is sent.
    let said = bench(&session, &script).only_flags("").file("rpctape.toml", rules).screen();
    assert_eq!(said.code, 2, "{}", said.err);
    assert!(said.err.contains("allow is not used") && said.err.contains("--config rpctape.toml"), "{}", said.err);
}

#[test]
fn a_dry_run_can_be_copied_from_and_starts_nothing() {
    let bench = bench(&one_cancel(), &Value::Null).only_flags("--dry-run");
    let said = bench.screen();
    assert_eq!(said.code, 0);
    assert!(said.out.contains("--allow 'tools/call:slow'") && said.out.contains("not sent: policy"), "{}", said.out);
    assert!(!bench.folder().join("server.log").exists() && !bench.folder().join("it.run.jsonl").exists());
    let explained = bench.only_flags("--explain-schedule --allow tools/call:*").screen();
    assert!(explained.out.contains("300 ms after the request #2"), "{}", explained.out);
}

#[test]
fn a_control_run_tells_how_long_a_request_takes_by_itself() {
    let control = bench(&one_cancel(), &Value::Null).only_flags(&format!("{QUICK} --control --allow-repeat")).run();
    control.verdicts(&["#2 same"]).ended("pass", 0);
    let notes = control.summary()["notes"].to_string();
    assert!(notes.contains("control: #2 takes"), "{notes}");
    // 1.5 times the 800 ms that it takes, and not the 300 ms that were asked for.
    assert!(control.exchange("#2")["cancel"]["horizon_us"].as_i64() >= Some(1_100_000), "{}", control.all());
    let refused = bench(&one_cancel(), &Value::Null).only_flags(&format!("{QUICK} --control")).run();
    assert!(refused.summary()["notes"].to_string().contains("not known to bear a second time"), "{}", refused.all());
    assert_eq!(refused.heard("\"slow\"").len(), 1, "{}", refused.all());
}

#[test]
fn a_sweep_shows_what_comes_of_each_delay() {
    let flags = format!("{QUICK} --allow-repeat --cancel-sweep 0,100ms,200%");
    let sweep = bench(&one_cancel(), &Value::Null).only_flags(&flags).run();
    let rows: Vec<_> = sweep.lines.iter().filter(|line| line["type"] == "sweep").collect();
    let told: Vec<_> = rows.iter().map(|row| (row["cancel"].as_str(), row["verdict"].as_str())).collect();
    assert_eq!(told, [(Some("landed"), Some("same")), (Some("landed"), Some("same")), (Some("raced"), Some("raced"))]);
    assert!(rows[2]["delay_us"].as_i64() >= Some(1_500_000), "{}", sweep.all());
    assert_eq!(sweep.said.code, 0);
    let refused = bench(&one_cancel(), &Value::Null).only_flags(&format!("{QUICK} --cancel-sweep 0")).screen();
    assert!(refused.code == 2 && refused.err.contains("--allow-repeat"), "{}", refused.err);
}

#[test]
fn a_cancel_that_came_too_late_is_tried_again_sooner() {
    let quick = json!({"handlers": [{"on": "tools/call:slow", "do": [{"wait": 200}, {"answer": {"content": []}}]}]});
    let flags = format!("{QUICK} --allow-repeat --cancel-retry 3");
    let run_of = bench(&one_cancel(), &quick).only_flags(&flags).run();
    run_of.verdicts(&["#2 same"]).ended("pass", 0).cancels(1, 1, 0, 0);
    assert!(run_of.exchange("#2")["notes"].to_string().contains("150 ms"), "{}", run_of.all());
}

#[test]
fn repeated_runs_are_counted() {
    let run_of = bench(&one_call(), &Value::Null).flags("--repeat 3 --allow-repeat").run();
    run_of.ended("pass", 0);
    let counted = run_of.lines.iter().find(|line| line["type"] == "repeat" && line["label"] == "#2").expect("a count");
    assert_eq!(counted["verdicts"], json!({"same": 3}));
    assert_eq!(run_of.log.iter().filter(|line| line.get("pid").is_some()).count(), 3, "{}", run_of.all());
}

/// Two connections, the second of which was opened after the first call of the first.
fn two_connections() -> String {
    let event = |t: i64, c: i64, d: &str, b: &str| {
        json!({"q": t, "t": t * 1000, "k": "msg", "c": c, "d": d, "b": b}).to_string()
    };
    let call = |id: i64, x: i64| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "echo", "arguments": {"x": x}}})
            .to_string()
    };
    let text = |id: i64, x: i64| {
        json!({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": format!("{{\"x\":{x}}}")}]}})
            .to_string()
    };
    let mut lines = vec![
        json!({"rec": 1, "session": "two", "part": 1, "t0": "2026-11-21T06:24:01Z", "transport": "stdio"}).to_string(),
    ];
    for (t, c, x) in [(10, 1, 1), (30, 2, 2), (50, 1, 3), (70, 2, 4)] {
        if x < 3 {
            lines.push(json!({"q": t, "t": t * 1000, "k": "open", "c": c, "by": "c"}).to_string());
        }
        lines.push(event(t + 1, c, "c", &call(x, x)));
        lines.push(event(t + 5, c, "s", &text(x, x)));
    }
    lines.join("\n") + "\n"
}

#[test]
fn each_connection_is_played_to_a_server_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let recording = file(folder.path(), "two.rec.jsonl", two_connections());
    let log = folder.path().join("server.log").display().to_string();
    let server = bench::example("fixture-stdio").display().to_string();
    let args = |more: &[&str]| {
        let own = ["replay", &recording, "--allow", "tools/call:*", "--no-keep", "--proto", "mcp", "--format", "jsonl"];
        run(&[&own[..], more, &["--", &server, "--log", &log]].concat())
    };
    let said = args(&[]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    let lines: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let same = lines.iter().filter(|line| line["type"] == "exchange" && line["verdict"] == "same");
    assert_eq!(same.map(|line| line["connection"].as_i64()).collect::<Vec<_>>(), [Some(1), Some(1), Some(2), Some(2)]);
    let log = std::fs::read_to_string(&log).expect("a log");
    assert_eq!(log.lines().filter(|line| line.contains("\"pid\"")).count(), 2, "{log}");
    let one = args(&["--connection", "two/2"]);
    assert_eq!(one.out.lines().filter(|line| line.contains("\"type\":\"exchange\"")).count(), 2, "{}", one.out);
    assert!(args(&["--connection", "two/3"]).err.contains("two/"));
}

#[test]
fn a_server_out_of_a_client_s_configuration() {
    let bench = bench(&one_call(), &Value::Null);
    let (log, server) = (bench.folder().join("server.log"), bench::example("fixture-stdio"));
    let config = json!({"mcpServers": {"mine": {"command": server, "args": ["--log", log]}}});
    let config = file(bench.folder(), "mcp.json", config.to_string());
    let recording = bench.folder().join("it.rec.jsonl").display().to_string();
    let said =
        run(&["replay", &recording, "--config", &config, "--server", "mine", "--allow", "tools/call:*", "--no-keep"]);
    assert!(said.code == 0 && Path::new(&log).exists(), "{}{}", said.out, said.err);
}
