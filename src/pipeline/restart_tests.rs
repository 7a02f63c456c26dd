//! Several servers, one after the other, under one name of a log.

use super::*;
use crate::store::{FindingFilter, Raw, Store};

/// Key, messages and certain findings of each connection of the logs.
fn audit(logs: &[&str]) -> (Vec<(String, u64)>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for (number, log) in logs.iter().enumerate() {
        let path = folder.path().join(format!("{number}.jsonl"));
        std::fs::write(&path, log).unwrap();
        paths.push(path.display().to_string());
    }
    let mut store = Store::temporary().unwrap();
    ingest(&mut store, &paths, &Options::default(), &mut Quiet).unwrap();
    let connections = store.connections().unwrap();
    let connections = connections.into_iter().map(|one| (one.key, one.messages)).collect();
    let findings = store.all_findings(&FindingFilter::default(), Raw::None).unwrap();
    let certain = findings.into_iter().filter(|finding| finding.certainty == "violation" && finding.severity != "note");
    (connections, certain.map(|finding| format!("{} at {}", finding.code, finding.line)).collect())
}

fn helix(lines: &[&str]) -> String {
    let line = |(at, text): (usize, &&str)| {
        let (arrow, json) = text.split_once(' ').unwrap();
        format!("2026-05-04T08:00:00.{at:03} helix_lsp::transport [INFO] gopls {arrow} {json}\n")
    };
    lines.iter().enumerate().map(line).collect()
}

const HELLO: [&str; 3] = [
    r#"-> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"processId":3,"rootUri":"file:///w","capabilities":{}}}"#,
    r#"<- {"jsonrpc":"2.0","id":0,"result":{"capabilities":{}}}"#,
    r#"-> {"jsonrpc":"2.0","method":"initialized","params":{}}"#,
];

#[test]
fn the_last_messages_of_an_old_server_are_not_the_new_ones() {
    let mut lines = HELLO.to_vec();
    lines.extend([
        r#"-> {"jsonrpc":"2.0","id":1,"method":"shutdown"}"#,
        HELLO[0],
        r#"<- {"jsonrpc":"2.0","id":1,"result":null}"#,
        r#"-> {"jsonrpc":"2.0","method":"exit"}"#,
        HELLO[1],
        HELLO[2],
        r#"-> {"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{}}"#,
        r#"<- {"jsonrpc":"2.0","id":1,"result":null}"#,
    ]);
    let (connections, findings) = audit(&[&helix(&lines)]);
    assert_eq!(connections.iter().map(|one| one.1).collect::<Vec<_>>(), [6, 5]);
    assert_eq!(findings, Vec::<String>::new());
}

#[test]
fn a_server_after_a_shutdown_is_another_whatever_its_ids() {
    let mut lines = HELLO.to_vec();
    lines.extend([
        r#"-> {"jsonrpc":"2.0","id":1,"method":"shutdown"}"#,
        r#"<- {"jsonrpc":"2.0","id":1,"result":null}"#,
        r#"-> {"jsonrpc":"2.0","method":"exit"}"#,
        r#"-> {"jsonrpc":"2.0","id":57,"method":"initialize","params":{"processId":3,"rootUri":null,"capabilities":{}}}"#,
        r#"<- {"jsonrpc":"2.0","id":57,"result":{"capabilities":{}}}"#,
        HELLO[2],
    ]);
    let (connections, findings) = audit(&[&helix(&lines)]);
    assert_eq!(connections.iter().map(|one| one.1).collect::<Vec<_>>(), [6, 3]);
    assert_eq!(findings, Vec::<String>::new());
}

#[test]
fn work_after_a_shutdown_is_a_fault_all_the_same() {
    let mut lines = HELLO.to_vec();
    lines.extend([
        r#"-> {"jsonrpc":"2.0","id":1,"method":"shutdown"}"#,
        r#"-> {"jsonrpc":"2.0","id":2,"method":"textDocument/hover","params":{}}"#,
        r#"<- {"jsonrpc":"2.0","id":1,"result":null}"#,
    ]);
    let (_, findings) = audit(&[&helix(&lines)]);
    assert_eq!(findings, ["LIF006 at 5"]);
}
