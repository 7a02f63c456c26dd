//! An ACP agent on two SDKs: a turn that is cancelled, and one that is not.

use serde_json::json;

use super::client::Framing;
use super::{Client, Pair, after_dashes, audited, command, installed, ours, replayed};

fn holds(pair: &Pair) {
    let folder = tempfile::tempdir().expect("a folder");
    let recording = folder.path().join("real.rec.jsonl");
    let mut client = Client::recorded(&recording, Framing::Lines, &pair.server);
    client.ask(1, "initialize", json!({"protocolVersion": 1, "clientCapabilities": {}}));
    let new = client.ask(2, "session/new", json!({"cwd": "/", "mcpServers": []}));
    let session = new["result"]["sessionId"].clone();
    let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": "go"}]});
    client.request(3, "session/prompt", prompt.clone());
    for _ in 0..2 {
        client.wait("an update", |message| message["method"] == "session/update");
    }
    client.notify("session/cancel", json!({"sessionId": session}));
    assert_eq!(client.answer(&json!(3))["result"]["stopReason"], "cancelled", "{}", pair.what);
    assert_eq!(client.ask(4, "session/prompt", prompt)["result"]["stopReason"], "end_turn", "{}", pair.what);
    client.finish();

    let (findings, exit) = audited(&recording);
    assert_eq!(exit, 0, "{}: {findings:?}", pair.what);

    let same = replayed(&recording, &[], &after_dashes(&pair.server));
    assert_eq!(same.exit, 0, "{}: {}", pair.what, same.differences());
    assert_eq!(same.summary["cancels"]["landed"], 1, "{}: {}", pair.what, same.differences());
    for id in 1..=4 {
        assert_eq!(same.verdict(&json!(id)), "same", "{}: {}", pair.what, same.differences());
    }

    let changed = replayed(&recording, &[], &after_dashes(&pair.changed));
    assert_eq!(changed.exit, 1, "{}: {}", pair.what, changed.differences());
    assert_eq!(changed.verdict(&json!(3)), "violates", "{}: {}", pair.what, changed.differences());
    println!("checked: {}: recorded, audited, replayed, and told from a changed build", pair.what);
}

fn with_changed(what: &'static str, server: Option<Vec<String>>) {
    let Some(server) = server else { return };
    let changed = server.iter().cloned().chain(["changed".to_string()]).collect();
    holds(&Pair { what, server, changed });
}

#[test]
fn python_sdk() {
    let what = "ACP Python SDK";
    let program = installed().join("acp/bin/python").display().to_string();
    with_changed(what, command(what, &[&program, &ours("acp_agent.py")]));
}

#[test]
fn typescript_sdk() {
    let what = "ACP TypeScript SDK";
    let script = installed().join("npm/acp_agent.mjs").display().to_string();
    with_changed(what, command(what, &["node", &script]));
}
