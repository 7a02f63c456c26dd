//! MCP servers over standard streams: four SDKs.

use serde_json::{Value, json};

use super::client::Framing;
use super::{Client, Pair, after_dashes, audited, command, installed, ours, replayed};

/// The words that differ between the servers: the slow tool, its arguments, and the pointer at which the changed build differs.
struct Tools {
    slow: &'static str,
    slow_arguments: Value,
    echo: Value,
    /// Rules that the server is known to break when it is cancelled.
    breaks: &'static [&'static str],
}

fn own_tools(breaks: &'static [&'static str]) -> Tools {
    Tools { slow: "slow", slow_arguments: json!({"seconds": 3}), echo: json!({"text": "hi"}), breaks }
}

/// Records a session with a cancel, audits it, and replays it against both builds.
fn holds(pair: &Pair, tools: &Tools) {
    let folder = tempfile::tempdir().expect("a folder");
    let recording = folder.path().join("real.rec.jsonl");
    let mut client = Client::recorded(&recording, Framing::Lines, &pair.server);
    client.ask(
        1,
        "initialize",
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "real", "version": "1"}}),
    );
    client.notify("notifications/initialized", json!({}));
    client.ask(2, "tools/list", json!({}));
    client.ask(3, "tools/call", json!({"name": "echo", "arguments": tools.echo}));
    let slow = json!({"name": tools.slow, "arguments": tools.slow_arguments, "_meta": {"progressToken": "p4"}});
    client.request(4, "tools/call", slow);
    client.wait("progress", |message| message["method"] == "notifications/progress");
    client.notify("notifications/cancelled", json!({"requestId": 4, "reason": "enough"}));
    client.ask(5, "tools/call", json!({"name": "echo", "arguments": tools.echo}));
    client.finish();

    let (findings, _) = audited(&recording);
    let broken: Vec<&str> =
        findings.iter().filter(|(_, certainty)| certainty == "violation").map(|(rule, _)| rule.as_str()).collect();
    for rule in tools.breaks {
        assert!(broken.contains(rule), "{}: {rule} is not found, only {broken:?}", pair.what);
    }
    let strange: Vec<_> =
        broken.iter().filter(|rule| rule.contains("cancel") && !tools.breaks.contains(rule)).collect();
    assert!(strange.is_empty(), "{}: accused of {strange:?}", pair.what);

    let allow = ["--allow", "tools/call:*"];
    let same = replayed(&recording, &allow, &after_dashes(&pair.server));
    assert_eq!(same.exit, 0, "{}: {}", pair.what, same.differences());
    assert_eq!(same.summary["cancels"]["landed"], 1, "{}: {}", pair.what, same.differences());
    assert_eq!(same.verdict(&json!(4)), "same", "{}: {}", pair.what, same.differences());

    let changed = replayed(&recording, &allow, &after_dashes(&pair.changed));
    assert_eq!(changed.exit, 1, "{}: {}", pair.what, changed.differences());
    assert_eq!(changed.verdict(&json!(3)), "changed", "{}: {}", pair.what, changed.differences());
    println!("checked: {}: recorded, audited, replayed, and told from a changed build", pair.what);
}

#[test]
fn server_everything() {
    let package = installed().join("npm/node_modules/@modelcontextprotocol/server-everything");
    let (dist, changed) = (package.join("dist/index.js"), package.join("changed/index.js"));
    let what = "MCP server-everything over stdio";
    let build = |path: &std::path::Path| command(what, &["node", &path.display().to_string(), "stdio"]);
    let (Some(server), Some(changed)) = (build(&dist), build(&changed)) else { return };
    let tools = Tools {
        slow: "trigger-long-running-operation",
        slow_arguments: json!({"duration": 4, "steps": 20}),
        echo: json!({"message": "hi"}),
        // Its tool does not look at the cancel: progress goes on, and only the answer is held back.
        breaks: &["progress-after-cancel"],
    };
    holds(&Pair { what, server, changed }, &tools);
}

fn python(what: &'static str, venv: &str, breaks: &'static [&'static str]) {
    let program = installed().join(venv).join("bin/python").display().to_string();
    let script = ours("mcp_server.py");
    let Some(server) = command(what, &[&program, &script]) else { return };
    let changed = server.iter().cloned().chain(["changed".to_string()]).collect();
    holds(&Pair { what, server, changed }, &own_tools(breaks));
}

#[test]
fn python_sdk_1() {
    // It answers a cancelled request with error code 0 (real-behaviour of 1.27.2).
    python("MCP Python SDK 1.x", "mcp1", &["response-after-cancel"]);
}

#[test]
fn python_sdk_2() {
    python("MCP Python SDK 2.x", "mcp2", &[]);
}

#[test]
fn rmcp() {
    let what = "MCP rmcp";
    let program = installed().join("rmcp/debug/rmcp-server").display().to_string();
    let Some(server) = command(what, &[&program]) else { return };
    let changed = vec![program, "changed".to_string()];
    holds(&Pair { what, server, changed }, &own_tools(&[]));
}
