//! Cancels: landed, raced, not sent; what is watched for after them, and how long.

use super::*;
use crate::replay::options::Speed;
use crate::replay::run::{Anchor, CancelStatus};

const S01: &str = r#"
20 c> {"id":2,"method":"tools/call","params":{"name":"slow","arguments":{}}}
320 c> {"method":"notifications/cancelled","params":{"requestId":2,"reason":"user"}}
330 c> {"id":3,"method":"tools/call","params":{"name":"echo","arguments":{"x":1}}}
332 s> {"id":3,"result":{"content":[{"type":"text","text":"{\"x\":1}"}]}}
"#;

#[test]
fn a_cancel_lands_where_it_did_and_silence_is_watched_for() {
    let played = play(&mcp(S01), &options(), reference());
    assert!(played.all_sent());
    let cancel = played.run("#2").cancel.clone().expect("a cancel");
    assert_eq!((cancel.status, cancel.anchor), (CancelStatus::Landed, Anchor::Elapsed));
    let sent = played.run("#2").sent_us.expect("sent");
    assert_eq!(cancel.sent_us, Some(sent + 300 * MS));
    assert!(cancel.horizon_us >= 2_000 * MS, "{}", cancel.horizon_us);
    assert_eq!(played.run("#2").answered_us, None);
    // The next call waits for no answer of the cancelled one.
    assert_eq!(played.run("#3").sent_us, Some(sent + 310 * MS));
    let exit = played.log.exit.expect("an exit");
    assert_eq!((exit.code, exit.unasked), (Some(0), false));
}

#[test]
fn a_late_answer_is_seen_and_ends_the_watch() {
    let mut base = server(800, true);
    let played = play(&mcp(S01), &options(), |wire, message| {
        base(wire, message);
        if message["method"] == "notifications/cancelled" {
            wire.text(200, &json!({"id": 2}), "done");
        }
    });
    let run = played.run("#2");
    let sent = run.cancel.as_ref().and_then(|cancel| cancel.sent_us).expect("sent");
    assert_eq!(run.answered_us, Some(sent + 200 * MS));
    assert!(played.log.ended_us < sent + 1_000 * MS, "the answer shortens the watch");
}

#[test]
fn a_late_answer_in_the_recording_holds_nobody_up() {
    let late = S01.replace("330 c>", "325 s> {\"id\":2,\"result\":{\"content\":[]}}\n330 c>");
    let played = play(&mcp(&late), &options(), reference());
    let sent = played.run("#2").sent_us.expect("sent");
    assert_eq!(played.run("#3").sent_us, Some(sent + 310 * MS), "the live server honours the cancel");
}

#[test]
fn an_answer_that_was_there_before_the_cancel_and_was_handed_over_after_it_has_raced() {
    let mut base = server(800, true);
    let played = play(&mcp(S01), &options(), |wire, message| {
        base(wire, message);
        if message["method"] == "notifications/cancelled" {
            wire.text(-20, &json!({"id": 2}), "done");
        }
    });
    let run = played.run("#2");
    let cancel = run.cancel.as_ref().expect("a cancel");
    assert_eq!(cancel.status, CancelStatus::Raced);
    assert_eq!(run.answered_us, cancel.sent_us.map(|sent| sent - 20 * MS));
}

#[test]
fn an_answer_that_came_while_the_cancel_waited_to_be_written_has_raced() {
    let wire = Wire { queued: "notifications/cancelled", ..Wire::default() };
    let played = play_on(wire, &mcp(S01), &options(), server(800, false));
    let run = played.run("#2");
    assert_eq!(run.cancel.as_ref().map(|cancel| cancel.status), Some(CancelStatus::Raced));
    assert_eq!(run.answered_us, Some(run.sent_us.expect("sent") + 300 * MS));
}

#[test]
fn a_deaf_server_is_caught_if_it_is_watched_for_long_enough() {
    let played = play(&mcp(S01), &options(), server(1_600, false));
    let run = played.run("#2");
    assert_eq!(run.answered_us, Some(run.sent_us.expect("sent") + 1_600 * MS));
    let mut short = options();
    short.life.linger_us = 500 * MS;
    let played = play(&mcp(S01), &short, server(1_600, false));
    assert_eq!(played.run("#2").answered_us, None);
    assert_eq!(played.run("#2").cancel.as_ref().map(|cancel| cancel.horizon_us), Some(500 * MS));
}

#[test]
fn what_a_tool_takes_by_itself_lengthens_the_watch() {
    let mut known = options();
    known.life.linger_us = 500 * MS;
    let trace = format!(
        r#"10 c> {{"id":9,"method":"tools/call","params":{{"name":"slow","arguments":{{}}}}}}
        3000 s> {{"id":9,"result":{{"content":[]}}}}
        {}"#,
        S01.replace("\n33", "\n333").replace("\n20 c", "\n3020 c").replace("\n320 c", "\n3320 c")
    );
    let played = play(&mcp(&trace), &known, reference());
    let horizon = played.run("#2").cancel.as_ref().map_or(0, |cancel| cancel.horizon_us);
    assert!(horizon >= 2_990 * MS * 3 / 2, "1.5 times the recorded 2.99 s: {horizon}");
}

#[test]
fn a_cancel_that_comes_too_late_is_not_sent() {
    let played = play(&mcp(S01), &options(), server(30, true));
    assert_eq!(played.run("#2").cancel.as_ref().map(|cancel| cancel.status), Some(CancelStatus::Raced));
    assert!(played.wire.with("notifications/cancelled").is_empty());
    assert_eq!(played.run("#3").fate, Fate::Sent);
    let mut anyway = options();
    anyway.cancel.send_raced = true;
    let played = play(&mcp(S01), &anyway, server(30, true));
    let cancel = played.run("#2").cancel.clone().expect("a cancel");
    assert_eq!((cancel.status, cancel.harness_made), (CancelStatus::Raced, true));
    assert_eq!(played.wire.with("notifications/cancelled").len(), 1);
}

#[test]
fn cancels_keep_their_delay_at_any_speed_unless_told_otherwise() {
    let mut fast = options();
    fast.pace.speed = Speed::Fast;
    let delay = |options: &Options| {
        let played = play(&mcp(S01), options, reference());
        let run = played.run("#2").clone();
        run.cancel.and_then(|cancel| cancel.sent_us).expect("sent") - run.sent_us.expect("sent")
    };
    assert_eq!(delay(&fast), 300 * MS);
    fast.cancel.delay_us = Some(7 * MS);
    assert_eq!(delay(&fast), 7 * MS);
}

#[test]
fn no_request_is_left_in_flight_for_longer_than_the_limit() {
    let mut options = options();
    options.life.max_request_us = 200 * MS;
    let delay = |options: &Options| {
        let run = play(&mcp(S01), options, reference()).run("#2").clone();
        run.cancel.and_then(|cancel| cancel.sent_us).expect("sent") - run.sent_us.expect("sent")
    };
    assert_eq!(delay(&options), 200 * MS);
    let said = planned(&mcp(S01), &options).losses;
    assert_eq!(said, ["#2 is cancelled after 200 ms (--max-request), 300 ms in the recording"]);
    options.cancel.delay_us = Some(250 * MS);
    assert_eq!(delay(&options), 250 * MS, "what is asked for by hand holds");
}

const PROGRESS: &str = r#"
20 c> {"id":2,"method":"tools/call","params":{"name":"slow","arguments":{},"_meta":{"progressToken":"t"}}}
220 s> {"method":"notifications/progress","params":{"progressToken":"t","progress":1}}
420 s> {"method":"notifications/progress","params":{"progressToken":"t","progress":2}}
460 c> {"method":"notifications/cancelled","params":{"requestId":2}}
"#;

#[test]
fn a_cancel_follows_its_progress_and_is_not_held_up_for_ever() {
    let played = play(&mcp(PROGRESS), &options(), server(1_600, true));
    let run = played.run("#2");
    let cancel = run.cancel.clone().expect("a cancel");
    assert_eq!((cancel.anchor, cancel.nth, cancel.anchor_missed), (Anchor::Progress, 2, false));
    assert_eq!(cancel.sent_us, run.sent_us.map(|sent| sent + 840 * MS), "40 ms after the second of 400 ms each");
    assert_eq!(run.notifications, (2, 2));
    // No progress at all: 2 x 440 ms + 250 ms after the request.
    let mut silent = server(3_000, true);
    let played = play(&mcp(PROGRESS), &options(), |wire, message| {
        let mut message = message.clone();
        message["params"]["_meta"] = json!({});
        silent(wire, &message);
    });
    let run = played.run("#2");
    let cancel = run.cancel.clone().expect("a cancel");
    assert!(cancel.anchor_missed && cancel.status == CancelStatus::Landed);
    assert_eq!(cancel.sent_us, run.sent_us.map(|sent| sent + 1_130 * MS));
    let mut elapsed = options();
    elapsed.cancel.anchor = Some(Anchor::Elapsed);
    let played = play(&mcp(PROGRESS), &elapsed, server(1_600, true));
    let run = played.run("#2");
    assert_eq!(run.cancel.as_ref().and_then(|cancel| cancel.sent_us), run.sent_us.map(|sent| sent + 440 * MS));
}

#[test]
fn progress_after_a_cancel_is_counted() {
    let played = play(&mcp(PROGRESS), &options(), server(1_600, false));
    let cancel = played.run("#2").cancel.clone().expect("a cancel");
    assert_eq!(cancel.progress_after.0, 2);
}

#[test]
fn recorded_mistakes_are_repeated_and_never_raced() {
    let trace = r#"
    10 c> {"method":"notifications/cancelled","params":{"requestId":77}}
    20 c> {"id":2,"method":"tools/call","params":{"name":"echo","arguments":{}}}
    22 s> {"id":2,"result":{}}
    30 c> {"method":"notifications/cancelled","params":{"requestId":2}}
    "#;
    let played = play(&mcp(trace), &options(), reference());
    assert_eq!(played.wire.with("notifications/cancelled").len(), 2);
    assert_eq!(played.run("#2").cancel, None);
}

#[test]
fn a_cancel_of_what_policy_refuses_is_not_sent() {
    let played = play(&mcp(S01), &Options { policy: Default::default(), ..options() }, reference());
    assert!(matches!(played.run("#2").fate, Fate::NotSent(_)));
    assert_eq!(played.run("#2").cancel.as_ref().map(|cancel| cancel.status), Some(CancelStatus::NotSent));
    assert!(played.wire.with("notifications/cancelled").is_empty());
}

const LSP: &str = r#"
0 c> {"id":1,"method":"initialize","params":{"processId":4242,"rootUri":"file:///old"}}
5 s> {"id":1,"result":{"capabilities":{}}}
6 c> {"method":"initialized","params":{}}
7 c> {"method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///old/a.rs","text":""}}}
10 c> {"id":2,"method":"textDocument/references","params":{}}
110 c> {"method":"$/cancelRequest","params":{"id":2}}
115 s> {"id":2,"error":{"code":-32800,"message":"cancelled"}}
120 c> {"id":3,"method":"shutdown"}
125 s> {"id":3,"result":null}
130 c> {"method":"exit"}
"#;

fn lsp(after_cancel: Option<Value>) -> Played {
    let mut options = options();
    options.rewrite.pid = 991;
    options.rewrite.map_path = vec![("file:///old".into(), "file:///new".into())];
    play(&connection("lsp 3.17", LSP), &options, |wire, message| match message["method"].as_str() {
        Some("initialize") if message["params"]["processId"] == 991 => {
            wire.result(2, message, json!({"capabilities":{}}));
        }
        Some("shutdown") => {
            wire.result(1, message, Value::Null);
        }
        Some("exit") => wire.exit(1, 0),
        Some("$/cancelRequest") => {
            if let Some(mut answer) = after_cancel.clone() {
                answer["id"] = message["params"]["id"].clone();
                wire.say(3, answer);
            }
        }
        _ => {}
    })
}

#[test]
fn where_an_answer_is_due_the_session_is_not_ended_before_it() {
    let played = lsp(Some(json!({"error":{"code":-32800,"message":"cancelled"}})));
    assert!(played.all_sent());
    assert_eq!(played.log.rewrites, ["file:///old -> file:///new (2 places)", "processId 4242 -> 991"]);
    assert!(played.wire.sent[0].1.contains(r#""rootUri":"file:///new""#), "{}", played.wire.sent[0].1);
    let exit = played.log.exit.clone().expect("an exit");
    assert_eq!((exit.code, exit.unasked), (Some(0), false));
    assert!(played.log.ended_us < 500 * MS, "nothing to wait for: {}", played.log.ended_us);
    let late = lsp(None);
    let run = late.run("#2");
    let sent = run.cancel.as_ref().and_then(|cancel| cancel.sent_us).expect("sent");
    assert_eq!(run.stuck_us, Some(sent + 2_000 * MS));
    assert!(late.run("#3").sent_us >= run.stuck_us, "shutdown was held back");
}

#[test]
fn an_answer_that_took_long_in_the_recording_is_watched_for_as_long() {
    let slow = LSP
        .replace("115 s>", "6110 s>")
        .replace("120 c>", "6120 c>")
        .replace("125 s>", "6125 s>")
        .replace("130 c>", "6130 c>");
    let played = play(&connection("lsp 3.17", &slow), &options(), |wire, message| match message["method"].as_str() {
        Some("initialize") => {
            wire.result(2, message, json!({"capabilities":{}}));
        }
        Some("shutdown") => {
            wire.result(1, message, Value::Null);
        }
        Some("exit") => wire.exit(1, 0),
        Some("$/cancelRequest") => {
            wire.say(
                6_000,
                json!({"id":message["params"]["id"].clone(),"error":{"code":-32800,"message":"cancelled"}}),
            );
        }
        _ => {}
    });
    let run = played.run("#2");
    assert!(run.answered_us.is_some() && run.stuck_us.is_none(), "{run:?}");
}

/// One that winds down before it answers does as it should: whoever owes an answer has the time that any request has.
#[test]
fn an_answer_that_is_owed_after_a_cancel_is_waited_for_like_any_other() {
    let mut options = options();
    options.life.linger_us = 500 * MS;
    let agent = |answers: Option<i64>| {
        play(&connection("acp 1", ACP), &options, |wire, message| match message["method"].as_str() {
            Some("initialize") => drop(wire.result(1, message, json!({"protocolVersion":1}))),
            Some("session/new") => drop(wire.result(1, message, json!({"sessionId":"sess-live"}))),
            Some("session/cancel") => {
                answers.map(|ms| wire.result(ms, &json!({"id": 3}), json!({"stopReason":"cancelled"})));
            }
            _ => {}
        })
    };
    let (late, never) = (agent(Some(1_500)), agent(None));
    let sent = |played: &Played| played.run("#3").cancel.as_ref().and_then(|cancel| cancel.sent_us).expect("sent");
    assert_eq!((late.run("#3").answered_us, late.run("#3").stuck_us), (Some(sent(&late) + 1_500 * MS), None));
    assert!(late.log.ended_us < sent(&late) + 2_100 * MS, "the answer ends the wait");
    assert_eq!(never.run("#3").stuck_us, Some(sent(&never) + 2_000 * MS));
}

/// What the server asked for the sake of a cancelled request is waited for as long as it took, though silence is watched for less.
#[test]
fn a_question_that_came_long_after_the_cancel_is_waited_for_as_long() {
    let mut recorded = mcp(r#"
10 c> {"id":2,"method":"tools/call","params":{"name":"slow"}}
100 c> {"method":"notifications/cancelled","params":{"requestId":2}}
9000 s> {"id":7,"method":"sampling/createMessage","params":{"messages":[]}}
9100 c> {"id":7,"result":{"role":"assistant"}}
"#);
    let call = recorded.exchanges.iter().position(|exchange| exchange.label() == "#2");
    recorded.exchanges.last_mut().expect("an exchange").parent = call;
    let asked_after = |ms: i64| {
        let mut base = server(800, true);
        play(&recorded, &options(), |wire, message| {
            base(wire, message);
            if message["method"] == "notifications/cancelled" {
                wire.say(ms, json!({"id": 7, "method": "sampling/createMessage", "params": {"messages": []}}));
            }
        })
    };
    let played = asked_after(12_000);
    assert!(played.all_sent() && played.run("s7").answered_us.is_some(), "{:?}", played.run("s7"));
    assert_eq!(asked_after(15_000).run("s7").fate, Fate::Missing, "half as long again is enough");
}

const ACP: &str = r#"
0 c> {"id":1,"method":"initialize","params":{"protocolVersion":1}}
3 s> {"id":1,"result":{"protocolVersion":1}}
10 c> {"id":2,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}
15 s> {"id":2,"result":{"sessionId":"sess-rec"}}
20 c> {"id":3,"method":"session/prompt","params":{"sessionId":"sess-rec","prompt":[]}}
50 s> {"method":"session/update","params":{"sessionId":"sess-rec","update":{"sessionUpdate":"agent_message_chunk"}}}
90 s> {"method":"session/update","params":{"sessionId":"sess-rec","update":{"sessionUpdate":"agent_message_chunk"}}}
130 c> {"method":"session/cancel","params":{"sessionId":"sess-rec"}}
140 s> {"id":3,"result":{"stopReason":"cancelled"}}
"#;

#[test]
fn a_turn_is_cancelled_after_its_second_update_in_the_live_session() {
    let mut asks = false;
    let agent = |wire: &mut Wire, message: &Value, asks: bool| match message["method"].as_str() {
        Some("initialize") => drop(wire.result(1, message, json!({"protocolVersion":1}))),
        Some("session/new") => drop(wire.result(1, message, json!({"sessionId":"sess-live"}))),
        Some("session/prompt") => {
            assert_eq!(message["params"]["sessionId"], "sess-live");
            for at in [230, 270] {
                let update = json!({"sessionId":"sess-live","update":{"sessionUpdate":"agent_message_chunk"}});
                wire.say(at, json!({"method":"session/update","params":update}));
            }
        }
        Some("session/cancel") => {
            assert_eq!(message["params"]["sessionId"], "sess-live");
            if asks {
                let options = json!([{"optionId":"zz","kind":"allow_once"}]);
                wire.say(1, json!({"id":"p","method":"session/request_permission","params":{"sessionId":"sess-live","options":options}}));
            }
            wire.result(10, &json!({"id": 3}), json!({"stopReason":"cancelled"}));
        }
        _ => {}
    };
    let recorded = connection("acp 1", ACP);
    let played = play(&recorded, &options(), |wire, message| agent(wire, message, asks));
    let run = played.run("#3");
    let cancel = run.cancel.clone().expect("a cancel");
    assert_eq!((cancel.anchor, cancel.nth, cancel.status), (Anchor::Progress, 2, CancelStatus::Landed));
    assert_eq!(cancel.sent_us, run.sent_us.map(|sent| sent + 310 * MS));
    assert!(played.all_sent() && played.log.extras.is_empty());
    assert_eq!(played.run("#2").captured, ["/result/sessionId"]);
    asks = true;
    let played = play(&recorded, &options(), |wire, message| agent(wire, message, asks));
    assert_eq!(played.log.extras.len(), 1);
    let answer = played.wire.sent.iter().find(|(_, text)| text.contains(r#""id":"p""#)).expect("an answer");
    assert!(answer.1.contains(r#"{"outcome":"cancelled"}"#), "{}", answer.1);
}

const TASK: &str = r#"
20 c> {"id":2,"method":"tools/call","params":{"name":"build","task":{}}}
25 s> {"id":2,"result":{"task":{"taskId":"rec-1","status":"working"}}}
225 c> {"id":3,"method":"tasks/cancel","params":{"taskId":"rec-1"}}
230 s> {"id":3,"result":{"taskId":"rec-1","status":"cancelled"}}
"#;

#[test]
fn a_task_is_cancelled_by_its_live_name_unless_it_has_ended() {
    let mut recorded = mcp(TASK);
    let cancel = recorded.exchanges[2].request;
    recorded.exchanges[1].cancels.push(cancel);
    for ended in [false, true] {
        let played = play(&recorded, &options(), |wire, message| match message["method"].as_str() {
            Some("initialize") => handshake(wire, message),
            Some("tools/call") => {
                wire.result(5, message, json!({"task":{"taskId":"live-1","status":"working"}}));
                if ended {
                    let status = json!({"taskId":"live-1","status":"completed"});
                    wire.say(50, json!({"method":"notifications/tasks/status","params":status}));
                }
            }
            Some("tasks/cancel") => {
                assert_eq!(message["params"]["taskId"], "live-1");
                wire.result(5, message, json!({"taskId":"live-1","status":"cancelled"}));
            }
            _ => {}
        });
        let run = played.run("#2");
        let cancel = run.cancel.clone().expect("a cancel");
        if ended {
            assert_eq!((cancel.status, played.run("#3").fate == Fate::Sent), (CancelStatus::Raced, false));
        } else {
            assert_eq!(cancel.status, CancelStatus::Landed);
            assert_eq!(cancel.sent_us, run.sent_us.map(|sent| sent + 205 * MS));
            assert!(played.run("#3").answered_us.is_some() && played.log.ended_us < 1_000 * MS);
        }
    }
}

#[test]
fn a_task_that_had_ended_in_the_recording_is_cancelled_as_it_was() {
    let ended = r#"200 s> {"method":"notifications/tasks/status","params":{"taskId":"rec-1","status":"completed"}}"#;
    let mut recorded = mcp(&TASK.replacen("225", &format!("{ended}\n225"), 1));
    let cancel = recorded.exchanges[2].request;
    recorded.exchanges[1].cancels.push(cancel);
    let played = play(&recorded, &options(), |wire, message| match message["method"].as_str() {
        Some("initialize") => handshake(wire, message),
        Some("tools/call") => {
            wire.result(5, message, json!({"task":{"taskId":"live-1","status":"working"}}));
            let status = json!({"taskId":"live-1","status":"completed"});
            wire.say(50, json!({"method":"notifications/tasks/status","params":status}));
        }
        Some("tasks/cancel") => drop(wire.result(5, message, json!({"taskId":"live-1","status":"cancelled"}))),
        _ => {}
    });
    assert!(played.all_sent() && played.run("#3").answered_us.is_some());
}

#[test]
fn what_follows_a_cancel_at_once_goes_out_in_one_write_with_it() {
    // As a probe has it, whose witness is a step of the recording.
    let probe = S01.replace("330 c>", "320 c> {\"id\":9,\"method\":\"ping\"}\n321 s> {\"id\":9,\"result\":{}}\n330 c>");
    let mut base = reference();
    let played = play(&mcp(&probe), &options(), |wire, message| {
        base(wire, message);
        if message["method"] == "ping" {
            wire.result(1, message, json!({}));
        }
    });
    assert!(played.all_sent());
    let write = |what: &str| {
        let at = played.wire.sent.iter().position(|(_, text)| text.contains(what)).expect("sent");
        played.wire.writes[at]
    };
    assert_eq!(write("\"ping\""), write("notifications/cancelled"));
    assert!(write("\"slow\"") < write("\"ping\"") && write("\"ping\"") < write("\"echo\""));
}

#[test]
fn a_witness_goes_right_behind_the_cancel_and_is_no_exchange() {
    let mut with = options();
    with.cancel.witness = true;
    with.policy.deny = vec!["ping".into()];
    let mut base = reference();
    let played = play(&mcp(S01), &with, |wire, message| {
        base(wire, message);
        if message["method"] == "ping" {
            wire.result(1, message, json!({}));
        }
    });
    let (pings, cancels) = (played.wire.with("ping"), played.wire.with("notifications/cancelled"));
    assert_eq!((pings.len(), pings[0].0), (1, cancels[0].0));
    // In one write, so that no answer of the server can come between the two.
    let write = |method: &str| {
        let at = played.wire.sent.iter().position(|(_, text)| text.contains(method)).expect("sent");
        played.wire.writes[at]
    };
    assert_eq!(write("\"ping\""), write("notifications/cancelled"));
    assert_eq!(played.wire.writes.last(), Some(&(played.wire.sent.len() - 1)), "nothing else goes out together");
    assert_eq!(played.log.witnesses, [pings[0].1["id"].to_string()]);
    let minted = pings[0].1["id"].to_string();
    assert!(played.recorded.exchanges.iter().all(|exchange| exchange.rpc_id != minted));
    assert!(played.log.extras.is_empty() && played.log.notes.is_empty(), "{:?}", played.log.notes);
    // A cancel that did not land has none.
    let played = play(&mcp(S01), &with, server(30, true));
    assert!(played.wire.with("ping").is_empty());
}

/// A late answer that came twice: the second is only gone where somebody watched for it.
#[test]
fn behind_a_late_answer_is_watched_what_came_behind_it_then() {
    let late = r#"
    10 c> {"id":2,"method":"tools/call","params":{"name":"mute"}}
    20 c> {"method":"notifications/cancelled","params":{"requestId":2}}
    30 s> {"id":2,"result":{}}
    "#;
    let watched = |rest: &str, given: bool| {
        let mut lingering = options();
        (lingering.life.linger_us, lingering.life.linger_given) = (1_500 * MS, given);
        let played =
            play(&mcp(&format!("{late}{rest}")), &lingering, |wire, message| match message["method"].as_str() {
                Some("initialize") => handshake(wire, message),
                Some("notifications/cancelled") => drop(wire.text(10, &json!({"id": 2}), "late")),
                _ => {}
            });
        let cancel = played.run("#2").cancel.clone().expect("a cancel");
        played.log.ended_us - cancel.sent_us.expect("sent")
    };
    assert!(watched("", false) < 1_000 * MS, "nothing more is expected");
    assert!(watched("730 s> {\"id\":2,\"result\":{}}", false) > 700 * MS);
    assert!(watched("", true) >= 1_500 * MS, "somebody asked for it");
}
