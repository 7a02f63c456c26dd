//! `rpctape mcp` as an agent has it: every tool, pages, progress, cancels, batches; and our own session, which is itself recorded, is clean.

use std::io::Write;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::{Folder, ended, pipe};
use crate::common::{self, run};

/// A client of `rpctape mcp`, which is itself recorded.
struct Agent {
    child: Child,
    out: std::io::BufReader<ChildStdout>,
}

impl Agent {
    fn start(folder: &str, recording: &str, more: &[&str]) -> Agent {
        let program = env!("CARGO_BIN_EXE_rpctape");
        let mut command = Command::new(program);
        command.args(["record", "-o", recording, "--", program, "mcp", folder, "--page", "400"]).args(more);
        Agent::of(&mut command)
    }

    fn of(command: &mut Command) -> Agent {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program starts");
        let out = std::io::BufReader::new(child.stdout.take().expect("a pipe"));
        Agent { child, out }
    }

    fn say(&mut self, message: Value) {
        let mut line = message.to_string();
        line.push('\n');
        self.child.stdin.as_mut().expect("a pipe").write_all(line.as_bytes()).expect("a reader");
    }

    /// The next message.
    fn hear(&mut self) -> Value {
        let mut line = String::new();
        std::io::BufRead::read_line(&mut self.out, &mut line).expect("a stream");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    fn ask(&mut self, id: u32, method: &str, params: Value) -> Value {
        self.say(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let heard = self.hear();
            if heard["id"] == id {
                return heard;
            }
        }
    }

    /// The handshake; gives what the server answers.
    fn begin(&mut self, revision: &str) -> Value {
        let client = json!({"name": "test", "version": "1"});
        let about = json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": client});
        let welcome = self.ask(1, "initialize", about)["result"].clone();
        self.say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        welcome
    }

    /// Says no more, and waits for the end.
    fn end(mut self) {
        drop(self.child.stdin.take());
        assert!(ended(&mut self.child).success());
    }

    fn call(&mut self, id: u32, tool: &str, arguments: Value) -> Value {
        self.ask(id, "tools/call", json!({"name": tool, "arguments": arguments}))["result"].clone()
    }
}

#[test]
fn a_folder_is_served_to_an_agent_and_our_own_session_is_clean() {
    let folder = Folder::new();
    let logs = folder.path("logs");
    std::fs::create_dir(&logs).expect("a folder");
    let bad = std::fs::read_to_string(common::top().join("samples/mcp/bad.jsonl")).expect("a sample");
    std::fs::write(format!("{logs}/a b.jsonl"), bad).expect("a file");
    let secret =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\"api_key\":\"sk-live-abcdefghijklmnop\"}}\n";
    std::fs::write(format!("{logs}/secret.jsonl"), secret).expect("a file");
    std::fs::write(folder.path("outside.jsonl"), secret).expect("a file");
    let recording = folder.path("own.rec.jsonl");
    let mut agent = Agent::start(&logs, &recording, &[]);
    assert_eq!(agent.begin("2025-11-25")["serverInfo"]["name"], "rpctape");
    let tools = agent.ask(2, "tools/list", json!({}));
    assert_eq!(tools["result"]["tools"].as_array().map(Vec::len), Some(8));
    let mut id = 2;
    let mut next = || {
        id += 1;
        id
    };

    // Every tool answers; long answers come in pages, which together are what the command prints.
    let log = "a b.jsonl";
    for (tool, arguments, holds) in [
        ("ls", json!({"log": "."}), "a b.jsonl"),
        ("check", json!({"log": log}), "response-after-cancel"),
        ("why", json!({"log": log}), "a b.jsonl"),
        ("show", json!({"log": log, "request": "#4"}), "tools/call"),
        ("stats", json!({"log": log}), "tools/call"),
        ("explain", json!({"rule": "CAN010"}), "CAN010"),
        ("query", json!({"log": log, "sql": "select count(*) as n from messages"}), "{\"n\":"),
        ("diff", json!({"old": log, "new": log}), "same"),
    ] {
        let (mut text, mut cursor, mut pages) = (String::new(), None::<String>, 0);
        loop {
            let mut arguments = arguments.clone();
            if let Some(cursor) = &cursor {
                arguments["cursor"] = cursor.as_str().into();
            }
            let answer = agent.call(next(), tool, arguments);
            assert_eq!(answer["isError"], false, "{tool}: {answer}");
            text.push_str(answer["content"][0]["text"].as_str().expect("text"));
            pages += 1;
            let Some(more) = answer["content"][1]["text"].as_str() else { break };
            cursor = more.split('"').nth(1).map(str::to_string);
            assert!(pages < 100, "{more}");
        }
        assert!(text.contains(holds), "{tool}: {text}");
    }
    for (tool, arguments) in [
        ("check", json!({"log": "../outside.jsonl"})),
        ("check", json!({"log": folder.path("outside.jsonl")})),
        ("query", json!({"log": log, "sql": "delete from messages"})),
        ("query", json!({"log": log, "sql": "attach 'x' as y"})),
        ("ls", json!({"log": log, "cursor": "x"})),
        ("show", json!({})),
    ] {
        let answer = agent.call(next(), tool, arguments.clone());
        assert_eq!(answer["isError"], true, "{tool} {arguments}: {answer}");
    }
    assert_eq!(agent.ask(next(), "tools/call", json!({"name": "record"}))["error"]["code"], -32602);
    assert_eq!(agent.ask(next(), "no/such", json!({}))["error"]["code"], -32601);
    for answer in [
        agent.call(next(), "query", json!({"log": "secret.jsonl", "sql": "select raw from messages"})),
        agent.ask(next(), "resources/read", json!({"uri": "rpctape://log/secret.jsonl"})),
    ] {
        let text = answer.to_string();
        assert!(text.contains("<<secret:") && !text.contains("abcdefghijklmnop"), "{text}");
    }
    let listed = agent.ask(next(), "resources/list", json!({}));
    assert_eq!(listed["result"]["resources"][0]["uri"], "rpctape://log/a%20b.jsonl");

    // A long call tells that it is alive, ends when it is cancelled, and holds nobody else up.
    let endless = "with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) from c";
    let params = json!({"name": "query", "arguments": {"log": log, "sql": endless}, "_meta": {"progressToken": "p"}});
    let long = next();
    agent.say(json!({"jsonrpc": "2.0", "id": long, "method": "tools/call", "params": params}));
    assert_eq!(agent.hear()["method"], "notifications/progress");
    agent.say(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": long, "reason": "enough"}}));
    assert_eq!(agent.ask(next(), "ping", json!({}))["result"], json!({}));
    agent.end();
    is_clean(&recording);
}

/// Our own session breaks no rule.
fn is_clean(recording: &str) {
    let audit = run(&["check", recording, "--format", "jsonl", "--fail-on", "note"]);
    assert_eq!((audit.code, audit.out.lines().count()), (0, 1), "{}{}", audit.out, audit.err);
}

/// A folder with one log.
fn one_log(folder: &Folder) -> String {
    let logs = folder.path("logs");
    std::fs::create_dir(&logs).expect("a folder");
    std::fs::copy(common::top().join("samples/mcp/bad.jsonl"), format!("{logs}/a.jsonl")).expect("a file");
    logs
}

fn request(id: u32, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

#[cfg(unix)]
#[test]
fn what_a_folder_has_links_to_is_passed_over_and_named() {
    let folder = Folder::new();
    let logs = one_log(&folder);
    std::fs::write(folder.path("secret.jsonl"), "{}").expect("a file");
    std::os::unix::fs::symlink(folder.path("secret.jsonl"), format!("{logs}/out.jsonl")).expect("a link");
    let mut agent = Agent::of(common::program().args(["mcp", &logs]));
    agent.begin("2025-11-25");
    let why = "./out.jsonl: it is a link that leads out of the folder";
    for (id, tool) in [(2, "ls"), (3, "stats"), (4, "check")] {
        let result = agent.call(id, tool, json!({"log": "."}));
        assert_eq!(result["isError"], false, "{result}");
        assert_eq!(result["content"].to_string().matches(why).count(), 1, "{tool}: {result}");
    }
    agent.end();
}

#[test]
fn a_batch_is_answered_by_one_array_where_the_revision_has_them() {
    let folder = Folder::new();
    let logs = one_log(&folder);
    let explain = json!({"name": "explain", "arguments": {"rule": "CAN010"}});
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
    for (revision, takes) in [("2024-11-05", false), ("2025-03-26", true), ("2025-06-18", false), ("2025-11-25", false)]
    {
        let recording = folder.path(&format!("{revision}.rec.jsonl"));
        let mut agent = Agent::start(&logs, &recording, &[]);
        assert_eq!(agent.begin(revision)["protocolVersion"], revision);
        if !takes {
            agent.say(json!([request(2, "ping", json!({}))]));
            assert_eq!(agent.hear()["error"]["code"], -32600, "{revision}");
            agent.end();
            continue;
        }
        agent.say(json!([
            request(2, "tools/call", explain.clone()),
            request(3, "ping", json!({})),
            request(4, "no/such", json!({})),
        ]));
        let answers = agent.hear();
        let mut ids: Vec<u64> =
            answers.as_array().expect("an array").iter().filter_map(|one| one["id"].as_u64()).collect();
        ids.sort_unstable();
        assert_eq!(ids, [2, 3, 4], "{answers}");
        // Whoever was asked for nothing, or for nothing any more, says nothing.
        let endless = "with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) from c";
        let query = json!({"name": "query", "arguments": {"log": "a.jsonl", "sql": endless}});
        agent.say(json!([request(7, "tools/call", query)]));
        agent.say(json!([cancel]));
        assert_eq!(agent.ask(8, "ping", json!({}))["result"], json!({}), "{revision}");
        agent.end();
        is_clean(&recording);
    }
}

#[test]
fn what_a_batch_may_not_hold_is_refused_by_itself() {
    let folder = Folder::new();
    let mut agent = Agent::start(&one_log(&folder), &folder.path("x.rec.jsonl"), &[]);
    agent.say(json!([request(9, "ping", json!({}))]));
    assert_eq!(agent.hear()["error"]["code"], -32600, "nothing is agreed on yet");
    agent.begin("2025-03-26");
    agent.say(json!([request(2, "initialize", json!({})), 5, request(3, "ping", json!({}))]));
    let answers = agent.hear();
    let found = |id: Value| answers.as_array().expect("an array").iter().find(|one| one["id"] == id).cloned();
    assert_eq!(found(json!(2)).expect("an answer")["error"]["code"], -32600);
    assert_eq!(found(Value::Null).expect("an answer")["error"]["code"], -32600);
    assert_eq!(found(json!(3)).expect("an answer")["result"], json!({}));
    agent.say(json!([]));
    assert_eq!(agent.hear()["error"]["code"], -32600, "an empty one");
    agent.say(json!([9, "ping", {}]));
    assert!(agent.hear().as_array().is_some_and(|all| all.len() == 3), "no object, and no request");
    agent.end();
}

#[test]
fn an_agent_may_replay_only_where_it_was_allowed_and_only_against_that_server() {
    let folder = Folder::new();
    let logs = one_log(&folder);
    let server = pipe().with_file_name("fixture-stdio").display().to_string();
    // What is played again is a recording of that server.
    let program = env!("CARGO_BIN_EXE_rpctape");
    let mut first =
        Agent::of(Command::new(program).args(["record", "-o", &format!("{logs}/it.rec.jsonl"), "--", &server]));
    first.begin("2025-11-25");
    first.ask(2, "tools/list", json!({}));
    first.end();

    let mut agent = Agent::start(&logs, &folder.path("no.rec.jsonl"), &[]);
    agent.begin("2025-11-25");
    let params = json!({"name": "replay", "arguments": {"log": "it.rec.jsonl"}});
    assert_eq!(agent.ask(2, "tools/call", params)["error"]["code"], -32602);
    agent.end();

    let recording = folder.path("own.rec.jsonl");
    let mut agent = Agent::start(&logs, &recording, &["--allow-replay", "--", &server]);
    agent.begin("2025-11-25");
    let tools = agent.ask(2, "tools/list", json!({}));
    let replay = tools["result"]["tools"].as_array().expect("tools").iter().find(|tool| tool["name"] == "replay");
    assert_eq!(replay.expect("the tool")["annotations"]["readOnlyHint"], false);
    let played = agent.call(3, "replay", json!({"log": "it.rec.jsonl"}));
    assert_eq!(played["isError"], false, "{played}");
    assert!(Path::new(&format!("{logs}/it.run.jsonl")).is_file(), "{played}");
    for (id, bad) in [(4, json!({"log": "it.rec.jsonl", "server": "sh"})), (5, json!({"log": "../no.rec.jsonl"}))] {
        assert_eq!(agent.call(id, "replay", bad)["isError"], true);
    }
    agent.end();
    is_clean(&recording);
}
