//! Recordings made smaller, and of several one.

use serde_json::{Value, json};

use super::{one_cancel, says, server};
use crate::common::{rpctape, run};
use crate::replay::bench::{bench, example, of_target};
use crate::replay::notation::mcp;

const SESSION: &str = r#"
    H(2025-11-25)
     10 c> call(2,echo,{"x":1})
     12 s> text(2,"{\"x\":1}")
     20 c> call(3,slow,{})
    320 c> cancel(3)
    330 c> call(4,echo,{"x":2})
    332 s> text(4,"{\"x\":2}")
    500 s> text(3,"done")
    510 c> call(5,echo,{"x":3})
    512 s> text(5,"{\"x\":3}")
"#;

/// The methods and names of the requests of a recording, and whether it can be read without a complaint.
fn requests(file: &std::path::Path) -> Vec<String> {
    let sql = "select coalesce(name, method) from exchanges order by id";
    let said = run(&["query", "--format", "jsonl", &file.display().to_string(), sql]);
    assert_eq!(said.code, 0, "{}", said.err);
    let name = |line: &str| {
        let row: serde_json::Map<String, Value> = serde_json::from_str(line).expect("an object");
        row.values().next().and_then(Value::as_str).unwrap_or_default().to_string()
    };
    said.out.lines().map(name).collect()
}

#[test]
fn the_least_that_shows_a_finding() {
    let bench = bench(&mcp(SESSION), &Value::Null);
    let (whole, small) = (bench.folder().join("it.rec.jsonl"), bench.folder().join("it.min.rec.jsonl"));
    let said = run(&["minimise", &whole.display().to_string()]);
    assert!(said.code == 0 && said.err.contains("CAN010"), "{}{}", said.out, said.err);
    assert_eq!(requests(&small), ["initialize", "slow"]);
    let check = run(&["check", "--fail-on", "warning", &small.display().to_string()]);
    assert!(check.code == 1 && check.out.contains("response-after-cancel"), "{}", check.out);
    let none = run(&["minimise", &whole.display().to_string(), "--finding", "never-answered"]);
    assert!(none.code == 2 && none.err.contains("response-after-cancel"), "{}", none.err);
}

#[test]
fn the_least_that_a_server_fails() {
    let wrong = server(
        json!([{"on": "tools/call:echo", "when": {"/params/arguments/x": 2}, "do": [{"answer": says("wrong")}]}]),
    );
    let bench = bench(&mcp(SESSION), &wrong);
    let mut words = bench.arguments(&["-o", "small.rec.jsonl"]);
    words[0] = "minimise".to_string();
    let done = rpctape().current_dir(bench.folder()).args(&words).output().expect("the program starts");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.code() == Some(0) && said.contains("#4 changed"), "{said}");
    assert_eq!(requests(&bench.folder().join("small.rec.jsonl")), ["initialize", "echo"]);
}

#[test]
fn an_update_makes_green_only_what_it_took() {
    let hasty = server(json!([
        {"on": "tools/call:slow", "do": [{"answer": says("done")}]},
        {"on": "tools/call:echo", "when": {"/params/arguments/x": 2}, "do": [{"answer": says("changed")}]},
    ]));
    // The cancel comes too late: whatever is accepted, nothing was learnt of it.
    let late: [(&[&str], i32); 2] = [(&["--update=changed"], 0), (&["--update=changed", "--strict"], 1)];
    // What is taken does not fail, and what fails is not taken.
    let refusing = server(json!([
        {"on": "tools/call:echo", "when": {"/params/arguments/x": 2}, "do": [{"answer": says("changed")}]},
        {"on": "tools/call:echo", "when": {"/params/arguments/x": 3}, "do": [{"error": {"code": -32603, "message": "no"}}]},
    ]));
    let other: [(&[&str], i32); 1] = [(&["--update=changed", "--fail-on=-changed"], 1)];
    for (server, (flags, exit)) in late.map(|run| (&hasty, run)).into_iter().chain(other.map(|run| (&refusing, run))) {
        let bench = bench(&mcp(SESSION), server);
        let done =
            rpctape().current_dir(bench.folder()).args(bench.arguments(flags)).output().expect("the program starts");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(said.contains("accepted #4"), "{said}");
        assert_eq!(done.status.code(), Some(exit), "{flags:?}: {said}{}", String::from_utf8_lossy(&done.stdout));
    }
}

/// An export names its session in the header only, and a replay calls it by its file.
#[test]
fn a_replay_of_an_export_can_be_accepted() {
    let changed = server(
        json!([{"on": "tools/call:echo", "when": {"/params/arguments/x": 2}, "do": [{"answer": says("changed")}]}]),
    );
    let bench = bench(&mcp(SESSION), &changed);
    let path = |name: &str| bench.folder().join(name).display().to_string();
    let traffic: String =
        mcp(SESSION).rec().lines().filter(|line| line.contains("\"msg\"")).map(|l| format!("{l}\n")).collect();
    std::fs::write(path("log.jsonl"), traffic).expect("a log");
    assert_eq!(run(&["export", &path("log.jsonl"), "--as", "rec", "-o", &path("ex.rec.jsonl")]).code, 0);
    for file in ["ex.rec.jsonl", "log.jsonl"] {
        let mut words = bench.arguments(&["--keep", "ex.run.jsonl"]);
        words[1] = file.to_string();
        let done = rpctape().current_dir(bench.folder()).args(&words).output().expect("the program starts");
        let out = String::from_utf8_lossy(&done.stdout);
        let proposed = out.contains("rpctape accept ex.run.jsonl --recording ex.rec.jsonl");
        assert_eq!(proposed, file == "ex.rec.jsonl", "{out}{}", String::from_utf8_lossy(&done.stderr));
        // From another folder, too, and what was exported of the log that was replayed.
        let taken = path("taken.rec.jsonl");
        let accept = [
            "accept",
            "--exchange",
            "changed",
            &path("ex.run.jsonl"),
            "--recording",
            &path("ex.rec.jsonl"),
            "-o",
            &taken,
        ];
        let output = rpctape().env_remove("CI").args(accept).output().expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(0) && said.contains("accepted #4"), "{file}: {said}");
    }
    let other = ["accept", "--all", "--reason", "x", &path("ex.run.jsonl"), "--recording", &path("it.rec.jsonl")];
    let output = rpctape().env_remove("CI").args(other).output().expect("the program starts");
    assert!(String::from_utf8_lossy(&output.stderr).contains("it names another session"));
}

#[test]
fn several_recordings_are_one() {
    let bench = bench(&mcp(SESSION), &Value::Null);
    let one = bench.folder().join("it.rec.jsonl").display().to_string();
    let both = bench.folder().join("both.rec.jsonl");
    let said = run(&["merge", &one, &one, "-o", &both.display().to_string()]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(requests(&both).len(), 10);
    let program = env!("CARGO_BIN_EXE_rpctape").to_string();
    let target = ["--", &program, "mock", "it.rec.jsonl"].iter().map(ToString::to_string).collect();
    let text = std::fs::read(&both).expect("the recording");
    let run = of_target("it.rec.jsonl", &text, target).run();
    assert!(run.exchanges().count() == 10 && run.exchanges().all(|line| line["verdict"] == "same"), "{}", run.all());
}

#[test]
fn a_redirect_is_not_followed_and_ends_the_run() {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let answer = "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n";
    // It is left behind where nobody comes.
    std::thread::spawn(move || {
        let Ok((mut client, _)) = listener.accept() else { return };
        let _ = client.read(&mut [0; 4096]);
        let _ = client.write_all(answer.as_bytes());
    });
    let target = vec!["--url".to_string(), format!("http://127.0.0.1:{port}/mcp")];
    let said = of_target("it.rec.jsonl", mcp(SESSION).rec().as_bytes(), target).screen();
    assert!(said.code == 2 && said.err.contains("307") && said.err.contains("redirect"), "{}{}", said.out, said.err);
}

/// A recording with one array of two answers, in a session of this name.
fn batch(session: &str, replay_of: &str, answers: [&str; 2]) -> String {
    let of = if replay_of.is_empty() { Value::Null } else { json!(replay_of) };
    let mut header = json!({"rec": 1, "session": session, "part": 1, "t0": "2026-11-21T06:00:00Z", "proto": "mcp",
        "transport": "stdio", "frame": "nl"});
    if !of.is_null() {
        header["replay_of"] = of;
    }
    let call = |id: u8| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "echo"}});
    let answer = |id: u8, text: &str| json!({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": text}]}});
    let hello = json!({"protocolVersion": "2025-03-26", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}});
    let messages = [
        (
            "c",
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-03-26",
            "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}}),
        ),
        ("s", json!({"jsonrpc": "2.0", "id": 1, "result": hello})),
        ("c", json!({"jsonrpc": "2.0", "method": "notifications/initialized"})),
        ("c", json!([call(2), call(3)])),
        ("s", json!([answer(2, answers[0]), answer(3, answers[1])])),
    ];
    let line = |(at, (side, message)): (usize, &(&str, Value))| {
        let text = message.to_string();
        json!({"q": at + 1, "t": at * 1000, "k": "msg", "c": 1, "d": side, "n": text.len(), "b": text}).to_string()
            + "\n"
    };
    header.to_string() + "\n" + &messages.iter().enumerate().map(line).collect::<String>()
}

#[test]
fn one_answer_of_an_array_is_taken_and_the_others_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("it.run.jsonl"), batch("live", "recorded", ["new two", "new three"])).expect("a file");
    for (what, texts) in
        [("2", ["new two", "old three"]), ("3", ["old two", "new three"]), ("2,3", ["new two", "new three"])]
    {
        std::fs::write(path("it.rec.jsonl"), batch("recorded", "", ["old two", "old three"])).expect("a file");
        let args = ["accept", &path("it.run.jsonl"), "--exchange", what];
        let output = rpctape().env_remove("CI").args(args).output().expect("the program starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let taken = std::fs::read_to_string(path("it.rec.jsonl")).expect("the recording");
        let line = taken.lines().nth(5).and_then(|line| serde_json::from_str::<Value>(line).ok()).expect("the line");
        let body: Value = serde_json::from_str(line["b"].as_str().unwrap_or("")).expect("an array");
        let text = |at: usize| body[at]["result"]["content"][0]["text"].as_str().unwrap_or("");
        assert_eq!([text(0), text(1)], texts, "{what}: {taken}");
        assert_eq!(line["n"], line["b"].as_str().map_or(0, str::len));
    }
}

/// What a recorder wrote has a chain of hashes, which is not that of what was taken into it.
#[test]
fn what_was_taken_into_a_recording_is_not_said_to_be_damaged() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("it.run.jsonl"), batch("live", "recorded", ["new", "b"])).expect("a file");
    let sealed = batch("recorded", "", ["old", "b"]).replace("}\n", &format!(",\"hash\":\"{}\"}}\n", "0".repeat(64)));
    std::fs::write(path("it.rec.jsonl"), sealed).expect("a file");
    let args = ["accept", &path("it.run.jsonl"), "--exchange", "2"];
    assert!(rpctape().env_remove("CI").args(args).output().expect("it starts").status.success());
    let verified = run(&["verify", &path("it.rec.jsonl")]);
    assert!(verified.code == 2 && verified.err.contains("has no hash chain"), "{}{}", verified.out, verified.err);
}

/// A server that is `second` when it is started for the second time, and `first` otherwise.
#[cfg(unix)]
fn alternating(first: &Value, second: &Value) -> Vec<String> {
    let server = example("fixture-stdio").display().to_string();
    let script = "n=$(cat starts 2>/dev/null || echo 0); echo $((n + 1)) > starts; [ $n = 1 ] && exec \"$0\" \"$2\"; exec \"$0\" \"$1\"";
    ["--", "sh", "-c", script, &server, &first.to_string(), &second.to_string()].map(str::to_string).to_vec()
}

#[cfg(unix)]
#[test]
fn the_session_that_is_kept_is_that_of_the_run_that_is_told() {
    let wrong = server(json!([{"on": "tools/call:echo", "do": [{"answer": says("wrong")}]}]));
    let target = alternating(&json!({}), &wrong);
    let session = mcp("H(2025-11-25)\n20 c> call(2,echo,{\"x\":1})\n22 s> text(2,\"{\\\"x\\\":1}\")");
    let bench = of_target("it.rec.jsonl", session.rec().as_bytes(), target).flags("--repeat 3 --allow-repeat");
    let said = bench.screen();
    assert!(said.code == 1 && said.out.contains("this is run 2 of 3"), "{}{}", said.out, said.err);
    let kept = std::fs::read_to_string(bench.folder().join("it.run.jsonl")).expect("it is kept");
    assert!(kept.contains("wrong"), "{kept}");
    let accept = ["accept", "it.run.jsonl", "--exchange", "changed", "-o", "new.rec.jsonl"];
    let taken = rpctape().env_remove("CI").current_dir(bench.folder()).args(accept).output().expect("it starts");
    assert!(String::from_utf8_lossy(&taken.stderr).contains("accepted #2"), "{taken:?}");
}

#[cfg(unix)]
#[test]
fn the_session_of_a_cancel_that_was_tried_again_is_kept_beside() {
    // Too quick for the recorded cancel; the second time it answers a cancel that it has heard.
    let quick = server(json!([{"on": "tools/call:slow", "do": [{"wait": 100}, {"answer": says("done")}]}]));
    let late = server(json!([{"on": "tools/call:slow", "do": [{"wait": 600_000}],
        "cancel": [{"after": "ping"}, {"wait": 100}, {"answer": says("late")}]}]));
    let target = alternating(&quick, &late);
    let again = "--allow-repeat --cancel-retry 1";
    let bench = of_target("it.rec.jsonl", one_cancel().rec().as_bytes(), target).flags(again);
    let said = bench.screen();
    assert!(said.code == 1 && said.out.contains("which is kept in it.cancel-1.run.jsonl"), "{}{}", said.out, said.err);
    assert!(said.out.contains("rpctape why it.cancel-1.run.jsonl"), "{}", said.out);
    let check =
        run(&["check", "--fail-on", "warning", &bench.folder().join("it.cancel-1.run.jsonl").display().to_string()]);
    assert!(check.code == 1 && check.out.contains("response-after-cancel"), "{}", check.out);
    // Of a sweep, what fails is kept.
    let swept = of_target("it.rec.jsonl", one_cancel().rec().as_bytes(), alternating(&late, &quick))
        .flags("--allow-repeat --cancel-sweep 50ms,200ms");
    let said = swept.screen();
    assert!(said.code == 1 && said.out.contains("NEXT  rpctape why it.cancel-1.run.jsonl"), "{}{}", said.out, said.err);
    assert!(swept.folder().join("it.cancel-1.run.jsonl").is_file());
    assert!(!swept.folder().join("it.cancel-2.run.jsonl").exists());
}

#[test]
fn the_least_and_the_whole_of_several_come_without_secrets() {
    let key = "sk-live-abcdefghijklmnop1234567890";
    let session = SESSION
        .replace(r#"call(2,echo,{"x":1})"#, &format!(r#"call(2,echo,{{"key":"{key}"}})"#))
        .replace("text(3,\"done\")", &format!("text(3,\"{key}\")"));
    let bench = bench(&mcp(&session), &Value::Null);
    let path = |name: &str| bench.folder().join(name).display().to_string();
    let one = path("it.rec.jsonl");
    assert!(std::fs::read_to_string(&one).expect("it").contains(key));
    for (args, out) in [
        (vec!["minimise", &one], path("it.min.rec.jsonl")),
        (vec!["merge", &one, &one, "-o", &path("both.rec.jsonl")], path("both.rec.jsonl")),
    ] {
        let said = run(&args);
        assert!(said.code == 0 && said.err.contains("replaced "), "{}", said.err);
        assert!(!std::fs::read_to_string(&out).expect("it").contains(key), "{args:?}");
        let kept = run(&[&args[..], &["--redact", "off"]].concat());
        assert!(kept.code == 0 && !kept.err.contains("replaced "), "{}", kept.err);
        assert!(std::fs::read_to_string(&out).expect("it").contains(key), "{args:?}");
    }
    let copy = run(&["export", &one, "--as", "rec", "-o", &path("copy.rec.jsonl")]);
    assert!(copy.code == 0 && copy.err.contains("rpctape scrub"), "{}", copy.err);
}
