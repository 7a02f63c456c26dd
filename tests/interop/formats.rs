//! Logs of other people's programs, through the whole program: `rpctape ls --format json` against counts that were made
//! by other means.
//!
//! A side that the audit resolved or inferred is as good as none where the counts name none.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Samples of which we read more than was counted, and what is then not compared: the counts were made without
/// reading Python's and Node's literals, and without the lines that lsp-mode marks with `<<<<`.
const READ_MORE: [(&str, &str); 4] = [
    ("pylsp-verbose/1.log", "cancellations"),
    ("supergateway/1.log", "error_codes"),
    ("supergateway/2.log", "error_codes"),
    ("lsp-mode-print-io/1.txt", "messages"),
];

/// Recognised and refused, with the program that converts them.
const REFUSED: [(&str, &str); 2] = [("mitmproxy-flow/1.mitm", "mitmdump"), ("pcap-loopback-http/1.pcap", "tshark")];

/// Logs of one MCP session and of one LSP session, each written by several programs.
const SAME_MCP: [&str; 5] = [
    "jsonl-wrapped/1.jsonl",
    "jsonl-wrapped/2.jsonl",
    "json-array/1.json",
    "vscode-mcp-output/1.log",
    "mcpsnoop-jsonl/1.jsonl",
];
const SAME_LSP: [&str; 4] = [
    "emacs-jsonrpc-json/1.log",
    "sublime-lsp-panel/1.log",
    "vscode-lsp-json/1.log",
    "vscode-trace-logoutputchannel/1.log",
];

/// Runs the program; gives its exit code, what it printed, and what it said on the side.
fn rpctape(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_rpctape")).args(arguments).env_clear().output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// Kinds over all ways, without what is not there.
fn in_sum(ways: &Value) -> BTreeMap<String, u64> {
    let mut sum = BTreeMap::new();
    for (kind, count) in ways.as_object().into_iter().flatten().filter_map(|(_, kinds)| kinds.as_object()).flatten() {
        *sum.entry(kind.clone()).or_insert(0) += count.as_u64().unwrap_or(0);
    }
    sum.retain(|_, count| *count > 0);
    sum
}

/// Kinds of each way, without what is not there.
fn by_way(ways: &Value) -> BTreeMap<String, BTreeMap<String, u64>> {
    let all = ways.as_object().into_iter().flatten();
    let each = all.map(|(way, kinds)| (way.clone(), in_sum(&serde_json::json!({ "": kinds }))));
    each.filter(|(_, kinds)| !kinds.is_empty()).collect()
}

fn cancels(list: &Value) -> BTreeMap<String, u64> {
    let mut sum = BTreeMap::new();
    for cancel in list.as_array().into_iter().flatten() {
        *sum.entry(cancel["method"].to_string()).or_insert(0) += cancel["count"].as_u64().unwrap_or(0);
    }
    sum
}

fn compare(got: &Value, want: &Value, beside: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut hold = |what: &str, got: String, want: String| {
        if got != want {
            wrong.push(format!("{what}: {got}, want {want}"));
        }
    };
    if beside != "messages" {
        hold("messages", got["messages"].to_string(), want["messages"].to_string());
        let ways = want["by_direction"].as_object().expect("ways");
        let sided = ways.keys().all(|way| way.contains("->"));
        match sided {
            true => hold(
                "ways",
                format!("{:?}", by_way(&got["by_direction"])),
                format!("{:?}", by_way(&want["by_direction"])),
            ),
            false => hold(
                "kinds",
                format!("{:?}", in_sum(&got["by_direction"])),
                format!("{:?}", in_sum(&want["by_direction"])),
            ),
        }
    }
    if beside != "cancellations" {
        let both = (cancels(&got["cancellations"]), cancels(&want["cancellations"]));
        hold("cancellations", format!("{:?}", both.0), format!("{:?}", both.1));
    }
    if beside != "error_codes" {
        hold("error codes", got["error_codes"].to_string(), want["error_codes"].to_string());
    }
    hold("first", got["first"].to_string(), want["first"].to_string());
    hold("last", got["last"].to_string(), want["last"].to_string());
    wrong
}

#[test]
fn other_peoples_logs_give_the_counts_that_were_made_of_them() {
    let Some(folder) = crate::shared("formats") else { return };
    let expected = fs::read_to_string(folder.join("expected.json")).expect("expected.json");
    let expected: BTreeMap<String, Value> = serde_json::from_str(&expected).expect("JSON");
    let mut wrong = Vec::new();
    for (key, want) in &expected {
        let path = folder.join(key).to_string_lossy().into_owned();
        let (code, out, said) = rpctape(&["ls", "--format", "json", &path]);
        if let Some((_, program)) = REFUSED.iter().find(|(name, _)| name == key) {
            if code != Some(2) || !said.contains(program) {
                wrong.push(format!("{key} is not refused with a hint at {program}: {said}"));
            }
            continue;
        }
        let Ok(listing) = serde_json::from_str::<Value>(&out) else {
            wrong.push(format!("{key}: {said}"));
            continue;
        };
        let beside = READ_MORE.iter().find(|(name, _)| name == key).map_or("", |(_, beside)| beside);
        let differences = compare(&listing["sources"][0], want, beside);
        wrong.extend(differences.into_iter().map(|difference| format!("{key}: {difference}")));
    }
    println!("{} samples of other people's logs compared; beside: {READ_MORE:?}", expected.len());
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(expected.len() >= 67, "only {} samples", expected.len());
}

/// Code, certainty and id of each finding that does not rest on a time.
fn findings(path: &Path) -> Vec<(String, String)> {
    let (_, out, said) = rpctape(&["check", "--format", "jsonl", "--ignore", "CAP", &path.to_string_lossy()]);
    let objects = out.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut found: Vec<_> = objects
        .filter(|object| object["type"] == "finding")
        .map(|object| (object["code"].to_string(), object["certainty"].to_string()))
        .collect();
    assert!(!out.is_empty(), "{}: {said}", path.display());
    found.sort();
    found
}

#[test]
fn one_session_in_several_logs_gives_the_same_findings() {
    let Some(folder) = crate::shared("formats") else { return };
    for group in [&SAME_MCP[..], &SAME_LSP[..]] {
        let first = findings(&folder.join(group[0]));
        for other in &group[1..] {
            assert_eq!(first, findings(&folder.join(other)), "{} and {other}", group[0]);
        }
        println!("{} logs of one session give the same {} findings", group.len(), first.len());
    }
}
