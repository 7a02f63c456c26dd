//! What a database answers about one request and what surrounds it.

use super::*;
use crate::protocol::Side;

/// A call that is cancelled and answered a minute later, and one that is cancelled and, rightly, not answered.
fn stored() -> (Store, i64) {
    let folder = Folder::new();
    let silent = [
        line(70_000, "c2s", r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}"#),
        line(71_000, "c2s", r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#),
        line(72_000, "s2c", r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#),
    ];
    let log = folder.write("a.jsonl", &(handshake() + &late(4000, "1") + &silent.concat()));
    let mut store = Store::temporary().unwrap();
    into(&mut store, &[log]);
    let connection = store.connections().unwrap()[0].id;
    (store, connection)
}

fn lines<T>(rows: crate::error::Result<Vec<T>>, line: impl Fn(&T) -> u64) -> Vec<u64> {
    rows.unwrap().iter().map(line).collect()
}

#[test]
fn what_surrounds_a_request_is_told_in_its_order() {
    let (store, connection) = stored();
    let all = store.units_after(connection, 0, 100).unwrap();
    assert_eq!(all.iter().map(|unit| unit.line).collect::<Vec<_>>(), (1..=10).collect::<Vec<_>>());
    let call = &all[3];
    let told = (call.sender.as_deref(), call.kind.as_str(), call.method.as_deref(), call.rpc_id.as_deref());
    assert_eq!(told, (Some("client"), "request", Some("tools/call"), Some("1")));
    assert!(call.at_us.is_some_and(|us| us - all[0].at_us.unwrap() == 4_000_000));
    let line = |unit: &crate::store::UnitRow| unit.line;
    assert_eq!(lines(store.units_after(connection, call.id, 2), line), [4, 5]);
    assert_eq!(lines(store.units_before(connection, call.id, 2), line), [2, 3]);
    assert_eq!(lines(store.last_units(connection, 3), line), [8, 9, 10]);
    let spoke = |side, from| store.spoke_after(connection, side, from).unwrap();
    assert!(spoke(Side::Server, call.id) && spoke(Side::Client, call.id));
    assert!(!spoke(Side::Client, all[8].id) && spoke(Side::Server, all[8].id));
    assert!(!spoke(Side::Server, all[9].id), "it is behind that frame, not at it");
}

#[test]
fn requests_of_a_connection_are_told_from_both_ends() {
    let (store, connection) = stored();
    let line = |row: &crate::store::ExchangeRow| row.line;
    assert_eq!(lines(store.exchanges_after(connection, 0, 2), line), [1, 4]);
    let last = store.last_exchanges(connection, 2).unwrap();
    let mut of: Vec<u64> = last.iter().map(|row| row.line).collect();
    of.sort_unstable();
    assert_eq!(of, [4, 8]);
    let silent = last.iter().find(|row| row.line == 8).unwrap();
    assert_eq!(silent.outcome, "silent");
    // Nothing was due after its cancel: that is when it was settled.
    assert_eq!(silent.settled_at_us, silent.sent_at_us.map(|us| us + 1_000_000));
    let answered = store.exchange(last.iter().find(|row| row.line == 4).unwrap().id).unwrap().unwrap();
    assert_eq!(answered.settled_at_us, answered.sent_at_us.map(|us| us + 60_000_000));
    assert!(store.nested_exchanges(answered.id).unwrap().is_empty());
    store.serves(&[(answered.id as u64, silent.id as u64)]).unwrap();
    assert_eq!(lines(store.nested_exchanges(answered.id), line), [8]);
    assert_eq!(store.cancellations_of_connection(connection).unwrap().len(), 2);
    assert_eq!(store.cancellations_of_exchange(silent.id).unwrap().len(), 1);
}

#[test]
fn what_rules_say_of_a_request_and_its_progress_stand_beside_it() {
    let (store, connection) = stored();
    let call = store.exchanges_after(connection, 0, 2).unwrap().pop().unwrap();
    let said = store.said(&["CAN010", "STK001"]).unwrap();
    let told: Vec<_> = said.iter().map(|row| (row.exchange_id, row.code.as_str(), row.certainty.as_str())).collect();
    assert_eq!(told, [(call.id, "CAN010", "violation")]);
    assert!(said[0].summary.contains("was cancelled") && store.said(&["RPC001"]).unwrap().is_empty());
    let signs = store.signs_of_life(call.id, 10).unwrap();
    let told: Vec<_> = signs.iter().map(|sign| (sign.progress.as_deref(), sign.total.as_deref())).collect();
    assert_eq!(told, [(Some("1"), None)]);
    assert!(store.with_gaps().unwrap().is_empty());
}

#[test]
fn traffic_is_counted_by_way_and_kind() {
    let (store, _) = stored();
    let mut rows: Vec<_> = store.traffic(&["notifications/cancelled"]).unwrap();
    rows.sort_by(|a, b| (&a.direction, &a.kind, &a.cancel_method).cmp(&(&b.direction, &b.kind, &b.cancel_method)));
    let told: Vec<_> = rows
        .iter()
        .map(|row| (row.direction.as_str(), row.kind.as_str(), row.cancel_method.is_some(), row.count))
        .collect();
    let want = [
        ("client->server", "notification", false, 1),
        ("client->server", "notification", true, 2),
        ("client->server", "request", false, 3),
        ("server->client", "notification", false, 2),
        ("server->client", "response", false, 2),
    ];
    assert_eq!(told, want);
}

#[test]
fn a_small_fact_is_what_was_said_last() {
    let (store, _) = stored();
    assert_eq!(store.meta("nothing of this name").unwrap(), None);
    store.set_meta("k", "a").unwrap();
    store.set_meta("k", "b").unwrap();
    assert_eq!(store.meta("k").unwrap().as_deref(), Some("b"));
}

#[test]
fn a_cancel_settles_nothing_where_an_answer_is_due_all_the_same() {
    let folder = Folder::new();
    let asked =
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"processId":1,"rootUri":null,"capabilities":{}}}"#;
    let hover = r#"{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///a"},"position":{"line":0,"character":0}}}"#;
    let log = [
        line(0, "c2s", asked),
        line(5, "s2c", r#"{"jsonrpc":"2.0","id":0,"result":{"capabilities":{}}}"#),
        line(9, "c2s", r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#),
        line(100, "c2s", hover),
        line(200, "c2s", r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#),
    ];
    let mut store = Store::temporary().unwrap();
    into(&mut store, &[folder.write("a.jsonl", &log.concat())]);
    let row = store.last_exchanges(store.connections().unwrap()[0].id, 1).unwrap().remove(0);
    assert_eq!((row.line, row.outcome.as_str(), row.settled_at_us), (4, "unanswered", None));
}
