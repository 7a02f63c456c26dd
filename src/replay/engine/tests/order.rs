//! The partial order: what waits for what, what does not, and what happens when it never comes.

use proptest::prelude::*;

use super::*;
use crate::replay::options::Speed;
use crate::replay::run::CancelStatus;

const S08: &str = r#"
10 c> {"id":2,"method":"tools/call","params":{"name":"echo","arguments":{"x":1}}}
12 s> {"id":2,"result":{}}
20 c> {"id":3,"method":"tools/call","params":{"name":"echo","arguments":{"x":2}}}
21 c> {"id":4,"method":"tools/call","params":{"name":"echo","arguments":{"x":3}}}
23 s> {"id":4,"result":{}}
24 s> {"id":3,"result":{}}
30 c> {"id":5,"method":"tools/call","params":{"name":"echo","arguments":{"x":4}}}
32 s> {"id":5,"result":{}}
"#;

fn deaf_to_two(wire: &mut Wire, message: &Value) {
    match message["method"].as_str() {
        Some("initialize") => handshake(wire, message),
        Some("tools/call") if message["params"]["arguments"]["x"] != 2 => drop(wire.text(1, message, "")),
        _ => {}
    }
}

#[test]
fn a_stuck_request_is_given_up_once_and_the_rest_goes_on() {
    let played = play(&mcp(S08), &options(), deaf_to_two);
    let (stuck, free, held) = (played.run("#3"), played.run("#4"), played.run("#5"));
    let gave_up = stuck.stuck_us.expect("stuck");
    assert_eq!(gave_up, stuck.sent_us.expect("sent") + 2_000 * MS);
    assert!(free.answered_us.expect("answered") < gave_up && !free.after_stuck);
    assert!(held.sent_us.expect("sent") >= gave_up && held.after_stuck && held.answered_us.is_some());
    assert_eq!(held.waited_for, ["#3", "#4"]);
    assert!(played.log.ended_us < 4_000 * MS);
    let mut stop = options();
    stop.life.stop_on_stuck = true;
    let played = play(&mcp(S08), &stop, deaf_to_two);
    assert_eq!(played.run("#5").fate, Fate::NotSent("stopped: #3 is stuck".into()));
}

#[test]
fn what_it_waits_for_can_be_told_at_any_time() {
    let recorded = mcp(S08);
    let mut engine = Engine::new(&recorded, &planned(&recorded, &options()).connections[0], &options());
    assert_eq!(engine.waiting().map(|waiting| waiting.what), Some("to be ready"));
    engine.arrival(0, &Incoming::Ready);
    let waiting = engine.waiting().expect("it waits");
    assert_eq!((waiting.label.as_str(), waiting.what), ("#1 initialize", "an answer"));
}

#[test]
fn concurrent_requests_stay_concurrent() {
    let trace = r#"
    10 c> {"id":2,"method":"tools/call","params":{"name":"a"}}
    11 c> {"id":3,"method":"tools/call","params":{"name":"b"}}
    50 s> {"id":2,"result":"A"}
    90 s> {"id":3,"result":"B"}
    "#;
    let played = play(&mcp(trace), &options(), |wire, message| match message["params"]["name"].as_str() {
        Some("a") => drop(wire.text(80, message, "A")),
        Some("b") => drop(wire.text(20, message, "B")),
        _ if message["method"] == "initialize" => handshake(wire, message),
        _ => {}
    });
    let (a, b) = (played.run("#2"), played.run("#3"));
    assert!(b.sent_us < a.answered_us && b.answered_us < a.answered_us && played.all_sent());
}

#[test]
fn a_silent_request_of_the_recording_is_watched_as_long_as_it_was_there() {
    let trace = r#"
    10 c> {"id":2,"method":"tools/call","params":{"name":"mute"}}
    11 c> {"id":3,"method":"tools/call","params":{"name":"echo"}}
    510 s> {"id":3,"result":{}}
    "#;
    let played = play(&mcp(trace), &options(), |wire, message| match message["params"]["name"].as_str() {
        Some("echo") => drop(wire.text(1, message, "")),
        _ if message["method"] == "initialize" => handshake(wire, message),
        _ => {}
    });
    let run = played.run("#2");
    assert_eq!((run.stuck_us, run.watched_us), (None, Some(500 * MS)));
}

#[test]
fn a_server_that_dies_ends_every_wait() {
    let mut base = server(800, true);
    let played = play(&mcp(S08), &options(), |wire, message| {
        if message["params"]["arguments"]["x"] == 2 {
            wire.at(1, Incoming::Stderr { bytes: b"boom".to_vec() });
            wire.exit(5, 3);
            return;
        }
        base(wire, message);
    });
    assert!(played.run("#3").peer_gone);
    assert_eq!(played.run("#5").fate, Fate::NotSent("server exited".into()));
    let exit = played.log.exit.clone().expect("an exit");
    assert_eq!(
        (exit.code, exit.unasked, exit.recorded_too, exit.stderr),
        (Some(3), true, false, vec!["boom".to_string()])
    );
    assert!(played.log.ended_us < 100 * MS, "no timer after death");
}

#[test]
fn what_is_said_to_a_server_that_has_left_is_told() {
    let trace = r#"
    10 c> {"id":2,"method":"ping"}
    12 s> {"id":2,"result":{}}
    3000 c> {"method":"notifications/roots/list_changed"}
    3100 c|
    3101 x 0"#;
    let unsent = |exits: bool| {
        let played = play(&mcp(trace), &options(), |wire, message| match message["method"].as_str() {
            Some("initialize") => handshake(wire, message),
            Some("ping") => {
                wire.result(2, message, json!({}));
                if exits {
                    wire.exit(50, 0);
                }
            }
            _ => {}
        });
        played.log.unsent.into_iter().map(|unsent| unsent.why).collect::<Vec<_>>()
    };
    assert_eq!(unsent(true), ["server exited"]);
    assert!(unsent(false).is_empty());
}

#[test]
fn an_exit_at_the_same_place_is_known_from_the_recording() {
    let recorded_too = |end: &str| {
        let trace = format!("10 c> {{\"id\":2,\"method\":\"tools/call\",\"params\":{{\"name\":\"crash\"}}}}\n20 {end}");
        let played = play(&mcp(&trace), &options(), |wire, message| match message["method"].as_str() {
            Some("initialize") => handshake(wire, message),
            Some("tools/call") => wire.exit(5, 3),
            _ => {}
        });
        played.log.exit.map(|exit| (exit.recorded_too, exit.unasked))
    };
    assert_eq!(recorded_too("x 3"), Some((true, true)));
    assert_eq!(recorded_too("x 4"), Some((false, true)));
    assert_eq!(recorded_too("s|"), Some((true, true)), "a recording may show the end of the link alone");
    assert_eq!(recorded_too("s> {\"id\":2,\"result\":{}}\n30 x 3"), Some((false, true)), "it was answered then");
    assert_eq!(recorded_too("c|\n30 x 3"), Some((false, true)), "its client had left");
    assert_eq!(recorded_too("s|\n25 c|\n30 x 3"), Some((true, true)), "it ended first");
}

#[test]
fn an_end_on_a_cancel_is_that_of_the_recording_only_where_it_came_as_soon() {
    let recorded_too = |rest: &str, after_ms: i64| {
        let trace = format!(
            "10 c> {{\"id\":2,\"method\":\"tools/call\",\"params\":{{\"name\":\"mute\"}}}}\n\
             20 c> {{\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":2}}}}\n{rest}"
        );
        let played = play(&mcp(&trace), &options(), |wire, message| match message["method"].as_str() {
            Some("initialize") => handshake(wire, message),
            Some("notifications/cancelled") => wire.exit(after_ms, 0),
            _ => {}
        });
        played.log.exit.map(|exit| exit.recorded_too)
    };
    assert_eq!(recorded_too("30 x 0", 5), Some(true));
    assert_eq!(recorded_too("5000 x 0", 5), Some(false), "the recorded one lived on");
    // Whoever no longer answers what was cancelled leaves nothing open, once the recorded answer would have been there.
    let answered = "220 s> {\"id\":2,\"result\":{}}\n300 x 0";
    assert_eq!(recorded_too(answered, 5), Some(false));
    assert_eq!(recorded_too(answered, 280), Some(true));
}

#[test]
fn a_batch_is_sent_as_one_text_with_its_own_cancel() {
    let trace = r#"
    10 c> [{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"mute"}}, {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}]
    20 c> {"id":3,"method":"tools/call","params":{"name":"echo"}}
    22 s> {"id":3,"result":{}}
    "#;
    let played = play(&mcp(trace), &options(), |wire, message| match message["params"]["name"].as_str() {
        Some("echo") => drop(wire.text(1, message, "")),
        _ if message["method"] == "initialize" => handshake(wire, message),
        _ => {}
    });
    assert!(played.wire.sent.iter().any(|(_, text)| text.starts_with("[{") && text.contains("}, {")));
    assert!(played.run("#2").cancel.as_ref().is_some_and(|cancel| cancel.sent_us.is_some()));
    assert_eq!(played.run("#3").fate, Fate::Sent);
}

#[test]
fn a_cancel_in_a_batch_goes_out_though_its_target_was_answered() {
    let trace = r#"
    10 c> {"id":2,"method":"tools/call","params":{"name":"quick"}}
    300 c> [{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}, {"jsonrpc":"2.0","method":"notifications/roots/list_changed"}]
    "#;
    let played = play(&mcp(trace), &options(), |wire, message| match message["params"]["name"].as_str() {
        Some("quick") => drop(wire.text(1, message, "")),
        _ if message["method"] == "initialize" => handshake(wire, message),
        _ => {}
    });
    let cancel = played.run("#2").cancel.as_ref().expect("a cancel");
    assert_eq!((cancel.status, cancel.harness_made, cancel.sent_us.is_some()), (CancelStatus::Raced, true, true));
    assert!(played.wire.sent.iter().any(|(_, text)| text.starts_with("[{")));
}

#[test]
fn think_time_is_measured_from_the_last_dependency() {
    let trace = r#"
    10 c> {"id":2,"method":"tools/call","params":{"name":"slow"}}
    60 s> {"id":2,"result":{}}
    100 c> {"id":3,"method":"tools/call","params":{"name":"echo"}}
    101 s> {"id":3,"result":{}}
    "#;
    let played = play(&mcp(trace), &options(), reference());
    let answered = played.run("#2").answered_us.expect("answered");
    assert_eq!(
        played.run("#3").sent_us,
        Some(answered + 40 * MS),
        "a slow server shifts the plan, it does not compress it"
    );
}

#[test]
fn renumbering_keeps_types_and_follows_every_mention() {
    let trace = r#"
    10 c> {"id":"a","method":"tools/call","params":{"name":"slow","_meta":{"progressToken":"a"}}}
    20 c> {"method":"notifications/cancelled","params":{"requestId":"a"}}
    "#;
    let mut fresh = options();
    fresh.rewrite.renumber = true;
    let played = play(&mcp(trace), &fresh, reference());
    let run = played.run("#\"a\"");
    let id = run.live_id.clone().expect("an id");
    assert!(id.starts_with('"') && id != "\"a\"");
    let sent: Vec<&str> = played.wire.sent.iter().map(|(_, text)| text.as_str()).collect();
    assert!(sent.iter().any(|text| text.contains(&format!(r#""requestId":{id}"#))), "{sent:?}");
    assert!(!sent.iter().any(|text| text.contains("\"a\"")), "{sent:?}");
    assert!(matches!(id_of(played.run("#1")), Some(Id::Int(_))));
}

/// A recording of so many requests, each sent and answered at random times.
fn random() -> impl Strategy<Value = Vec<(u32, u32)>> {
    proptest::collection::vec((0u32..400, 1u32..200), 1..200)
}

fn trace_of(requests: &[(u32, u32)]) -> String {
    let mut events: Vec<(u32, u8, usize)> = Vec::new();
    for (at, (sent, took)) in requests.iter().enumerate() {
        events.push((*sent, 0, at));
        events.push((sent + took, 1, at));
    }
    events.sort();
    let line = |(time, kind, at): &(u32, u8, usize)| match kind {
        0 => format!(r#"{time} c> {{"id":{at},"method":"tools/list"}}"#),
        _ => format!(r#"{time} s> {{"id":{at},"result":{{}}}}"#),
    };
    events.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The longest chain of requests each of which had to wait for the one before it, with these latencies.
fn longest_chain(recorded: &Connection, latency: &[i64]) -> i64 {
    let mut end = vec![0; latency.len()];
    let mut longest = 0;
    let mut free = 0;
    for event in &recorded.events {
        match event.what {
            crate::replay::recording::EventKind::Request(at) => end[at] = free + latency[at],
            crate::replay::recording::EventKind::Response(Some(at)) => free = free.max(end[at]),
            _ => {}
        }
        longest = longest.max(end.iter().copied().max().unwrap_or(0));
    }
    longest
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn order_is_kept_and_nothing_waits_without_need(requests in random(), live in proptest::collection::vec(1i64..300, 200)) {
        let recorded = connection("mcp 2025-11-25", &trace_of(&requests));
        let mut fast = options();
        fast.pace.speed = Speed::Fast;
        let latency: Vec<i64> =
            recorded.exchanges.iter().map(|exchange| live[exchange.rpc_id.parse::<usize>().unwrap_or(0)] * MS).collect();
        let played = play(&recorded, &fast, |wire, message| {
            let id = message["id"].as_u64().unwrap_or(0) as usize;
            wire.result(live[id], message, json!({}));
        });
        prop_assert!(played.all_sent());
        for (b, later) in recorded.exchanges.iter().enumerate() {
            let sent = played.log.exchanges[b].sent_us.expect("sent");
            let mut needed = 0;
            for (a, earlier) in recorded.exchanges.iter().enumerate() {
                if earlier.response.is_some_and(|response| response < later.request) {
                    let answered = played.log.exchanges[a].answered_us.expect("answered");
                    prop_assert!(answered <= sent, "{} sent before the answer to {}", later.label(), earlier.label());
                    needed = needed.max(answered);
                }
            }
            prop_assert!(sent == needed, "{} sent at {sent}, free since {needed}", later.label());
        }
        let finish = played.log.exchanges.iter().filter_map(|run| run.answered_us).max().unwrap_or(0);
        prop_assert!(finish * 5 <= longest_chain(&recorded, &latency) * 6);
    }
}

#[test]
fn defects_of_the_recording_are_sent_as_they_were() {
    let trace = r#"
    10 c> {"id":7,"method":"tools/call","params":{"name":"slow", "n" : 1.0}}
    11 c> {"id":7,"method":"tools/call","params":{"name":"echo"}}
    12 s> {"id":7,"result":{}}
    13 s> {"id":7,"result":{}}
    "#;
    let played = play(&mcp(trace), &options(), reference());
    let same: Vec<&String> =
        played.wire.sent.iter().map(|(_, text)| text).filter(|text| text.contains("\"id\":7")).collect();
    assert_eq!(same.len(), 2);
    assert!(same[0].contains(r#"{"name":"slow", "n" : 1.0}"#), "byte for byte: {}", same[0]);
    // The first use of the id was superseded; the answer is the second one's.
    assert!(played.log.exchanges[2].answered_us.is_some());
    let mut recorded = mcp("10 c> {\"id\":2,\"method\":\"ping\"}\n12 s> {\"id\":2,\"result\":{}}");
    let mut broken = recorded.events[2].clone();
    (broken.what, broken.text) = (crate::replay::recording::EventKind::Malformed, "{\"id\":".into());
    recorded.events.push(broken);
    let played = play(&recorded, &options(), reference());
    assert_eq!(played.wire.sent.last().map(|(_, text)| text.as_str()), Some("{\"id\":"));
}

#[test]
fn without_times_everything_goes_as_fast_as_causality_allows() {
    let mut recorded = mcp(S08);
    for event in &mut recorded.events {
        event.at_us = None;
    }
    for exchange in &mut recorded.exchanges {
        exchange.latency_us = None;
    }
    let plan = planned(&recorded, &options());
    assert_eq!(plan.losses.len(), 1, "{:?}", plan.losses);
    let played = play(&recorded, &options(), reference());
    assert!(played.all_sent() && played.log.ended_us < 20 * MS, "{}", played.log.ended_us);
}

#[test]
fn what_cannot_be_replayed_is_refused_in_words() {
    let mut recorded = mcp(S08);
    recorded.proof = recorded.proof.without(crate::capture::Proof::PAYLOAD);
    let session =
        Recording { name: "a.log".into(), format: "x".into(), connections: vec![recorded], unread: Vec::new() };
    let error = plan(&session, &options()).expect_err("nothing to send");
    assert!(error.message.contains("a.log") && error.hint.is_some());
}

#[test]
fn a_connection_opens_after_what_came_before_it() {
    let first = mcp(S08);
    let mut second = mcp("");
    for (at, event) in second.events.iter_mut().enumerate() {
        event.frame = 5 + at as i64;
    }
    let mut one = first.clone();
    for event in one.events.iter_mut().skip(5) {
        event.frame += 100;
    }
    let session =
        Recording { name: "t".into(), format: "rec".into(), connections: vec![one, second], unread: Vec::new() };
    let plan = plan(&session, &options()).expect("a plan");
    assert_eq!(plan.connections[0].opens_after, None);
    assert_eq!(plan.connections[1].opens_after, Some((0, 3)), "the fourth event has frame 4");
    let engine = Engine::new(&session.connections[0], &plan.connections[0], &options());
    assert!(!engine.reached(3));
}

#[test]
fn a_server_that_ended_by_itself_is_given_the_time_to_do_so() {
    let recorded = mcp("10 c> {\"id\":2,\"method\":\"tools/list\"}\n15 s> {\"id\":2,\"result\":{}}\n215 x 1\n");
    let played = |ends: bool| {
        play(&recorded, &options(), |wire, message| {
            if message["id"] == 1 {
                wire.result(1, message, json!({"protocolVersion":"2025-11-25"}));
            } else if message["id"] == 2 {
                wire.result(1, message, json!({}));
                if ends {
                    wire.exit(300, 1);
                }
            }
        })
    };
    let ended = played(true).log;
    let exit = ended.exit.expect("an end");
    assert!(exit.unasked && exit.recorded_too && exit.code == Some(1));
    let asked = played(false).log;
    assert!(!asked.exit.expect("an end").unasked);
    assert!((400 * MS..800 * MS).contains(&asked.ended_us), "not for ever: {}", asked.ended_us);
}

#[test]
fn the_connection_stays_open_as_long_as_the_recorded_client_left_it_so() {
    let played = |closed: &str, idle_us: i64| {
        let called = r#"{"id":1,"method":"tools/call","params":{"name":"echo","arguments":{"x":1}}}"#;
        let trace = format!("0 c> {called}\n5 s> {{\"id\":1,\"result\":{{}}}}\n{closed}");
        let mut options = options();
        options.pace.max_idle_us = Some(idle_us);
        play(&mcp(&trace), &options, reference()).log.ended_us
    };
    let (at_once, long, capped) =
        (played("6 c|", 5_000_000), played("2005 c|", 5_000_000), played("2005 c|", 1_000_000));
    assert!((2_000 * MS..2_200 * MS).contains(&long) && (1_000 * MS..1_200 * MS).contains(&capped), "{long} {capped}");
    assert!(at_once < 100 * MS && played("", 5_000_000) < 100 * MS, "{at_once}");
}
