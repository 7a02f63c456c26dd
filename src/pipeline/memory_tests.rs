//! What the fold has forgotten is asked of the store, and a judgement from the store is the one of the pass.

use super::*;
use crate::error::ErrorKind;
use crate::session::Settings;
use crate::store::{FindingFilter, Raw, Store};

/// Remembers one settled exchange, so that nearly every late word is a question.
fn forgetful() -> Options {
    Options { settings: Settings { window: 1, ..Settings::default() }, ..Options::default() }
}

fn line(t: usize, conn: &str, dir: &str, msg: &str) -> String {
    format!(
        "{{\"ts\":\"2026-01-05T00:00:{:02}.{:03}Z\",\"conn\":\"{conn}\",\"dir\":\"{dir}\",\"msg\":{msg}}}\n",
        t % 60,
        u8::from(dir == "s2c")
    )
}

fn call(t: usize, conn: &str, id: &str) -> String {
    let ask = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"a","n":{t}}}}}"#);
    let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[]}}}}"#);
    line(t, conn, "c2s", &ask) + &line(t, conn, "s2c", &answer)
}

fn hello(t: usize, conn: &str) -> String {
    let ask = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    let answer = r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"2"}}}"#;
    let done = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    line(t, conn, "c2s", ask) + &line(t, conn, "s2c", answer) + &line(t + 1, conn, "c2s", done)
}

fn cancel(t: usize, conn: &str, id: &str) -> String {
    let text = format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#);
    line(t, conn, "c2s", &text)
}

/// Findings about cancels, answers and ids (code, line, certainty), by the pass and by an audit of the store, which must agree.
fn judged(log: &str, name: &str) -> Vec<(String, u64, String)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, log).unwrap();
    let mut store = Store::write(&folder.path().join("a.db")).unwrap();
    ingest(&mut store, &[path.display().to_string()], &forgetful(), &mut Quiet).unwrap();
    let once = store.dump_derived();
    audit(&mut store, &forgetful(), &mut Quiet).unwrap();
    assert_eq!(once, store.dump_derived());
    let found = store.all_findings(&FindingFilter::default(), Raw::None).unwrap();
    let kept = found.into_iter().filter(|finding| finding.code.starts_with("CAN") || finding.code.starts_with("RPC"));
    kept.map(|finding| (finding.code, finding.line, finding.certainty)).collect()
}

fn row(code: &str, line: u64, certainty: &str) -> (String, u64, String) {
    (code.into(), line, certainty.into())
}

#[test]
fn an_id_is_found_again_however_it_was_spelled() {
    // One text, one id: with an escape, without one, and with another one.
    let log = hello(0, "a")
        + &call(10, "a", r#""q\u0041\"""#)
        + &call(20, "a", "2")
        + &call(30, "a", "3")
        + &cancel(35, "a", r#""qA\"""#)
        + &cancel(36, "a", r#""qA""#);
    assert_eq!(judged(&log, "a.jsonl"), [row("CAN005", 10, "violation"), row("CAN004", 11, "violation")]);
}

#[test]
fn each_connection_is_asked_about_its_own_ids() {
    // Both use an id again after it was forgotten; only one is in the other's log.
    let mut log = hello(0, "a") + &hello(2, "b");
    for (from, conn, ids) in [(10, "a", ["1", "2", "3"]), (13, "b", ["7", "8", "9"])] {
        ids.iter().enumerate().for_each(|(at, id)| log += &call(from + at, conn, id));
    }
    log += &(call(20, "a", "1") + &call(21, "b", "8") + &call(22, "b", "9"));
    let found = judged(&log, "a.jsonl");
    let again: Vec<u64> = found.iter().filter(|(code, ..)| code == "RPC011").map(|(_, line, _)| *line).collect();
    assert_eq!(again, [19, 21, 23], "{found:?}");
}

#[test]
fn a_question_that_cannot_be_answered_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    std::fs::write(&path, hello(0, "a") + &call(10, "a", "1")).unwrap();
    let mut store = Store::write(&folder.path().join("a.db")).unwrap();
    ingest(&mut store, &[path.display().to_string()], &forgetful(), &mut Quiet).unwrap();
    let mut oracle = store.oracle().unwrap();
    store.run("ALTER TABLE frame RENAME TO away");
    use crate::session::Oracle;
    let found = oracle.request(1, crate::protocol::Side::Client, &crate::jsonrpc::Id::Int(1), 99);
    assert_eq!(found, None);
    assert!(oracle.failed().is_err_and(|error| error.kind == ErrorKind::Database));
    assert!(oracle.failed().is_ok(), "said once");
}

#[test]
fn what_stood_on_streams_or_was_translated_is_judged_from_the_store_as_in_the_pass() {
    for name in
        ["har", "neovim-lsp-log", "mcp-python-sdk-debug", "emacs-jsonrpc-plist", "http-exchange", "gopls-rpc-trace"]
    {
        let folder = format!("{}/samples/formats/{name}", env!("CARGO_MANIFEST_DIR"));
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let input = [path.display().to_string()];
            let mut store = Store::temporary().unwrap();
            if ingest(&mut store, &input, &Options::default(), &mut Quiet).is_err() {
                continue;
            }
            let once = store.dump_derived();
            audit(&mut store, &Options::default(), &mut Quiet).unwrap();
            assert_eq!(once, store.dump_derived(), "{}", path.display());
        }
    }
}
