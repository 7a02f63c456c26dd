//! Whatever log the program can read can be replayed; what must not be sent is not sent.

use serde_json::{Value, json};

use super::{near, one_cancel, says, server, side_by_side};
use crate::common::{run, top};
use crate::replay::bench::{bench, of_capture};
use crate::replay::notation::{mcp, session};

/// A trace of an editor: no milliseconds, no raw messages, but all that was said.
const TRACE: &str = r#"[Trace - 4:21:27 PM] Sending request 'initialize - (0)'.
Params: {
    "processId": 7,
    "rootUri": "file:///w",
    "capabilities": {}
}

[Trace - 4:21:27 PM] Received response 'initialize - (0)' in 73ms.
Result: {
    "capabilities": {
        "hoverProvider": true
    }
}

[Trace - 4:21:27 PM] Sending notification 'initialized'.
Params: {}

[Trace - 4:21:27 PM] Sending request 'textDocument/hover - (1)'.
Params: {
    "textDocument": {
        "uri": "file:///w/a.rs"
    },
    "position": {
        "line": 0,
        "character": 3
    }
}

[Trace - 4:21:28 PM] Received response 'textDocument/hover - (1)' in 9ms.
Result: {
    "contents": "fn a()"
}

[Trace - 4:21:28 PM] Sending request 'shutdown - (2)'.
[Trace - 4:21:28 PM] Received response 'shutdown - (2)' in 1ms.
No result returned.

[Trace - 4:21:28 PM] Sending notification 'exit'.
No parameters provided.

"#;

#[test]
fn logs_of_other_programs() {
    let answering = |hover: &str| {
        json!({"framing": "content-length", "handlers": [
            {"on": "initialize", "do": [{"answer": {"capabilities": {"hoverProvider": true}}}]},
            {"on": "textDocument/hover", "do": [{"answer": {"contents": hover}}]},
            {"on": "shutdown", "do": [{"answer": null}]},
            {"on": "exit", "do": [{"exit": 0}]}]})
    };
    side_by_side(&[
        ("a client's log of MCP", &|| {
            let log = std::fs::read(top().join("samples/formats/claude-desktop-mcp-log/mcp.log")).expect("the sample");
            let info = json!({"name": "demo-server", "version": "1"});
            let answer = json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info});
            let searching = server(json!([{"on": "initialize", "do": [{"answer": answer}]},
                {"on": "tools/call:search", "do": [{"wait": 20_000}, {"answer": says("tea")}]}]));
            let run = of_capture("mcp.log", &log, &searching).run();
            run.verdicts(&["#0 same", "#1 same", "#2 same"]).ended("pass", 0).cancels(1, 1, 0, 0);
            near(&run.exchange("#1")["cancel"]["at_us"], 1700);
        }),
        ("an editor's trace", &|| {
            let run = of_capture("trace.log", TRACE.as_bytes(), &answering("fn a()")).run();
            run.verdicts(&["#0 same", "#1 same", "#2 same"]).ended("pass", 0);
            assert_eq!(run.heard("textDocument/hover")[0].1["params"]["position"]["character"], 3);
        }),
        ("an editor's trace, another answer", &|| {
            let run = of_capture("trace.log", TRACE.as_bytes(), &answering("fn b()")).run();
            run.verdicts(&["#0 same", "#1 changed", "#2 same"]).ended("fail", 1);
        }),
    ]);
}

#[test]
fn a_call_without_a_hint_is_never_sent_unasked() {
    let tools = |hints: &str| {
        mcp(&r#"
            H(2025-11-25)
            10 c> {"id":2,"method":"tools/list","params":{}}
            12 s> {"id":2,"result":{"tools":[{"name":"drop","inputSchema":{"type":"object"}HINTS}]}}
            20 c> call(3,drop,{})
            22 s> text(3,"dropped")
        "#
        .replace("HINTS", hints))
    };
    let listed = |hints: &str| -> Value {
        let tool = format!(r#"{{"name":"drop","inputSchema":{{"type":"object"}}{hints}}}"#);
        let tools: Value = serde_json::from_str(&tool).expect("JSON");
        server(json!([{"on": "tools/list", "do": [{"answer": {"tools": [tools]}}]},
            {"on": "tools/call:drop", "do": [{"answer": says("dropped")}]}]))
    };
    let read_only = r#","annotations":{"readOnlyHint":true}"#;
    let play = |recorded: &str, live: &str, flags: &str| bench(&tools(recorded), &listed(live)).only_flags(flags).run();
    let unlisted = "H(2025-11-25)\n10 c> call(3,drop,{})\n12 s> text(3,\"dropped\")\n";
    let with_a_ping = format!("{unlisted}20 c> {{\"id\":4,\"method\":\"ping\"}}\n21 s> {{\"id\":4,\"result\":{{}}}}");
    side_by_side(&[
        ("no hint", &|| {
            for hints in ["", r#","annotations":{"readOnlyHint":false}"#, r#","annotations":{"readOnlyHint":"true"}"#] {
                let run = play(hints, hints, "");
                run.verdicts(&["#3 not-sent"]);
                assert!(run.heard("tools/call").is_empty(), "{hints}: {}", run.all());
            }
        }),
        ("no list", &|| {
            let run = bench(&mcp(&with_a_ping), &listed("")).only_flags("").run();
            run.verdicts(&["#3 not-sent", "#4 same"]);
            assert!(run.heard("tools/call").is_empty(), "{}", run.all());
        }),
        ("nothing else to send", &|| {
            let bench = bench(&mcp(unlisted), &listed("")).only_flags("");
            let said = bench.screen();
            assert!(said.code == 2 && said.err.contains("nothing was checked"), "{}{}", said.out, said.err);
            assert!(!bench.folder().join("server.log").exists(), "no process is started for it");
        }),
        ("hints that say so", &|| {
            play(read_only, read_only, "").verdicts(&["#3 same"]).ended("pass", 0);
        }),
        ("allowed by name", &|| {
            play("", "", "--allow tools/call:drop").verdicts(&["#3 same"]).ended("pass", 0);
            play("", "", "--allow tools/call:dr").verdicts(&["#3 not-sent"]);
        }),
    ]);
}

#[test]
fn ids_pass_as_they_are() {
    let odd = mcp(r#"
        H(2025-11-25)
        10 c> {"id":12345678901234567890123,"method":"tools/call","params":{"arguments":{"x":1},"name":"echo","name2":"\u00e9"}}
        12 s> text(12345678901234567890123,"{\"x\":1}")
        20 c> {"id":"3","method":"ping"}
        22 s> {"id":"3","result":{}}
        30 c> {"id":3,"method":"ping"}
        32 s> {"id":3,"result":{}}
    "#);
    let run = bench(&odd, &Value::Null).run();
    run.verdicts(&["#12345678901234567890123 same", "#\"3\" same", "#3 same"]).ended("pass", 0);
    let sent = r#"{"jsonrpc":"2.0","id":12345678901234567890123,"method":"tools/call","params":{"arguments":{"x":1},"name":"echo","name2":"\u00e9"}}"#;
    assert!(run.received().contains(&sent), "byte for byte: {}", run.all());
}

#[test]
fn a_secret_is_sent_and_never_shown() {
    let recorded = mcp(r#"
        H(2025-11-25)
        10 c> {"id":2,"method":"tools/call","params":{"name":"login","arguments":{"token":"<<secret:token#1>>"}}}
        12 s> text(2,"welcome")
        20 c> {"id":3,"method":"ping"}
        22 s> {"id":3,"result":{}}
    "#);
    let secret = "hunter2-of-the-live-side";
    let telling = server(json!([
        {"on": "tools/call:login", "do": [{"stderr": format!("got {secret}")}, {"error": {"code": -32000, "message": format!("{secret} is no token")}}]},
        {"on": "ping", "do": [{"answer": {}}, {"exit": 3}]}]));
    let folder = tempfile::tempdir().expect("a folder");
    let (script, token) = (folder.path().join("script.json"), folder.path().join("token"));
    std::fs::write(&script, telling.to_string()).expect("written");
    std::fs::write(&token, secret).expect("written");
    let script = Value::String(script.display().to_string());

    let run = bench(&recorded, &script).run();
    run.verdicts(&["#2 not-sent"]);
    assert!(
        run.heard("login").is_empty() && run.exchange("#2")["detail"].to_string().contains("token#1"),
        "{}",
        run.all()
    );

    let flags = format!("--secret token#1=file:{} --report md=it.md --report junit=it.xml", token.display());
    let run = bench(&recorded, &script).flags(&flags).run();
    run.verdicts(&["#2 error-changed"]);
    assert_eq!(run.heard("login")[0].1["params"]["arguments"]["token"], secret);
    let files = ["it.md", "it.xml", "it.run.jsonl"].map(|name| std::fs::read_to_string(run.folder.path().join(name)));
    for text in files.iter().map(|text| text.as_ref().expect("written")).chain([&run.said.out, &run.said.err]) {
        assert!(!text.contains(secret), "{text}");
    }
}

#[test]
fn a_recording_of_a_handshake_is_one_of_something() {
    let run = bench(&mcp("H(2025-11-25)"), &Value::Null).run();
    run.verdicts(&["#1 same"]).ended("pass", 0);
    // Where a part is asked for, or policy keeps back all the rest, the handshake says nothing about it.
    let call = "H(2025-11-25)\n10 c> call(3,drop,{})\n12 s> text(3,\"dropped\")\n";
    let refused = bench(&mcp(call), &Value::Null).only_flags("").screen();
    assert_eq!(refused.code, 2, "{}", refused.out);
    assert!(refused.err.contains("but for the handshake no request would be sent"), "{}", refused.err);
    assert_eq!(bench(&mcp("H(2025-11-25)"), &Value::Null).flags("--only #1").screen().code, 2);
}

#[test]
fn a_recording_that_cannot_be_played_has_its_reports() {
    let flags = "--report junit=x.xml --report md=x.md --report jsonl=x.jsonl --report html=x.html";
    let plain = session("jsonrpc", "0 c> {\"id\":1,\"method\":\"a\"}\n2 s> {\"id\":1,\"result\":1}");
    let bench = bench(&plain, &Value::Null).only_flags(flags);
    let said = bench.screen();
    assert!(said.code == 2 && said.out.is_empty(), "{}{}", said.out, said.err);
    for (name, what) in [("x.xml", "<error"), ("x.md", "nothing was checked"), ("x.html", "nothing was checked")] {
        let text = std::fs::read_to_string(bench.folder().join(name)).expect("it was written");
        assert!(text.contains(what), "{name}: {text}");
    }
    let lines = std::fs::read_to_string(bench.folder().join("x.jsonl")).expect("it was written");
    let last: Value = serde_json::from_str(lines.lines().last().expect("a line")).expect("JSON");
    assert_eq!((&last["error"], &last["exit"]), (&json!(1), &json!(2)));
}

#[test]
fn the_folder_of_a_report_is_made() {
    let folder = tempfile::tempdir().expect("a folder");
    let recording = folder.path().join("it.rec.jsonl").display().to_string();
    std::fs::write(&recording, one_cancel().rec()).expect("written");
    let (report, blocked) = (folder.path().join("a/b/x.xml"), folder.path().join("it.rec.jsonl/x.xml"));
    let play = |report: &std::path::Path| {
        let report = format!("junit={}", report.display());
        run(&["replay", &recording, "--no-keep", "--only", "nothing", "--report", &report, "--", "cat"])
    };
    assert_eq!(play(&report).code, 2);
    assert!(std::fs::read_to_string(&report).expect("a report").contains("<error"));
    let said = play(&blocked);
    assert!(said.code == 2 && said.err.contains("cannot make"), "{}", said.err);
}

/// What a client sends, and nothing of what it was answered.
const SENT: &str = r#"2026-03-01T10:00:00.000Z --> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}
2026-03-01T10:00:00.006Z --> {"jsonrpc":"2.0","method":"notifications/initialized"}
2026-03-01T10:00:00.020Z --> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"x":1}}}
"#;

#[test]
fn a_log_without_answers_checks_nothing() {
    // One that is gone before the run has left it is `server-exit`.
    let gone = server(json!([{"on": "initialize", "do": [{"exit": 1}]}]));
    for (server, codes) in [(Value::Null, 2..3), (gone, 1..3)] {
        let run = of_capture("client.log", SENT.as_bytes(), &server).run();
        assert!(codes.contains(&run.said.code), "{}", run.all());
        assert!(run.exchanges().all(|line| line["verdict"] != "same" && line["verdict"] != "fixed"), "{}", run.all());
    }
}
