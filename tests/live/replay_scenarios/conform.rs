//! `conform` against servers that are wrong in one respect each: exactly the sentences of that respect are broken.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{Said, program, rpctape};
use crate::replay::bench::example;

/// What a run said, line by line, and the folder it ran in.
struct Scored {
    said: Said,
    lines: Vec<Value>,
    folder: TempDir,
}

/// What stands behind each cancel as its witness: what a server does after it is proven to come late.
const WITNESSED: &str = "ping";
const TURN_WITNESSED: &str = "$/rpctape/witness";

/// A slow tool that only reads and tells of its progress, and what a cancel of it brings.
fn slow(cancel: &Value) -> Value {
    json!({"on": "tools/call:slow", "do": [{"wait": 150}, {"progress": 1}, {"wait": 150}, {"progress": 2}, {"wait": 200},
        {"answer": {"content": []}}], "cancel": cancel})
}

fn tools() -> Value {
    json!({"on": "tools/list", "do": [{"answer": {"tools": [
        {"name": "quick", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
        {"name": "slow", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}, "execution": {"taskSupport": "optional"}},
        {"name": "delete", "inputSchema": {"type": "object"}}]}}]})
}

/// The script of a server: its own handlers before the usual ones.
fn server(own: &[Value], cancel: &Value) -> Value {
    let quick = json!({"on": "tools/call:quick", "do": [{"answer": {"content": []}}]});
    let mut handlers = own.to_vec();
    handlers.extend([tools(), quick, slow(cancel)]);
    json!({"handlers": handlers})
}

fn conform(script: &Value, flags: &[&str]) -> Scored {
    let folder = tempfile::tempdir().expect("a folder");
    let said = run_in(folder.path(), script, &[&["--format", "jsonl", "--fast"], flags].concat());
    let lines = said.out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    Scored { said, lines, folder }
}

fn run_in(folder: &Path, script: &Value, flags: &[&str]) -> Said {
    let fixture = example("fixture-stdio").display().to_string();
    let mut command = rpctape();
    command.current_dir(folder).arg("conform").args(flags).timeout(Duration::from_secs(600));
    command.args(["--", fixture.as_str(), "--log", "server.log", &script.to_string()]);
    let output = command.output().expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("the program prints UTF-8");
    let (out, err) = (text(output.stdout), text(output.stderr));
    Said { code: output.status.code().unwrap_or_else(|| panic!("it took too long\n{out}{err}")), out, err }
}

impl Scored {
    /// Names of the sentences with a verdict.
    fn with(&self, verdict: &str) -> Vec<&str> {
        let clauses = self.lines.iter().filter(|line| line["type"] == "clause" && line["verdict"] == verdict);
        clauses.map(|line| line["id"].as_str().and_then(|id| id.split_once('.')).expect("a name").1).collect()
    }

    fn does(&self, probe: &str) -> &str {
        let told = self.lines.iter().find(|line| line["type"] == "behaviour" && line["probe"] == probe);
        told.and_then(|line| line["does"].as_str()).unwrap_or("?")
    }

    /// What a probe says of a sentence.
    fn probe(&self, clause: &str, probe: &str) -> &Value {
        let named = |line: &&Value| line["id"].as_str().is_some_and(|id| id.ends_with(&format!(".{clause}")));
        let probes = self.lines.iter().find(named).and_then(|line| line["probes"].as_array()).expect("its probes");
        probes.iter().find(|card| card["probe"] == probe).expect("the probe")
    }

    /// Exactly these are broken.
    fn breaks(&self, names: &[&str]) {
        assert_eq!(self.with("violates"), names, "{}{}", self.said.out, self.said.err);
        let summary = self.lines.last().expect("a summary");
        assert_eq!((&summary["type"], &summary["exit"]), (&json!("summary"), &json!(self.said.code)));
    }
}

#[test]
fn an_honest_server_keeps_every_sentence() {
    let scored =
        conform(&server(&[], &json!([])), &["--keep", "kept", "--report", "md=card.md", "--report", "junit=c.xml"]);
    scored.breaks(&[]);
    assert_eq!(scored.with("not-observed"), [""; 0], "{}", scored.said.out);
    assert_eq!(scored.said.code, 0);
    assert_eq!(
        (scored.does("mid"), scored.does("type"), scored.does("initialize")),
        ("nothing", "nothing", "answered")
    );
    let silence = scored.probe("no-response", "mid");
    assert!(silence["effect"] == "silent" && silence["watched_us"].as_i64() > Some(0), "{silence}");
    let summary = scored.lines.last().expect("a summary");
    assert_eq!((&summary["server"]["slow"], &summary["server"]["name"]), (&json!("slow"), &json!("srv")));
    // Every probe is a recording like any other, and nothing but what may be called was called.
    let kept = scored.folder.path().join("kept");
    for name in ["control", "mid", "storm", "malformed-null", "close"] {
        assert!(kept.join(format!("{name}.run.jsonl")).is_file(), "{name}");
    }
    let mid = kept.join("mid.run.jsonl").display().to_string();
    let why = crate::common::run(&["why", &mid, "#2"]);
    assert!(why.code == 0 && why.out.contains("slow"), "{}{}", why.out, why.err);
    let log = std::fs::read_to_string(scored.folder.path().join("server.log")).expect("a log");
    assert!(log.contains("tools/call") && !log.contains(r#"\"delete\",\"arguments"#), "nothing else may be called");
    let card = std::fs::read_to_string(scored.folder.path().join("card.md")).expect("a table");
    assert!(card.lines().count() == 3 && card.contains("| srv 1 | mcp 2025-11-25 |"), "{card}");
    // No process stays behind: each has seen the end of its input, or was told to end.
    let pids = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()?["pid"].as_u64());
    for pid in pids {
        assert!(!Path::new(&format!("/proc/{pid}")).exists(), "{pid} is still there");
    }
}

#[test]
fn each_way_to_answer_a_cancel_breaks_that_sentence_alone() {
    let only = ["--only", "mid,early,late,done,twice,type,zero"];
    let cancelled = |code: i64| json!([{"error": {"code": code, "message": "Request cancelled"}}]);
    let answer = json!({"answer": {"content": []}});
    let late = json!([{"after": WITNESSED}, answer]);
    std::thread::scope(|scope| {
        for (cancel, does) in [(cancelled(0), "error 0"), (cancelled(-32800), "error -32800"), (late, "a result")] {
            scope.spawn(move || {
                let scored = conform(&server(&[], &cancel), &only);
                scored.breaks(&["no-response"]);
                assert_eq!(scored.does("mid"), does);
                assert_eq!(scored.said.code, 1);
            });
        }
    });
}

#[test]
fn a_deaf_server_goes_on_and_answers() {
    let mut handler = slow(&json!([]));
    handler["deaf"] = json!(true);
    let scored = conform(&server(&[handler], &json!([])), &["--only", "mid,progress,zero,type,parallel"]);
    scored.breaks(&["no-response", "stops"]);
    let answered = scored.probe("no-response", "mid");
    assert!(
        answered["effect"] == "result" && answered["rule"] == "CAN010" && answered["watched_us"].is_null(),
        "{answered}"
    );
}

#[test]
fn work_that_goes_on_is_seen_by_its_progress() {
    let goes_on = json!([{"after": WITNESSED}, {"progress": 5}, {"wait": 100}, {"progress": 6}]);
    conform(&server(&[], &goes_on), &["--only", "mid,progress"]).breaks(&["stops"]);
}

#[test]
fn a_server_that_dies_of_a_cancel_without_parameters_is_told_with_its_last_words() {
    let dies =
        json!({"on": "notifications/cancelled", "when": {"/params": null}, "do": [{"stderr": "boom"}, {"exit": 3}]});
    let scored = conform(&server(&[dies], &json!([])), &["--only", "malformed,unknown"]);
    scored.breaks(&["invalid-ignored", "survives"]);
    assert!(scored.said.out.contains("status 3: boom"), "{}", scored.said.out);
}

#[test]
fn an_error_that_answers_a_notification_is_one() {
    let answers = json!({"on": "notifications/cancelled", "when": {"/params/requestId": null},
        "do": [{"raw": "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32602,\"message\":\"bad\"}}\n"}]});
    conform(&server(&[answers], &json!([])), &["--only", "malformed,unknown"]).breaks(&["invalid-ignored"]);
}

#[test]
fn ids_without_their_type_and_cancels_that_spread() {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut script = server(&[], &json!([]));
            script["loose_ids"] = json!(true);
            let scored = conform(&script, &["--only", "mid,type"]);
            scored.breaks(&["ids-typed"]);
            assert_eq!(scored.does("type"), "cancels it");
        });
        let mut script = server(&[], &json!([]));
        script["cascade"] = json!(true);
        conform(&script, &["--only", "mid,parallel"]).breaks(&["others-run-on"]);
    });
}

#[test]
fn a_handshake_that_a_cancel_ends_is_told_and_fails_nothing() {
    let opening = json!({"on": "initialize", "do": [{"wait": 100}, {"answer": {"protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "2"}}}]});
    let scored = conform(&server(&[opening], &json!([])), &["--only", "initialize,unknown"]);
    scored.breaks(&["initialize"]);
    assert_eq!((scored.said.code, scored.does("initialize")), (0, "unanswered"));
}

/// A server whose tool can be called as a task, with its switches.
fn tasked(switches: &Value) -> Value {
    let opening = json!({"on": "initialize", "do": [{"answer": {"protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}, "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}},
        "serverInfo": {"name": "t", "version": "1"}}}]});
    let mut script = server(&[opening], &json!([]));
    script["tasks"] = json!({"takes": 500});
    for (name, value) in switches.as_object().expect("switches") {
        script["tasks"][name] = value.clone();
    }
    script
}

#[test]
fn a_task_is_cancelled_stays_so_and_is_not_cancelled_when_it_has_ended() {
    let switches = [
        (json!({}), &[][..], "nothing"),
        (json!({"heeds": true}), &[], "cancels it"),
        (json!({"told": "working"}), &["task-cancelled"], "nothing"),
        (json!({"later": "completed"}), &["task-stays"], "nothing"),
        (json!({"accepts": true}), &["task-ended"], "nothing"),
        (json!({"code": -32000}), &["task-ended"], "nothing"),
        (json!({"code": -32000, "later": "working"}), &["task-stays", "task-ended"], "nothing"),
    ];
    std::thread::scope(|scope| {
        for (switches, broken, does) in &switches {
            scope.spawn(move || {
                let scored = conform(&tasked(switches), &["--only", "task-cancel,task-ended,task-notified"]);
                scored.breaks(broken);
                assert_eq!(scored.does("task-notified"), *does, "{switches}: {}", scored.said.out);
                let kept =
                    ["task-cancelled", "task-stays", "task-ended"].map(|name| scored.with("honoured").contains(&name));
                assert!(!broken.is_empty() || kept == [true; 3], "{switches}: {}", scored.said.out);
            });
        }
    });
    let without = conform(&server(&[], &json!([])), &["--only", "task-cancel,unknown"]);
    assert!(without.with("not-applicable").contains(&"task-cancelled"), "{}", without.said.out);
}

#[test]
fn what_a_server_asks_for_what_is_cancelled_is_seen() {
    let asks = |id: u64| json!({"ask": {"request": {"id": id, "method": "roots/list"}, "error": []}});
    let asking = |cancel: &Value| {
        let mut handler = slow(cancel);
        handler["do"] = json!([{"wait": 50}, asks(900), {"wait": 400}, {"answer": {"content": []}}]);
        server(&[handler], &json!([]))
    };
    let withdraws = json!([{"notify": {"method": "notifications/cancelled", "params": {"requestId": 900}}}]);
    let again = json!([{"after": WITNESSED}, asks(901)]);
    // Over one stream nothing shows for which request a server asks.
    let cases = [(json!([]), true, "left open"), (withdraws, true, "cancelled"), (again, false, "left open")];
    std::thread::scope(|scope| {
        for (cancel, kept, does) in cases {
            let script = asking(&cancel);
            scope.spawn(move || {
                let scored = conform(&script, &["--only", "nested"]);
                scored.breaks(&[]);
                assert_eq!(scored.does("nested"), does, "{}", scored.said.out);
                assert_eq!(scored.with("honoured").contains(&"asks-no-more"), kept, "{}", scored.said.out);
            });
        }
        let quiet = conform(&server(&[], &json!([])), &["--only", "nested"]);
        assert!(quiet.with("not-applicable").contains(&"asks-no-more"), "{}", quiet.said.out);
    });
}

/// Ids belong to a side: a server that counts from 0 has those of our requests.
#[test]
fn a_server_that_asks_under_the_ids_of_our_requests_is_examined() {
    let ping = json!({"ask": {"request": {"id": 2, "method": "ping"}, "error": []}});
    let mut handler = slow(&json!([]));
    handler["do"] = json!([{"wait": 50}, ping, {"wait": 400}, {"answer": {"content": []}}]);
    let script = json!({"handlers": [tools(), handler]});
    let scored = conform(&script, &["--only", "unknown"]);
    assert!(scored.said.code < 2 && !scored.lines.is_empty(), "{}{}", scored.said.out, scored.said.err);
}

/// An agent that asks for permission while it works on a prompt, and what the end of the turn brings.
fn permitted(cancel: &Value) -> Value {
    let permission = json!({"ask": {"request": {"id": 900, "method": "session/request_permission", "params": {"sessionId": "s-1",
        "toolCall": {"toolCallId": "c"}, "options": [{"optionId": "a", "name": "Yes", "kind": "allow_once"}]}}}});
    let mut script = plain("session/prompt", cancel);
    script["handlers"][0]["do"] =
        json!([{"wait": 50}, permission, {"wait": 400}, {"answer": {"stopReason": "end_turn"}}]);
    script
}

#[test]
fn a_turn_ends_while_the_agent_waits_for_permission() {
    let flags = ["--proto", "acp", "--prompt", "wait", "--only", "session-question"];
    let again = json!({"ask": {"request": {"id": 901, "method": "session/request_permission", "params": {"sessionId": "s-1",
        "toolCall": {"toolCallId": "c"}, "options": []}}}});
    let stopped = json!({"answer": {"stopReason": "cancelled"}});
    let cases = [
        (json!([stopped]), &[][..]),
        (json!([{"after": TURN_WITNESSED}, {"answer": {"stopReason": "end_turn"}}]), &["turn-cancelled"]),
        (json!([{"wait": 150}, again, stopped]), &["asks-no-more"]),
    ];
    std::thread::scope(|scope| {
        for (cancel, broken) in cases {
            scope.spawn(move || {
                let scored = conform(&permitted(&cancel), &flags);
                scored.breaks(broken);
                let log = std::fs::read_to_string(scored.folder.path().join("server.log")).expect("a log");
                assert!(
                    log.contains(r#"{\"outcome\":{\"outcome\":\"cancelled\"}}"#),
                    "its question is cancelled: {log}"
                );
                let kept = scored.with("honoured").contains(&"turn-cancelled");
                assert!(kept || !broken.is_empty(), "{}", scored.said.out);
            });
        }
    });
}

#[test]
fn what_is_known_fails_nothing_until_it_is_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    let late = server(&[], &json!([{"after": WITNESSED}, {"answer": {}}]));
    let flags = ["--fast", "--only", "mid", "--baseline", "known.jsonl"];
    let run = |script: &Value, more: &[&str]| run_in(folder.path(), script, &[&flags, more].concat());
    assert_eq!(run(&late, &[]).code, 2);
    assert_eq!(run(&late, &["--write-baseline"]).code, 1);
    let again = run(&late, &[]);
    assert!(again.code == 0 && again.out.contains("known"), "{}", again.out);
    let cured = run(&server(&[], &json!([])), &[]);
    assert!(cured.code == 1 && cured.out.contains("stale"), "{}", cured.out);
}

#[test]
fn nothing_is_called_that_may_not_be() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = server(&[], &json!([]));
    let refused = run_in(folder.path(), &script, &["--fast", "--slow-tool", "delete"]);
    assert!(refused.code == 2 && refused.err.contains("--allow 'tools/call:delete'"), "{}", refused.err);
    let denied = run_in(folder.path(), &script, &["--fast", "--only", "unknown,mid", "--deny", "tools/call:*"]);
    assert!(denied.code == 0 && denied.out.contains("no slow request"), "{}{}", denied.out, denied.err);
    let log = std::fs::read_to_string(folder.path().join("server.log")).expect("a log");
    assert!(!log.contains("tools/call"), "{log}");
    // A list starts nothing.
    let listed = run_in(tempfile::tempdir().expect("a folder").path(), &script, &["--list"]);
    assert!(listed.code == 0 && listed.out.contains("malformed-array") && listed.err.is_empty(), "{}", listed.out);
}

#[test]
fn a_server_that_answers_twice_does_not_handle_races() {
    let mut twice = slow(&json!([]));
    twice["do"] = json!([{"wait": 300}, {"answer": {"content": []}}, {"answer": {"content": []}}]);
    conform(&server(&[twice], &json!([])), &["--only", "done,unknown"]).breaks(&["races"]);
}

/// A client that does what the lines say, one after the other: `>` is sent, `<` is waited for until a line holds it. What conform says of it.
fn client(lines: &[&str]) -> Vec<Value> {
    use std::io::{BufRead, BufReader, Write};
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = program();
    command.args(["conform", "--client", "--format", "jsonl", "-o", "card.jsonl"]).current_dir(folder.path());
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut server = command.spawn().expect("the program starts");
    let mut to = server.stdin.take().expect("a pipe");
    let (heard, from) = std::sync::mpsc::channel();
    let out = BufReader::new(server.stdout.take().expect("a pipe"));
    std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| heard.send(line)));
    for line in lines {
        match line.split_at(1) {
            (">", text) => writeln!(to, r#"{{"jsonrpc":"2.0",{text}}}"#).expect("it reads"),
            (_, wanted) => loop {
                let line = from.recv_timeout(Duration::from_secs(180)).unwrap_or_else(|_| panic!("no {wanted}"));
                if line.contains(wanted) {
                    break;
                }
            },
        }
    }
    drop(to);
    assert!(crate::common::ended(&mut server).is_some(), "it ends when its client leaves");
    let card = std::fs::read_to_string(folder.path().join("card.jsonl")).expect("a card");
    card.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn verdicts(lines: &[Value]) -> Vec<(&str, &str)> {
    let clauses = lines.iter().filter(|line| line["type"] == "clause");
    clauses.filter_map(|line| Some((line["id"].as_str()?.rsplit('.').next()?, line["verdict"].as_str()?))).collect()
}

const HELLO: [&str; 3] = [
    r#">"id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}"#,
    r#"<"id":0"#,
    r#">"method":"notifications/initialized""#,
];

#[test]
fn clients_are_examined_too() {
    let kind = [
        r#">"id":1,"method":"tools/call","params":{"name":"silent","arguments":{}}"#,
        r#">"method":"notifications/cancelled","params":{"requestId":1}"#,
        r#">"id":2,"method":"tools/call","params":{"name":"late","arguments":{}}"#,
        r#">"method":"notifications/cancelled","params":{"requestId":2}"#,
        r#"<"id":2"#,
        r#"<ping"#,
        r#">"id":1,"result":{}"#,
    ];
    let told = client(&[&HELLO[..], &kind].concat());
    let summary = told.last().expect("a summary");
    assert_eq!((&summary["server"]["name"], &summary["exit"]), (&json!("c"), &json!(0)), "{told:?}");
    assert!(verdicts(&told).iter().all(|(_, verdict)| *verdict == "honoured"), "{told:?}");

    let wrong = [
        r#">"id":1,"method":"tools/call","params":{"name":"silent","arguments":{}}"#,
        r#">"method":"notifications/cancelled","params":{"requestId":"1"}"#,
        r#">"id":2,"method":"tools/list""#,
        r#"<"id":2"#,
    ];
    let told = client(&[&HELLO[..], &wrong].concat());
    let broken: Vec<_> = verdicts(&told).into_iter().filter(|(_, verdict)| *verdict == "violates").collect();
    assert_eq!(broken, [("cancel-target", "violates")], "{told:?}");
    assert!(verdicts(&told).contains(&("timeout-cancels", "not-observed")), "{told:?}");
}

#[test]
fn a_handshake_that_is_cancelled_is_no_request_that_was_given_up_as_it_should_be() {
    let hasty = [HELLO[0], r#">"method":"notifications/cancelled","params":{"requestId":0}"#, HELLO[1]];
    let told = client(&hasty);
    let said: Vec<_> = verdicts(&told).into_iter().filter(|(_, verdict)| *verdict != "not-observed").collect();
    assert_eq!(said, [("handshake-kept", "violates")], "{told:?}");
}

#[test]
fn what_a_client_does_whose_server_has_ended_is_told_and_no_fault() {
    use std::io::{BufRead, BufReader, Write};
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = program();
    command.args(["conform", "--client", "--listen", "tcp:127.0.0.1:0", "--format", "jsonl", "-o", "card.jsonl"]);
    let mut server =
        command.current_dir(folder.path()).stderr(std::process::Stdio::piped()).spawn().expect("the program starts");
    let mut line = String::new();
    let mut told = BufReader::new(server.stderr.take().expect("a pipe"));
    told.read_line(&mut line).expect("where it listens");
    let address = line.split([' ', ';']).find(|word| word.starts_with("127.")).expect("an address").to_string();
    for call in [true, false] {
        let mut to = std::net::TcpStream::connect(&address).expect("a server");
        to.set_read_timeout(Some(Duration::from_secs(180))).expect("a deadline");
        let mut from = BufReader::new(to.try_clone().expect("a stream")).lines().map_while(Result::ok);
        writeln!(to, r#"{{"jsonrpc":"2.0",{}}}"#, &HELLO[0][1..]).expect("it reads");
        assert!(from.next().is_some_and(|line| line.contains("\"id\":0")));
        writeln!(to, r#"{{"jsonrpc":"2.0",{}}}"#, &HELLO[2][1..]).expect("it reads");
        if call {
            writeln!(to, r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"dies"}}}}"#)
                .expect("it reads");
            assert_eq!(from.next(), None, "it ends without an answer");
        }
    }
    let pid = server.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().expect("a signal").success());
    let status = crate::common::ended(&mut server).expect("it ends when it is told to");
    let card = std::fs::read_to_string(folder.path().join("card.jsonl")).expect("a card");
    assert_eq!(status.code(), Some(0), "{card}");
    assert!(card.contains("\"it comes again\"") && !card.contains("\"violates\",\"quote"), "{card}");
}

/// A slow request of any protocol, what a cancel of it brings, and the usual rest.
fn plain(method: &str, cancel: &Value) -> Value {
    let slow = json!({"on": method, "do": [{"wait": 400}, {"answer": {"stopReason": "end_turn"}}], "cancel": cancel});
    json!({"handlers": [slow, {"on": "session/new", "do": [{"answer": {"sessionId": "s-1"}}]}]})
}

const CANCELLED: &str = r#"[{"error": {"code": -32800, "message": "cancelled"}}]"#;

#[test]
fn a_language_server_answers_what_was_cancelled() {
    let cancelled: Value = serde_json::from_str(CANCELLED).expect("JSON");
    let flags = ["--proto", "lsp", "--slow-request", "textDocument/documentSymbol", "--file", "a b.rs"];
    let only = ["--only", "mid,early,parallel,malformed-none,type"];
    let framed = |cancel: &Value| {
        let mut script = plain("textDocument/documentSymbol", cancel);
        script["framing"] = json!("content-length");
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a b.rs"), "fn a() {}").expect("a file");
        let said = run_in(folder.path(), &script, &[&["--format", "jsonl", "--fast"], &flags[..], &only[..]].concat());
        let lines = said.out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Scored { said, lines, folder }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let honest = framed(&cancelled);
            honest.breaks(&[]);
            assert!(honest.with("honoured").contains(&"answered"), "{}", honest.said.out);
            assert_eq!((honest.does("mid"), honest.said.code), ("error -32800", 0));
            let log = std::fs::read_to_string(honest.folder.path().join("server.log")).expect("a log");
            assert!(log.contains("a%20b.rs") && log.contains("fn a()"), "the document is opened");
        });
        framed(&json!([{"error": {"code": -32603, "message": "aborted"}}])).breaks(&["cancel-code"]);
    });
}

#[test]
fn a_cancelled_turn_of_an_agent_says_so() {
    let stopped = json!([{"answer": {"stopReason": "cancelled"}}]);
    let flags = ["--proto", "acp", "--prompt", "wait", "--only", "session,unknown"];
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let honest = conform(&plain("session/prompt", &stopped), &flags);
            honest.breaks(&[]);
            assert!(honest.with("honoured").contains(&"turn-cancelled"), "{}", honest.said.out);
        });
        scope.spawn(|| {
            // At once it may have crossed the cancel, or the witness is answered first and proves that it did not.
            let error = json!([{"error": {"code": -32603, "message": "aborted"}}]);
            let crossed = conform(&plain("session/prompt", &error), &flags);
            assert!(!crossed.with("honoured").contains(&"turn-cancelled"), "{}", crossed.said.out);
        });
        let error = json!([{"after": TURN_WITNESSED}, {"error": {"code": -32603, "message": "aborted"}}]);
        conform(&plain("session/prompt", &error), &flags).breaks(&["turn-cancelled"]);
    });
}

#[test]
fn plain_json_rpc_knows_no_cancel_and_answers_all_the_same() {
    let flags = ["--proto", "jsonrpc", "--slow-request", "work", "--allow", "work", "--only", "mid,unknown,type"];
    let mut deaf = plain("work", &json!([]));
    deaf["handlers"][0]["deaf"] = json!(true);
    let honest = conform(&deaf, &flags);
    honest.breaks(&[]);
    assert!(honest.with("honoured").contains(&"answered-all-the-same"), "{}", honest.said.out);
}

#[test]
fn a_server_without_a_handshake_is_found_out() {
    let mut script = server(&[], &json!([]));
    let handlers = script["handlers"].as_array_mut().expect("handlers");
    handlers.push(json!({"on": "initialize", "do": [{"error": {"code": -32601, "message": "no such method"}}]}));
    handlers.push(json!({"on": "server/discover", "do": [{"answer": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "new", "version": "3"}}, "resultType": "complete"}}]}));
    let scored = conform(&script, &["--only", "mid,progress,first"]);
    scored.breaks(&[]);
    let summary = scored.lines.last().expect("a summary");
    assert_eq!(summary["server"]["protocol"], json!("mcp 2026-07-28"), "{}", scored.said.out);
    assert_eq!((&summary["server"]["name"], &summary["server"]["version"]), (&json!("new"), &json!("3")));
    let named = conform(&script, &["--only", "first", "--name", "mine"]);
    let server = &named.lines.last().expect("a summary")["server"];
    assert_eq!((&server["name"], &server["version"]), (&json!("mine"), &Value::Null));
    assert!(scored.with("honoured").contains(&"no-response"), "{}", scored.said.out);
}
