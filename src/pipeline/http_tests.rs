//! HTTP: which request an answer belongs to.

use serde_json::{Value, json};

use super::*;
use crate::store::{FindingFilter, Raw, Store};

/// An entry that starts after `at` milliseconds and takes `ms`.
fn entry(at: u32, ms: u32, session: Option<&str>, request: Value, answers: &[Value]) -> Value {
    let headers: Vec<Value> = session.iter().map(|id| json!({"name": "Mcp-Session-Id", "value": id})).collect();
    let text: String = answers.iter().map(|answer| format!("data: {answer}\n\n")).collect();
    json!({
        "startedDateTime": format!("2026-01-05T00:00:{:02}.{:03}Z", at / 1000, at % 1000), "time": ms,
        "request": {"method": "POST", "url": "http://h/mcp", "headers": headers, "postData": {"text": request.to_string()}},
        "response": {"status": if answers.is_empty() { 202 } else { 200 }, "headers": [],
            "content": {"mimeType": "text/event-stream", "text": text}},
    })
}

/// The same with a response of one piece.
fn in_one_piece(mut entry: Value) -> Value {
    let content = &mut entry["response"]["content"];
    let text = content["text"].as_str().map(|text| text.trim_start_matches("data: ").trim_end().to_string());
    *content = json!({"mimeType": "application/json", "text": text});
    entry
}

fn call(id: u32) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "x", "_meta": {"progressToken": id}}})
}

fn answer(id: u32) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": {}})
}

fn progress(token: u32, value: u32) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token, "progress": value}})
}

fn open(at: u32, ms: u32, session: Option<&str>) -> Vec<Value> {
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"},
        "serverInfo": {"name": "s", "version": "1"}});
    let done = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let ask = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello});
    let answer = json!({"jsonrpc": "2.0", "id": 0, "result": hello});
    vec![entry(at, ms, session, ask, &[answer]), entry(at + ms + 20, 4, session, done, &[])]
}

/// How an exchange ended, and after how many milliseconds.
type Ended = (String, Option<i64>);

/// The exchanges (outcome, milliseconds) in the order of their requests, and what was found (code, certainty).
fn audit(entries: Vec<Value>) -> (Vec<Ended>, Vec<(String, String)>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.har");
    std::fs::write(&path, json!({"log": {"version": "1.2", "creator": {"name": "x"}, "entries": entries}}).to_string())
        .unwrap();
    let mut store = Store::temporary().unwrap();
    ingest(&mut store, &[path.display().to_string()], &Options::default(), &mut Quiet).unwrap();
    let mut exchanges = Vec::new();
    store
        .exchanges(crate::store::ExchangeFilter::default(), |row| {
            exchanges.push((row.sent_at_us, row.outcome.clone(), row.latency_us.map(|us| us / 1000)));
            Ok(())
        })
        .unwrap();
    exchanges.sort();
    let found = store.all_findings(&FindingFilter::default(), Raw::None).unwrap();
    let found = found.into_iter().map(|finding| (finding.code, finding.certainty.to_string())).collect();
    (exchanges.into_iter().map(|(_, outcome, ms)| (outcome, ms)).collect(), found)
}

fn times(exchanges: &[(String, Option<i64>)]) -> Vec<Option<i64>> {
    exchanges.iter().map(|(_, ms)| *ms).collect()
}

#[test]
fn clients_without_sessions_share_ids_and_tokens() {
    let mut entries = open(0, 200, None);
    entries.extend(open(100, 300, None));
    entries.push(entry(1000, 5000, None, call(1), &[progress(1, 5), progress(1, 6), answer(1)]));
    entries.push(entry(2000, 2000, None, call(1), &[progress(1, 1), progress(1, 2), answer(1)]));
    entries.push(entry(2500, 9000, None, call(1), &[progress(1, 3), answer(1)]));
    let (exchanges, found) = audit(entries);
    assert_eq!(times(&exchanges), [200, 300, 5000, 2000, 9000].map(Some));
    assert!(found.iter().all(|(_, certainty)| certainty == "undecidable"), "{found:?}");
}

#[test]
fn within_a_session_the_reuse_is_proven_and_answers_still_find_their_post() {
    let mut entries = open(0, 20, Some("s"));
    entries.push(entry(1000, 5000, Some("s"), call(1), &[answer(1)]));
    entries.push(entry(2000, 30, Some("s"), call(1), &[answer(1)]));
    let (exchanges, found) = audit(entries);
    assert_eq!(times(&exchanges), [20, 5000, 30].map(Some));
    // The stream may have been open behind its answer: the id was used twice, and perhaps not in flight.
    assert!(found.contains(&("RPC011".into(), "violation".into())), "{found:?}");
    assert!(!found.iter().any(|(code, _)| ["RPC008", "RPC009", "RPC010"].contains(&code.as_str())), "{found:?}");
    let mut entries = open(0, 20, Some("s"));
    entries.push(in_one_piece(entry(1000, 5000, Some("s"), call(1), &[answer(1)])));
    entries.push(entry(2000, 30, Some("s"), call(1), &[answer(1)]));
    let (_, found) = audit(entries);
    assert!(found.contains(&("RPC010".into(), "violation".into())), "{found:?}");
}

#[test]
fn a_second_answer_is_about_the_request_of_its_own_post() {
    let mut entries = open(0, 20, Some("s"));
    entries.push(entry(1000, 5000, Some("s"), call(1), &[answer(1)]));
    entries.push(entry(2000, 30, Some("s"), call(1), &[answer(1), answer(1)]));
    let (exchanges, found) = audit(entries);
    assert_eq!(exchanges[1].1, Some(5000));
    assert!(found.contains(&("RPC008".into(), "violation".into())), "{found:?}");
}

#[test]
fn an_answer_to_nobody_in_the_response_to_a_post_is_proven_in_any_log() {
    let (exchanges, found) = audit(vec![entry(0, 30, None, call(4), &[answer(9)])]);
    assert_eq!(exchanges[0].0, "unanswered");
    assert!(found.contains(&("RPC009".into(), "violation".into())), "{found:?}");
}

#[test]
fn a_cancel_by_id_proves_nothing_where_its_client_is_not_known() {
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    let late = |session: Option<&str>, put: fn(Value) -> Value| {
        let mut entries = open(0, 20, session);
        entries.push(put(entry(1000, 30_000, session, call(1), &[answer(1)])));
        entries.push(entry(2000, 4, session, cancel.clone(), &[]));
        for at in 0..5 {
            entries.push(entry(3000 + at * 100, 20, session, call(10 + at), &[answer(10 + at)]));
        }
        let (_, found) = audit(entries);
        found.into_iter().find(|(code, _)| code == "CAN010").map(|(_, certainty)| certainty)
    };
    assert_eq!(late(Some("s"), in_one_piece).as_deref(), Some("violation"));
    assert_eq!(late(None, in_one_piece).as_deref(), Some("undecidable"));
    // In an event stream it had come when that ended, and perhaps before the cancel.
    assert_eq!(late(Some("s"), |entry| entry).as_deref(), Some("undecidable"));
}
