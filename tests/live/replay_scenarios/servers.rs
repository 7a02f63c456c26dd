//! Servers that do what the recording does not know: answer twice, ask for files, leave processes behind.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;

use serde_json::{Value, json};

use super::{one_cancel, says, server, side_by_side};
use crate::replay::bench::{bench, of_target};
use crate::replay::notation::{Session, mcp, session};

fn ping() -> Session {
    mcp(r#"
        H(2025-11-25)
        10 c> {"id":2,"method":"ping"}
        12 s> {"id":2,"result":{}}
        20 c> call(3,echo,{"x":1})
        22 s> text(3,"{\"x\":1}")
    "#)
}

#[test]
fn answers_that_nobody_waits_for() {
    let twice = json!([{"answer": {}}, {"answer": {}}]);
    let stray = json!([{"notify": {"id": 77, "result": {}}}, {"answer": {}}]);
    side_by_side(&[
        ("twice", &|| {
            let run = bench(&ping(), &server(json!([{"on": "ping", "do": twice}]))).run();
            run.verdicts(&["#2 violates", "#3 same"]).ended("fail", 1);
            assert_eq!(run.exchange("#2")["rule"], "duplicate-response");
        }),
        ("to nothing", &|| {
            let run = bench(&ping(), &server(json!([{"on": "ping", "do": stray}]))).run();
            run.verdicts(&["#2 same", "#3 same"]).ended("fail", 1);
            assert!(run.exchanges().any(|line| line["rule"] == "response-to-unknown-id"), "{}", run.all());
        }),
    ]);
}

#[test]
fn progress_after_a_cancel() {
    let recorded = mcp(r#"
        H(2025-11-25)
         20 c> {"id":2,"method":"tools/call","params":{"name":"slow","arguments":{},"_meta":{"progressToken":"p"}}}
        120 s> prog("p",1)
        200 c> cancel(2)
        210 c> call(3,echo,{"x":1})
        212 s> text(3,"{\"x\":1}")
    "#);
    let progress = |n: u64| json!({"notify": {"method": "notifications/progress", "params": {"progressToken": "p", "progress": n}}});
    let slow = server(json!([{"on": "tools/call:slow", "do": [{"wait": 100}, {"progress": 1}, {"wait": 5000}],
        "cancel": [{"wait": 100}, progress(2), {"wait": 100}, progress(3)]}]));
    let run = bench(&recorded, &slow).run();
    assert_eq!(run.exchange("#2")["cancel"]["progress_after"], 2, "{}", run.all());
    run.verdicts(&["#3 same"]).cancels(1, 1, 0, 0);
}

#[test]
fn nothing_is_done_for_the_server() {
    let recorded = session(
        "acp",
        r#"
          0 c> {"id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true}}}
          5 s> {"id":1,"result":{"protocolVersion":1,"agentCapabilities":{}}}
         10 c> {"id":2,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}
         15 s> {"id":2,"result":{"sessionId":"sess-rec"}}
         20 c> {"id":3,"method":"session/prompt","params":{"sessionId":"sess-rec","prompt":[{"type":"text","text":"hi"}]}}
         30 s> {"id":"p1","method":"session/request_permission","params":{"sessionId":"sess-rec","toolCall":{"toolCallId":"t1"},"options":[{"optionId":"opt-1","name":"Allow","kind":"allow_once"},{"optionId":"opt-2","name":"Reject","kind":"reject_once"}]}}
         40 c> {"id":"p1","result":{"outcome":{"outcome":"selected","optionId":"opt-2"}}}
         60 s> {"id":3,"result":{"stopReason":"end_turn"}}
    "#,
    );
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("written");
    let ask = |id: u64, method: &str, params: Value| json!({"ask": {"request": {"id": id, "method": method, "params": params}}});
    let options = json!([{"optionId": "yes-9", "name": "Allow", "kind": "allow_once"}, {"optionId": "no-9", "name": "Reject", "kind": "reject_once"}]);
    let permission = json!({"sessionId": "sess-live", "toolCall": {"toolCallId": "t1"}, "options": options});
    let serving = server(json!([
        {"on": "initialize", "do": [{"answer": {"protocolVersion": 1, "agentCapabilities": {}}}]},
        {"on": "session/new", "do": [{"answer": {"sessionId": "sess-live"}}]},
        {"on": "session/prompt", "do": [
            ask(70, "session/request_permission", permission),
            ask(71, "fs/write_text_file", json!({"sessionId": "sess-live", "path": file, "content": "x"})),
            ask(72, "fs/read_text_file", json!({"sessionId": "sess-live", "path": "/etc/hostname"})),
            ask(73, "terminal/create", json!({"sessionId": "sess-live", "command": "touch", "args": [file]})),
            {"answer": {"stopReason": "end_turn"}}]}]));
    let run = bench(&recorded, &serving).run();
    run.verdicts(&["#1 same", "#2 same", "#3 same", "s71 extra", "s72 extra", "s73 extra"]).ended("fail", 1);
    assert!(!file.exists(), "{}", run.all());
    let chosen = &run.heard("\"id\":70")[0].1["result"]["outcome"];
    assert_eq!(*chosen, json!({"outcome": "selected", "optionId": "no-9"}), "the option of the same kind");
    for id in ["\"id\":71", "\"id\":72", "\"id\":73"] {
        assert!(run.heard(id)[0].1["error"].is_object(), "{}", run.all());
    }
}

#[test]
fn what_editors_are_asked() {
    let recorded = session(
        "lsp",
        r#"
          0 c> {"id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}
         10 s> {"id":1,"result":{"capabilities":{}}}
         12 c> {"method":"initialized","params":{}}
         20 c> {"id":2,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///a"},"position":{"line":0,"character":0}}}
         30 s> {"id":2,"result":null}
         40 c> {"id":3,"method":"shutdown"}
         45 s> {"id":3,"result":null}
         50 c> {"method":"exit"}
    "#,
    );
    let ask = |id: u64, method: &str, params: Value| json!({"ask": {"request": {"id": id, "method": method, "params": params}}});
    let serving = json!({"framing": "content-length", "handlers": [
        {"on": "initialize", "do": [{"answer": {"capabilities": {}}}]},
        {"on": "textDocument/hover", "do": [
            ask(80, "workspace/configuration", json!({"items": [{"section": "a"}, {"section": "b"}]})),
            ask(81, "client/registerCapability", json!({"registrations": []})),
            ask(82, "workspace/applyEdit", json!({"edit": {}})),
            {"answer": null}]},
        {"on": "shutdown", "do": [{"answer": null}]},
        {"on": "exit", "do": [{"exit": 0}]}]});
    let run = bench(&recorded, &serving).run();
    run.verdicts(&["#1 same", "#2 same", "#3 same", "s80 extra", "s81 extra", "s82 extra"]).ended("fail", 1);
    let answer = |id: &str| run.heard(id)[0].1["result"].clone();
    assert_eq!(answer("\"id\":80"), json!([null, null]));
    assert_eq!(answer("\"id\":81"), Value::Null);
    assert_eq!(answer("\"id\":82")["applied"], false);
}

#[test]
fn a_cancel_of_what_was_not_sent() {
    let run = bench(&one_cancel(), &Value::Null).flags("--skip #2").run();
    run.verdicts(&["#1 same", "#3 same"]);
    assert!(run.heard("notifications/cancelled").is_empty(), "{}", run.all());
    let run = bench(&one_cancel(), &Value::Null).only_flags("--allow tools/call:echo --linger 1s").run();
    run.verdicts(&["#1 same", "#2 not-sent", "#3 same"]).cancels(1, 0, 0, 1);
    assert!(run.heard("notifications/cancelled").is_empty(), "{}", run.all());
}

#[test]
fn servers_that_do_not_want_to_end() {
    side_by_side(&[
        ("deaf to the end of input", &|| {
            let run = bench(&ping(), &server(json!([{"on": "eof", "do": [{"wait": 60_000}]}]))).run();
            run.verdicts(&["#2 same", "#3 same"]).ended("pass", 0);
            assert!(run.summary()["server_end"].to_string().contains("TERM"), "{}", run.all());
            assert!(run.wall >= Duration::from_secs(9), "{:?}", run.wall);
        }),
        ("takes its time", &|| {
            let run = bench(&ping(), &server(json!([{"on": "eof", "do": [{"wait": 1500}, {"exit": 0}]}]))).run();
            run.verdicts(&["#2 same"]).ended("pass", 0);
            assert_eq!(run.summary()["server_end"], "the server exited with 0");
        }),
        ("exits with an error after the last answer", &|| {
            let run = bench(&ping(), &server(json!([{"on": "eof", "do": [{"exit": 7}]}]))).run();
            run.verdicts(&["#2 same", "#3 same"]);
            assert!(run.summary()["server_end"].to_string().contains('7'), "{}", run.all());
        }),
        ("closes its output and goes on", &|| {
            let target = ["--", "sh", "-c", "read line; exec >&-; exec sleep 60"].map(String::from).to_vec();
            let run = of_target("it.rec.jsonl", ping().rec().as_bytes(), target).run();
            run.verdicts(&["#1 server-exit", "#2 not-sent", "#3 not-sent"]).ended("fail", 1);
            assert_eq!(run.summary()["server_end"], "the server closed its side and went on, unasked; it took TERM");
        }),
        ("exits between two requests", &|| {
            let run = bench(&ping(), &server(json!([{"on": "ping", "do": [{"answer": {}}, {"exit": 9}]}]))).run();
            run.verdicts(&["#2 same"]);
            assert_eq!(run.said.code, 1, "{}", run.all());
            assert!(
                ["not-sent", "server-exit"].iter().any(|verdict| run.exchange("#3")["verdict"] == *verdict),
                "{}",
                run.all()
            );
        }),
    ]);
}

#[test]
fn large_answers_and_odd_bytes() {
    let text = "x".repeat(2_000_000);
    let recorded = mcp(&format!(
        "H(2025-11-25)\n10 c> call(2,big,{{}})\n30 s> text(2,\"{text}\")\n40 c> {{\"id\":3,\"method\":\"ping\"}}\n41 s> {{\"id\":3,\"result\":{{}}}}"
    ));
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("script.json");
    let handlers = json!([{"on": "tools/call:big", "do": [{"answer": says(&text)}]}, {"on": "ping", "do": [{"raw": "\u{1b}[2J\n"}, {"answer": {}}]}]);
    std::fs::write(&script, server(handlers).to_string()).expect("written");
    let run = bench(&recorded, &Value::String(script.display().to_string())).run();
    run.verdicts(&["#1 same", "#2 same", "#3 same"]);
    assert!(!run.said.out.contains('\u{1b}') && !run.said.err.contains('\u{1b}'));
}

/// Answers every connection with these bytes, and closes it. Gives the address, as a target.
fn saying(bytes: &'static [u8]) -> Vec<String> {
    let door = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = door.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        while let Ok((mut caller, _)) = door.accept() {
            let _ = caller.read(&mut [0; 4096]);
            let _ = caller.write_all(bytes);
        }
    });
    vec!["--url".into(), format!("http://127.0.0.1:{port}/mcp")]
}

#[test]
fn a_port_that_does_not_speak_http_is_nothing_to_check() {
    // A warning of TLS, and the greeting of a mail server.
    for bytes in [&b"\x15\x03\x01\x00\x02\x02\x46"[..], b"220 mail.example ESMTP\r\n"] {
        let said = of_target("it.rec.jsonl", ping().rec().as_bytes(), saying(bytes)).screen();
        assert_eq!(said.code, 2, "{}{}", said.out, said.err);
        assert!(said.err.contains("is no HTTP: is its address one of https?"), "{}", said.err);
    }
}

#[test]
fn a_body_that_breaks_off_is_no_bad_message() {
    let cut = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{\"jsonrpc\"";
    let run = of_target("it.rec.jsonl", ping().rec().as_bytes(), saying(cut)).run();
    assert_eq!(run.exchange("#1")["verdict"], "server-exit", "{}", run.all());
    assert!(!run.all().contains("invalid-json"), "{}", run.all());
}
