//! What is sent to a live server, and what is not.

use super::*;
use crate::replay::options::FlowRule;
use crate::replay::policy::Ruling;

const S15: &str = r#"
10 c> {"id":2,"method":"tools/list"}
12 s> {"id":2,"result":{"tools":[{"name":"search","annotations":{"readOnlyHint":true}},{"name":"delete_all"},{"name":"rename","annotations":{"readOnlyHint":false,"idempotentHint":true}},{"name":"get_order","annotations":{"readOnlyHint":true}}]}}
20 c> {"id":3,"method":"tools/call","params":{"name":"search","arguments":{}}}
22 s> {"id":3,"result":{}}
30 c> {"id":4,"method":"tools/call","params":{"name":"delete_all","arguments":{}}}
32 s> {"id":4,"result":{"structuredContent":{"id":"o-1"}}}
40 c> {"id":5,"method":"tools/call","params":{"name":"rename","arguments":{}}}
42 s> {"id":5,"result":{}}
50 c> {"id":6,"method":"tools/call","params":{"name":"get_order","arguments":{"id":"o-1"}}}
52 s> {"id":6,"result":{}}
"#;

fn careful() -> Options {
    let mut options = options();
    options.policy.allow.clear();
    options.rewrite.flows = vec![FlowRule {
        from: "delete_all".into(),
        from_at: "/result/structuredContent/id".into(),
        to: "get_order".into(),
        to_at: "/params/arguments/id".into(),
    }];
    options
}

fn shop(search_reads: bool) -> impl FnMut(&mut Wire, &Value) {
    move |wire, message| match message["method"].as_str() {
        Some("initialize") => handshake(wire, message),
        Some("tools/list") => {
            let tools = json!([{"name":"search","annotations":{"readOnlyHint":search_reads}},{"name":"delete_all"}]);
            wire.result(1, message, json!({"tools": tools}));
        }
        Some(_) if !message["id"].is_null() => drop(wire.result(1, message, json!({}))),
        _ => {}
    }
}

fn calls(played: &Played) -> Vec<String> {
    let names = played.wire.with("tools/call").into_iter();
    names.map(|(_, message)| message["params"]["name"].as_str().unwrap_or("").to_string()).collect()
}

#[test]
fn only_what_is_known_to_read_is_sent() {
    let played = play(&mcp(S15), &careful(), shop(true));
    assert_eq!(calls(&played), ["search"]);
    let refused = Fate::NotSent("policy: not read-only".into());
    assert_eq!((&played.run("#4").fate, &played.run("#5").fate), (&refused, &refused));
    assert_eq!(played.run("#6").fate, Fate::Blocked("#4".into()));
}

#[test]
fn the_live_hint_has_the_last_word() {
    let played = play(&mcp(S15), &careful(), shop(false));
    assert!(calls(&played).is_empty());
    assert_eq!(played.run("#3").fate, Fate::NotSent("hint differs from recording".into()));
    let unlisted =
        S15.replace(r#""name":"search""#, r#""name":"other""#).replacen(r#""name":"other""#, r#""name":"gone""#, 1);
    let played = play(&mcp(&unlisted.replace("\"other\"", "\"search\"")), &careful(), shop(true));
    assert_eq!(calls(&played), ["search"], "a tool that only the live list knows goes by that");
}

#[test]
fn what_a_dry_run_shows() {
    let plan = planned(&mcp(S15), &careful());
    let connection = &plan.connections[0];
    assert_eq!(connection.allow, ["tools/call:delete_all", "tools/call:rename"]);
    let left_out: Vec<(&str, &str)> =
        connection.steps.iter().filter_map(|step| Some((step.label.as_str(), step.left_out.as_deref()?))).collect();
    assert_eq!(
        left_out,
        [
            ("#4 tools/call delete_all", "policy: not read-only"),
            ("#5 tools/call rename", "policy: not read-only"),
            ("#6 tools/call get_order", "blocked by #4"),
        ]
    );
    assert_eq!(plan.selected, 2, "the list and the search");
    assert_eq!(connection.estimate.sent_us.iter().filter(|sent| sent.is_none()).count(), 3);
    assert_eq!(connection.rulings[2], Ruling::ByHint);
}

#[test]
fn deny_wins_and_a_selection_keeps_the_handshake() {
    let mut all = careful();
    all.policy.allow_all = true;
    all.policy.deny = vec!["tools/call:search".into()];
    assert_eq!(calls(&play(&mcp(S15), &all, shop(true))), ["delete_all", "rename"], "get_order lacks its value");
    let mut some = careful();
    some.policy.only = vec!["nothing".into()];
    let played = play(&mcp(S15), &some, shop(true));
    assert_eq!(planned(&mcp(S15), &some).selected, 0);
    assert_eq!(played.wire.sent.len(), 2, "initialize and initialized");
    some.policy.only = vec!["#3".into()];
    assert_eq!(planned(&mcp(S15), &some).selected, 1);
    some.policy = Default::default();
    some.policy.from = Some("#3".into());
    some.policy.to = Some("4".into());
    assert_eq!(planned(&mcp(S15), &some).selected, 1, "4 is in the range and refused");
    some.policy.from = Some("#99".into());
    assert!(
        plan(
            &Recording { name: "t".into(), format: "rec".into(), connections: vec![mcp(S15)], unread: Vec::new() },
            &some
        )
        .is_err()
    );
}

#[test]
fn what_gives_a_chosen_request_its_value_is_chosen_with_it() {
    let trace = r#"
    10 c> {"id":2,"method":"tools/list","params":{}}
    15 s> {"id":2,"result":{"tools":[],"nextCursor":"c1"}}
    20 c> {"id":3,"method":"tools/list","params":{"cursor":"c1"}}
    25 s> {"id":3,"result":{"tools":[],"nextCursor":"c2"}}
    30 c> {"id":4,"method":"tools/list","params":{"cursor":"c2"}}
    35 s> {"id":4,"result":{"tools":[]}}
    40 c> {"id":5,"method":"ping"}
    45 s> {"id":5,"result":{}}
    "#;
    let mut last = options();
    last.policy.only = vec!["#4".into()];
    assert_eq!(planned(&mcp(trace), &last).selected, 3);
}

#[test]
fn eras_are_not_crossed_and_another_revision_is_said() {
    let trace = "10 c> {\"id\":2,\"method\":\"ping\"}\n12 s> {\"id\":2,\"result\":{}}";
    let played = play(&mcp(trace), &options(), |wire, message| {
        wire.say(1, json!({"id": message["id"], "error": {"code": -32601, "message": "no such method"}}));
    });
    let broken = played.log.broken.clone().expect("broken");
    assert!(
        matches!(&broken, crate::replay::run::Broken::Era(why) if why.starts_with("recording is initialize-based"))
    );
    assert_eq!(played.wire.sent.len(), 1);
    let settled = |version: Value| {
        let played = play(&mcp(trace), &options(), |wire, message| match message["method"].as_str() {
            Some("initialize") => drop(wire.result(1, message, json!({"protocolVersion": version}))),
            Some("ping") => drop(wire.result(1, message, json!({}))),
            _ => {}
        });
        played.log.revision
    };
    assert_eq!(settled(json!("2025-06-18")).as_deref(), Some("2025-06-18"));
    assert_eq!(settled(Value::Null), None, "null is no revision");
}

#[test]
fn a_server_that_never_stops_to_write_is_left() {
    let recorded = mcp("10 c> {\"id\":2,\"method\":\"ping\"}\n12 s> {\"id\":2,\"result\":{}}");
    let plan = planned(&recorded, &options());
    let left = |texts: u32, text: &[u8]| {
        let mut engine = Engine::new(&recorded, &plan.connections[0], &options());
        engine.arrival(0, &Incoming::Ready);
        let noise = Incoming::Raw { bytes: text.to_vec(), cut: false };
        (1..=i64::from(texts)).for_each(|at| engine.arrival(at, &noise));
        let asked = std::iter::from_fn(|| engine.next()).any(|order| order == Outgoing::Abort);
        let log = engine.finish();
        let counted = log.notes.iter().any(|note| note.contains("no JSON-RPC"));
        match log.broken {
            Some(crate::replay::run::Broken::Left(why)) => asked.then_some((why, counted)),
            other => panic!("it may find its way: {other:?}, {asked}"),
        }
    };
    let many = crate::replay::engine::arrive::FLOOD;
    assert!(left(many, b"working ...").is_some_and(|(why, counted)| why.contains("no JSON-RPC") && counted));
    let long = left(1, &vec![b'['; crate::live::link::MESSAGE_BYTES]);
    assert!(long.is_some_and(|(why, counted)| why.contains("longer than 64 MiB") && !counted), "it may be one");
}

#[test]
fn a_server_that_writes_much_besides_is_played_with() {
    let recorded = mcp("10 c> {\"id\":2,\"method\":\"ping\"}\n12 s> {\"id\":2,\"result\":{}}");
    let plan = planned(&recorded, &options());
    let mut engine = Engine::new(&recorded, &plan.connections[0], &options());
    engine.arrival(0, &Incoming::Ready);
    let noise = Incoming::Raw { bytes: b"working ...".to_vec(), cut: false };
    (1..i64::from(crate::replay::engine::arrive::FLOOD)).for_each(|at| engine.arrival(at, &noise));
    assert!(std::iter::from_fn(|| engine.next()).all(|order| order != Outgoing::Abort));
    assert_eq!(engine.finish().broken, None);
}

#[test]
fn a_run_that_is_broken_off_tells_which_cancels_it_did_not_come_to() {
    let trace = r#"
    10 c> {"id":2,"method":"tools/call","params":{"name":"slow"}}
    310 c> {"method":"notifications/cancelled","params":{"requestId":2}}
    "#;
    let recorded = mcp(trace);
    let mut engine = Engine::new(&recorded, &planned(&recorded, &options()).connections[0], &options());
    engine.arrival(0, &Incoming::Ready);
    let answer = br#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}"#.to_vec();
    engine.arrival(5 * MS, &Incoming::Message { stream: None, bytes: answer, event_id: None });
    engine.tick(20 * MS);
    engine.tick(50 * MS);
    engine.stop(100 * MS, crate::replay::run::Broken::Deadline);
    let run = &engine.finish().exchanges[1];
    let cancel = run.cancel.as_ref().expect("a cancel");
    assert_eq!(
        (&run.fate, cancel.status, cancel.sent_us),
        (&Fate::Sent, crate::replay::run::CancelStatus::NotSent, None)
    );
}

#[test]
fn a_server_that_does_not_end_when_it_is_asked_to_is_ended_at_the_deadline() {
    let recorded = mcp("");
    let mut engine = Engine::new(&recorded, &planned(&recorded, &options()).connections[0], &options());
    engine.arrival(0, &Incoming::Ready);
    let answer = br#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}"#.to_vec();
    engine.arrival(5 * MS, &Incoming::Message { stream: None, bytes: answer, event_id: None });
    engine.tick(20 * MS);
    assert_eq!(std::iter::from_fn(|| engine.next()).last(), Some(Outgoing::Finish));
    engine.stop(100 * MS, crate::replay::run::Broken::Deadline);
    assert_eq!(engine.next(), Some(Outgoing::Abort));
}
