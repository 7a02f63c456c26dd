//! Requests of the live side: matched, answered as recorded, or answered by default.

use super::*;
use crate::replay::options::Speed;

const S10: &str = r#"
10 c> {"id":2,"method":"tools/call","params":{"name":"scan","arguments":{}}}
12 s> {"id":2,"method":"roots/list"}
15 c> {"id":2,"result":{"roots":[{"uri":"file:///w","name":"w"}]}}
30 s> {"id":2,"result":{"content":[{"type":"text","text":"1 root"}]}}
"#;

fn asks(id: Value) -> impl FnMut(&mut Wire, &Value) {
    move |wire, message| match message["method"].as_str() {
        Some("initialize") => handshake(wire, message),
        Some("tools/call") => drop(wire.say(1, json!({"id": id, "method": "roots/list"}))),
        None => {
            let count = message["result"]["roots"].as_array().map_or(0, Vec::len);
            wire.text(1, &json!({"id": 2}), &format!("{count} root"));
        }
        _ => {}
    }
}

#[test]
fn an_answer_goes_out_under_the_live_id_and_ids_of_both_sides_are_kept_apart() {
    for id in [json!("q-77"), json!(2)] {
        let played = play(&mcp(S10), &options(), asks(id.clone()));
        assert!(played.all_sent(), "{:?}", played.log.exchanges);
        let answer =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"roots":[{{"uri":"file:///w","name":"w"}}]}}}}"#);
        assert!(played.wire.sent.iter().any(|(_, text)| *text == answer), "{:?}", played.wire.sent);
        assert!(played.run("#2").text.as_ref().is_some_and(|text| text.contains("1 root")));
        assert!(played.log.extras.is_empty());
    }
}

const S11: &str = r#"
10 c> {"id":2,"method":"tools/call","params":{"name":"plan","arguments":{}}}
20 s> {"id":2,"result":{"content":[{"type":"text","text":"ok"}]}}
"#;

#[test]
fn what_is_new_is_answered_by_default_and_listed() {
    let played = play(&mcp(S11), &options(), |wire, message| match message["method"].as_str() {
        Some("initialize") => handshake(wire, message),
        Some("tools/call") => {
            wire.say(1, json!({"method":"notifications/message","params":{"level":"info"}}));
            wire.say(1, json!({"id":5,"method":"sampling/createMessage","params":{}}));
        }
        None => drop(wire.text(1, &json!({"id":2}), if message["error"].is_object() { "ok" } else { "sampled" })),
        _ => {}
    });
    assert!(played.run("#2").text.as_ref().is_some_and(|text| text.contains("\"ok\"")));
    let extras: Vec<(bool, &str, u32)> =
        played.log.extras.iter().map(|extra| (extra.request, extra.method.as_str(), extra.count)).collect();
    assert_eq!(extras, [(true, "sampling/createMessage", 1), (false, "notifications/message", 1)]);
    assert_eq!(played.log.extras[0].rpc_id.as_deref(), Some("5"));
}

#[test]
fn defaults_are_those_of_the_protocol() {
    let ask = |protocol: &str, method: &str, params: Value| {
        let trace = r#"10 c> {"id":2,"method":"m","params":{}}
                       20 s> {"id":2,"result":{}}"#;
        let mut all = options();
        all.policy.allow_all = true;
        let played = play(&connection(protocol, trace), &all, |wire, message| match message["method"].as_str() {
            Some("m") => drop(wire.say(1, json!({"id":"x","method":method,"params":params}))),
            _ => drop(wire.result(1, &json!({"id":2}), json!({}))),
        });
        let answer: Value = serde_json::from_str(&played.wire.sent[1].1).expect("an answer");
        assert_eq!(answer["id"], "x");
        if answer["error"].is_object() { answer["error"]["code"].clone() } else { answer["result"].clone() }
    };
    assert_eq!(ask("mcp 2025-11-25", "ping", json!({})), json!({}));
    assert_eq!(ask("mcp 2025-11-25", "roots/list", json!({})), json!({"roots":[]}));
    assert_eq!(ask("mcp 2025-11-25", "elicitation/create", json!({})), json!({"action":"decline"}));
    assert_eq!(ask("lsp 3.17", "workspace/configuration", json!({"items":[{},{}]})), json!([null, null]));
    assert_eq!(ask("lsp 3.17", "workspace/applyEdit", json!({})), json!({"applied":false}));
    assert_eq!(ask("acp 1", "terminal/create", json!({})), json!(-32603));
    assert_eq!(ask("jsonrpc", "anything", json!({})), json!(-32601));
}

#[test]
fn a_request_that_never_comes_holds_nothing_up_for_long() {
    let played = play(&mcp(S10), &options(), |wire, message| match message["method"].as_str() {
        Some("initialize") => handshake(wire, message),
        Some("tools/call") => drop(wire.text(5, message, "no roots")),
        _ => {}
    });
    assert_eq!(played.run("s2").fate, Fate::Missing);
    assert!(played.log.ended_us < 1_000 * MS);
}

#[test]
fn the_recorded_silence_is_kept_and_a_withdrawn_question_needs_no_answer() {
    let silent = S10.replace(r#"15 c> {"id":2,"result":{"roots":[{"uri":"file:///w","name":"w"}]}}"#, "");
    let played = play(&mcp(&silent), &options(), |wire, message| match message["method"].as_str() {
        Some("initialize") => handshake(wire, message),
        Some("tools/call") => {
            wire.say(1, json!({"id":9,"method":"roots/list"}));
            wire.text(50, message, "no answer");
        }
        _ => {}
    });
    assert_eq!(played.wire.sent.len(), 3, "nothing was answered: {:?}", played.wire.sent);
    let played =
        play(
            &mcp(&S10.replace("15 c>", "400 c>").replace("30 s>", "430 s>")),
            &options(),
            |wire, message| match message["method"].as_str() {
                Some("initialize") => handshake(wire, message),
                Some("tools/call") => {
                    wire.say(1, json!({"id":9,"method":"roots/list"}));
                    wire.say(5, json!({"method":"notifications/cancelled","params":{"requestId":9}}));
                    wire.text(50, message, "no answer");
                }
                _ => {}
            },
        );
    assert_eq!(played.wire.sent.len(), 3, "{:?}", played.wire.sent);
}

#[test]
fn a_server_that_asks_earlier_than_it_did_is_answered_in_the_end() {
    let trace = r#"
    10 c> {"id":2,"method":"tools/call","params":{"name":"a"}}
    20 s> {"id":2,"result":{}}
    30 c> {"id":3,"method":"tools/call","params":{"name":"b"}}
    32 s> {"id":7,"method":"roots/list"}
    35 c> {"id":7,"result":{"roots":[]}}
    40 s> {"id":3,"result":{}}
    "#;
    let mut patient = options();
    patient.life.stuck_min_us = 30_000 * MS;
    let played = play(&mcp(trace), &patient, |wire, message| match message["params"]["name"].as_str() {
        Some("a") => drop(wire.say(1, json!({"id":7,"method":"roots/list"}))),
        Some("b") => drop(wire.text(1, message, "b")),
        _ if message["method"] == "initialize" => handshake(wire, message),
        _ if message["method"].is_null() => drop(wire.text(1, &json!({"id":2}), "a")),
        _ => {}
    });
    assert!(played.all_sent());
    assert_eq!(played.run("#2").stuck_us, None);
}

const PERMISSION: &str = r#"
0 c> {"id":1,"method":"session/new","params":{"cwd":"/w"}}
1 s> {"id":1,"result":{"sessionId":"s"}}
10 c> {"id":2,"method":"session/prompt","params":{"sessionId":"s"}}
20 s> {"id":0,"method":"session/request_permission","params":{"sessionId":"s","options":[{"optionId":"yes","kind":"allow_once"},{"optionId":"no","kind":"reject_once"}]}}
30 c> {"id":0,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
40 s> {"id":2,"result":{"stopReason":"end_turn"}}
"#;

#[test]
fn a_permission_is_given_as_it_was_whatever_the_option_is_called() {
    let ask = |options_live: Value| {
        let played =
            play(&connection("acp 1", PERMISSION), &options(), |wire, message| match message["method"].as_str() {
                Some("session/new") => drop(wire.result(1, message, json!({"sessionId":"s"}))),
                Some("session/prompt") => {
                    let params = json!({"sessionId":"s","options":options_live});
                    wire.say(1, json!({"id":4,"method":"session/request_permission","params":params}));
                }
                None => drop(wire.result(1, &json!({"id":2}), json!({"stopReason":"end_turn"}))),
                _ => {}
            });
        let answer: Value = serde_json::from_str(&played.wire.sent[2].1).expect("an answer");
        answer["result"]["outcome"].clone()
    };
    let renamed = ask(json!([{"optionId":"b","kind":"reject_once"},{"optionId":"a","kind":"allow_once"}]));
    assert_eq!(renamed, json!({"outcome":"selected","optionId":"a"}));
    let same = ask(json!([{"optionId":"yes","kind":"reject_once"}]));
    assert_eq!(same["optionId"], "yes", "the recorded option is offered");
    assert_eq!(ask(json!([{"optionId":"b","kind":"reject_once"}])), json!({"outcome":"cancelled"}));
}

const TWO_QUESTIONS: &str = r#"
0 c> {"id":1,"method":"session/new","params":{"cwd":"/w"}}
1 s> {"id":1,"result":{"sessionId":"s"}}
10 c> {"id":2,"method":"session/prompt","params":{"sessionId":"s"}}
20 s> {"id":5,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/w/a"}}
60 c> {"id":5,"result":{"content":"A"}}
62 s> {"id":6,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/w/b"}}
64 c> {"id":6,"result":{"content":"B"}}
71 s> {"id":2,"result":{"stopReason":"end_turn"}}
"#;

/// An agent that asks for these files one after the other, and ends its turn behind the last answer.
fn reads(files: &'static [&'static str]) -> impl FnMut(&mut Wire, &Value) {
    let mut left = files.iter();
    move |wire, message| match message["method"].as_str() {
        Some("session/new") => drop(wire.result(1, message, json!({"sessionId":"s"}))),
        _ => match left.next() {
            Some(path) => {
                let params = json!({"sessionId":"s","path":path});
                wire.say(2, json!({"id":format!("q{path}"),"method":"fs/read_text_file","params":params}));
            }
            None => drop(wire.result(7, &json!({"id":2}), json!({"stopReason":"end_turn"}))),
        },
    }
}

#[test]
fn a_question_that_is_left_out_or_comes_later_keeps_no_other_one_waiting() {
    let recorded = connection("acp 1", TWO_QUESTIONS);
    let waited = |played: &Played, label: &str| {
        let run = played.run(label);
        run.answered_us.zip(run.sent_us).map(|(answered, asked)| answered - asked)
    };
    let left_out = play(&recorded, &options(), reads(&["/w/b"]));
    assert_eq!(left_out.run("s5").fate, Fate::Missing);
    assert_eq!(waited(&left_out, "s6"), Some(2 * MS), "as long as the recorded client took");
    assert_eq!(left_out.run("#2").stuck_us, None);
    let swapped = play(&recorded, &options(), reads(&["/w/b", "/w/a"]));
    assert_eq!((waited(&swapped, "s6"), waited(&swapped, "s5")), (Some(2 * MS), Some(40 * MS)));
    assert!(swapped.all_sent() && swapped.log.ended_us < 200 * MS, "{}", swapped.log.ended_us);
}

#[test]
fn nobody_is_stuck_who_waits_for_our_answer() {
    // Both were asked at once, so that the first may still come; the turn of its answer is waited for, within limits.
    let at_once = r#"
    0 c> {"id":1,"method":"session/new","params":{"cwd":"/w"}}
    1 s> {"id":1,"result":{"sessionId":"s"}}
    10 c> {"id":2,"method":"session/prompt","params":{"sessionId":"s"}}
    20 s> {"id":5,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/w/a"}}
    21 s> {"id":6,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/w/b"}}
    60 c> {"id":5,"result":{"content":"A"}}
    64 c> {"id":6,"result":{"content":"B"}}
    71 s> {"id":2,"result":{"stopReason":"end_turn"}}
    "#;
    let mut hasty = options();
    (hasty.life.stuck_min_us, hasty.life.stuck_factor) = (100 * MS, 0.0);
    let played = play(&connection("acp 1", at_once), &hasty, reads(&["/w/b"]));
    let asked = played.run("s6");
    let waited = asked.answered_us.expect("answered") - asked.sent_us.expect("asked");
    assert!(waited > 100 * MS && waited <= 300 * MS, "{waited}");
    assert_eq!(played.run("#2").stuck_us, None);
}

#[test]
fn a_question_that_does_not_come_does_not_put_off_the_cancel_behind_it() {
    let trace = TWO_QUESTIONS.replace(r#"71 s> {"id":2,"result":{"stopReason":"end_turn"}}"#, CANCELLED);
    let played = play(&connection("acp 1", &trace), &options(), |wire, message| match message["method"].as_str() {
        Some("session/new") => drop(wire.result(1, message, json!({"sessionId":"s"}))),
        Some("session/cancel") => drop(wire.result(1, &json!({"id":2}), json!({"stopReason":"cancelled"}))),
        _ => {}
    });
    let (asked, cancelled) = (played.wire.with("session/prompt")[0].0, played.wire.with("session/cancel")[0].0);
    assert_eq!(cancelled - asked, 490 * MS);
}

const CANCELLED: &str = r#"500 c> {"method":"session/cancel","params":{"sessionId":"s"}}
510 s> {"id":2,"result":{"stopReason":"cancelled"}}"#;

/// Over HTTP each question belongs to a call, and the second was asked when the first call was done.
fn two_that_ask() -> Connection {
    let mut recorded = mcp(r#"
    20 c> {"id":2,"method":"tools/call","params":{"name":"a"}}
    21 c> {"id":3,"method":"tools/call","params":{"name":"b"}}
    30 s> {"id":"a","method":"roots/list"}
    35 c> {"id":"a","result":{"roots":[]}}
    40 s> {"id":2,"result":{}}
    45 s> {"id":"b","method":"roots/list"}
    50 c> {"id":"b","result":{"roots":[]}}
    55 s> {"id":3,"result":{}}
    "#);
    (recorded.exchanges[3].parent, recorded.exchanges[4].parent) = (Some(1), Some(2));
    recorded
}

/// A server without streams that asks for each of them, after so many milliseconds, and answers when it was answered.
fn asks_for_each(a_ms: i64, b_ms: i64) -> impl FnMut(&mut Wire, &Value) {
    move |wire, message| match (message["method"].as_str(), message["id"].as_str()) {
        (Some("initialize"), _) => handshake(wire, message),
        (Some("tools/call"), _) => {
            let after = if message["id"] == 2 { a_ms } else { b_ms };
            wire.say(after, json!({"id": format!("for {}", message["id"]), "method": "roots/list"}));
        }
        (None, Some(asked)) => drop(wire.text(1, &json!({"id": if asked == "for 2" { 2 } else { 3 }}), "")),
        _ => {}
    }
}

/// The answer to the one must not wait for the answer to the other where nothing tells which call is which question's.
#[test]
fn questions_of_two_calls_in_flight_are_answered_in_their_order() {
    let mut hasty = options();
    (hasty.life.stuck_min_us, hasty.life.stuck_factor) = (100 * MS, 0.0);
    let played = |a_ms: i64, b_ms: i64| play(&two_that_ask(), &hasty, asks_for_each(a_ms, b_ms));
    for (a_ms, b_ms) in [(1, 1), (1, 30), (30, 1)] {
        let played = played(a_ms, b_ms);
        assert!(played.all_sent(), "{:?}", played.log.exchanges);
        assert_eq!((played.run("#2").stuck_us, played.run("#3").stuck_us), (None, None), "{a_ms} {b_ms}");
    }
    let in_order = played(1, 1);
    assert_eq!(in_order.run("s\"a\"").live_id.as_deref(), Some("\"for 2\""));
    assert!(in_order.log.ended_us < 100 * MS, "nothing is held back: {}", in_order.log.ended_us);
}

/// A question, what the server says 300 ms later, and an answer right behind that.
fn answered_at(said: &str, speed: Speed) -> i64 {
    let recorded = mcp(&format!(
        r#"
    10 c> {{"id":2,"method":"tools/call","params":{{"name":"ask"}}}}
    20 s> {{"id":7,"method":"elicitation/create","params":{{}}}}
    320 s> {said}
    325 c> {{"id":7,"result":{{"action":"accept"}}}}
    330 s> {{"id":2,"result":{{}}}}
    "#
    ));
    let mut options = options();
    options.pace.speed = speed;
    let note: Value = serde_json::from_str(said).expect("JSON");
    let played = play(&recorded, &options, |wire, message| {
        handshake(wire, message);
        if message["id"] == 2 {
            wire.say(10, json!({"id": 7, "method": "elicitation/create", "params": {}}));
            wire.say(310, note.clone());
            wire.result(330, message, json!({}));
        }
    });
    let asked = played.wire.sent.iter().find(|(_, text)| text.contains("tools/call")).expect("asked").0;
    let answer = played.wire.sent.iter().find(|(_, text)| text.contains("accept")).expect("answered").0;
    answer - asked
}

#[test]
fn an_answer_waits_for_what_the_server_said_behind_its_question() {
    for said in [
        r#"{"method":"notifications/message","params":{"level":"info","data":"hurry"}}"#,
        r#"{"method":"notifications/cancelled","params":{"requestId":7}}"#,
    ] {
        assert_eq!(answered_at(said, Speed::Recorded), 315 * MS, "{said}");
        assert_eq!(answered_at(said, Speed::Fast), 310 * MS, "{said}");
    }
}

/// Two calls in flight, and nothing is looked at before the time of both has passed.
fn asleep() -> (Connection, Engine) {
    let recorded = mcp(r#"
        10 c> {"id":2,"method":"tools/call","params":{"name":"echo","arguments":{}}}
        11 c> {"id":3,"method":"tools/call","params":{"name":"echo","arguments":{}}}
        20 s> {"id":2,"result":{}}
        21 s> {"id":3,"result":{}}
    "#);
    let plan = planned(&recorded, &options());
    let mut engine = Engine::new(&recorded, &plan.connections[0], &options());
    engine.arrival(0, &Incoming::Ready);
    answered(&mut engine, 5, 1);
    while let Some(at) = engine.wake_at().filter(|at| *at < 100 * MS) {
        engine.tick(at);
        while engine.next().is_some() {
            engine.arrival(at, &Incoming::Sent { stream: 0 });
        }
    }
    (recorded, engine)
}

fn answered(engine: &mut Engine, at_ms: i64, id: u32) {
    let result = json!({"jsonrpc":"2.0","id":id,"result":{"protocolVersion":"2025-11-25","capabilities":{}}});
    let bytes = result.to_string().into_bytes();
    engine.arrival(at_ms * MS, &Incoming::Message { stream: None, bytes, event_id: None });
    while engine.next().is_some() {
        engine.arrival(at_ms * MS, &Incoming::Sent { stream: 0 });
    }
}

#[test]
fn what_lies_in_the_pipe_is_read_before_a_request_is_given_up() {
    let (_, mut engine) = asleep();
    assert!(engine.gives_up_at().is_some_and(|at| at < 10_000 * MS));
    answered(&mut engine, 60_000, 3);
    answered(&mut engine, 60_000, 2);
    assert_eq!(engine.gives_up_at(), None);
    engine.tick(60_001 * MS);
    assert!(engine.finish().exchanges.iter().all(|run| run.stuck_us.is_none() && run.answered_us.is_some()));

    let (recorded, mut engine) = asleep();
    answered(&mut engine, 60_000, 3);
    engine.tick(60_001 * MS);
    let log = engine.finish();
    let stuck = recorded.exchanges.iter().zip(&log.exchanges).filter(|(_, run)| run.stuck_us.is_some());
    assert_eq!(stuck.map(|(exchange, _)| exchange.label()).collect::<Vec<_>>(), ["#2"], "what is not there is stuck");
}
