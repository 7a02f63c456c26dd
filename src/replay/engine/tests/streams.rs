//! HTTP: streams as recorded, and cancels by closing them.

use super::reinit::LOST;
use super::*;
use crate::live::link::Outgoing;
use crate::protocol::Side;
use crate::replay::options::Speed;
use crate::replay::run::CancelStatus;

#[test]
fn an_answer_that_is_packed_is_neither_waited_for_nor_cancelled() {
    let played = play(&connection("mcp 2025-11-25", LOST), &options(), |wire, message| {
        let stream = Some(wire.stream);
        match message["method"].as_str() {
            Some("tools/call") => {
                head(wire, 200);
                wire.at(2, Incoming::Packed { stream, bytes: b"\x0b\x02".to_vec(), encoding: "br".into() });
                wire.at(3, Incoming::Closed { stream, by: Side::Server, how: "eof".into() });
            }
            Some("initialize") => drop(wire.result(2, message, json!({"protocolVersion":"2025-11-25"}))),
            Some("tools/list") => drop(wire.result(2, message, json!({"tools":[]}))),
            _ => head(wire, 202),
        }
    });
    let run = played.run("#3");
    assert_eq!((run.packed.as_deref(), run.stuck_us), (Some("br"), None));
    assert_eq!(run.cancel.as_ref().map(|cancel| cancel.status), Some(CancelStatus::Raced));
    assert_eq!(played.wire.with("notifications/cancelled"), []);
    assert!(played.log.notes.iter().any(|note| note.contains("(br)")));
}

#[test]
fn the_negotiated_revision_goes_with_every_later_message() {
    let recorded = connection("mcp 2025-11-25", HTTP);
    let mut engine = Engine::new(&recorded, &planned(&recorded, &options()).connections[0], &options());
    engine.arrival(0, &Incoming::Ready);
    assert!(matches!(engine.next(), Some(Outgoing::Message { stream: 1, revision: None, .. })));
    let answer = br#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}"#.to_vec();
    engine.arrival(5 * MS, &Incoming::Message { stream: Some(1), bytes: answer, event_id: None });
    engine.tick(50 * MS);
    match engine.next() {
        Some(Outgoing::Message { stream: 2, revision, .. }) => assert_eq!(revision.as_deref(), Some("2025-06-18")),
        other => panic!("{other:?}"),
    }
}

const STATELESS: &str = r#"
0 c# 1 {"id":1,"method":"tools/call","params":{"name":"slow","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
300 c| 1
310 c# 2 {"id":2,"method":"tools/call","params":{"name":"echo","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
315 s# 2 {"id":2,"result":{}}
"#;

#[test]
fn closing_a_stream_is_a_cancel_where_it_is_one() {
    let recorded = connection("mcp 2026-07-28", STATELESS);
    let played = play(&recorded, &options(), |wire, message| {
        if message["id"] == 2 {
            wire.result(1, message, json!({}));
        }
    });
    assert!(played.all_sent());
    let closed: Vec<&(i64, Outgoing)> =
        played.wire.asked.iter().filter(|(_, out)| matches!(out, Outgoing::CloseStream { .. })).collect();
    assert_eq!(closed.len(), 1);
    assert_eq!(closed[0], &(300 * MS, Outgoing::CloseStream { stream: 1 }));
    let cancel = played.run("#1").cancel.clone().expect("a cancel");
    assert_eq!((cancel.status, cancel.sent_us), (CancelStatus::Landed, Some(300 * MS)));
    assert!(played.log.ended_us < 1_000 * MS, "nothing can be seen after it");
}

#[test]
fn an_error_status_without_a_message_is_no_reason_to_wait() {
    let recorded = connection("mcp 2025-11-25", HTTP);
    for status in [500, 404, 301] {
        let played = play(&recorded, &options(), |wire, message| {
            if message["method"] == "tools/list" {
                head(wire, status);
                let stream = Some(wire.stream);
                wire.at(2, Incoming::Closed { stream, by: Side::Server, how: "eof".into() });
            } else if !message["id"].is_null() {
                head(wire, 200);
                wire.result(1, message, json!({"protocolVersion":"2025-11-25"}));
            }
        });
        let run = played.run("#2");
        assert_eq!((run.http_status, run.stuck_us), (Some(status), None));
        assert!(!played.run("#3").after_stuck && played.log.ended_us < 100 * MS, "the status is an answer");
    }
}

#[test]
fn a_post_whose_connection_dies_is_told_at_once() {
    let recorded = connection("mcp 2025-11-25", HTTP);
    let played = |over_http: bool| {
        let mut options = options();
        options.cancel.over_http = Some(over_http);
        play(&recorded, &options, |wire, message| {
            if message["method"] == "tools/list" {
                let stream = Some(wire.stream);
                wire.at(2, Incoming::Closed { stream, by: Side::Server, how: "reset".into() });
            } else if !message["id"].is_null() {
                head(wire, 200);
                wire.result(1, message, json!({"protocolVersion":"2025-11-25"}));
            }
        })
    };
    let died = played(true);
    let run = died.run("#2");
    assert!(run.peer_gone && run.stuck_us.is_none() && died.log.ended_us < 100 * MS);
    assert!(died.run("#3").answered_us.is_some() && !died.run("#3").after_stuck);
    let run = played(false);
    assert!(!run.run("#2").peer_gone && run.run("#2").stuck_us.is_some(), "HTTP+SSE answers on another stream");
}

/// A response that was cut off brings nothing more, unless its events have ids behind which it goes on. One that merely ended is waited
/// for.
#[test]
fn a_response_that_is_cut_off_is_told_at_once() {
    let recorded = connection("mcp 2025-11-25", HTTP);
    let played = |how: &str, primed: bool| {
        let mut options = options();
        options.cancel.over_http = Some(true);
        play(&recorded, &options, |wire, message| {
            let stream = wire.stream;
            if !message["id"].is_null() {
                head(wire, 200);
            }
            if message["method"] != "tools/list" {
                wire.result(1, message, json!({"protocolVersion":"2025-11-25"}));
                return;
            }
            if primed {
                wire.at(1, Incoming::Primed { stream, event_id: Some("e1".into()), retry_ms: Some(50) });
                wire.result(80, message, json!({}));
            }
            wire.at(2, Incoming::Closed { stream: Some(stream), by: Side::Server, how: how.into() });
        })
    };
    let cut = played("reset", false);
    assert!(cut.run("#2").peer_gone && cut.run("#2").stuck_us.is_none() && cut.log.ended_us < 100 * MS);
    assert!(cut.run("#3").answered_us.is_some() && !cut.run("#3").after_stuck);
    let resumed = played("reset", true);
    assert!(!resumed.run("#2").peer_gone && resumed.run("#2").answered_us.is_some());
    let ended = played("eof", false);
    assert!(!ended.run("#2").peer_gone && ended.run("#2").stuck_us.is_some());
}

const CANCELLED: &str = r#"
0 c# 1 {"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
5 s# 1 {"id":1,"result":{"protocolVersion":"2025-11-25"}}
6 c# 2 {"method":"notifications/initialized"}
20 c# 3 {"id":2,"method":"tools/call","params":{"name":"slow"}}
120 c# 4 {"method":"notifications/cancelled","params":{"requestId":2}}
"#;

/// A stream that was cut off behind a cancel brings nothing, whatever the server would have said.
#[test]
fn the_stream_of_a_cancelled_call_that_is_cut_off_is_told() {
    let recorded = connection("mcp 2025-11-25", CANCELLED);
    let played = |how: &str| {
        let mut options = options();
        options.cancel.over_http = Some(true);
        play(&recorded, &options, |wire, message| {
            let stream = Some(wire.stream);
            match message["method"].as_str() {
                Some("tools/call") => {
                    head(wire, 200);
                    wire.at(200, Incoming::Closed { stream, by: Side::Server, how: how.into() });
                }
                Some("initialize") => drop(wire.result(1, message, json!({"protocolVersion":"2025-11-25"}))),
                _ => head(wire, 202),
            }
        })
    };
    let (reset, ended) = (played("reset"), played("eof"));
    assert!(reset.run("#2").cut_us.is_some() && !reset.run("#2").peer_gone);
    assert_eq!(ended.run("#2").cut_us, None);
}

const LISTENING: &str = r#"
0 c# 1 {"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
5 s# 1 {"id":1,"result":{"protocolVersion":"2025-11-25"}}
6 c# 2 {"method":"notifications/initialized"}
8 c+ 3 GET
9 s# 3 {"method":"notifications/message","params":{"level":"info"}}
20 c# 4 {"id":2,"method":"tools/list"}
25 s# 4 {"id":2,"result":{"tools":[]}}
30 c| 3
40 c+ 5 GET 3
50 c# 6 {"id":3,"method":"tools/list"}
55 s# 6 {"id":3,"result":{"tools":[]}}
60 c+ 7 DELETE
"#;

#[test]
fn a_stream_that_its_server_ends_early_is_resumed() {
    let recorded = connection("mcp 2025-11-25", HTTP);
    let played = play(&recorded, &options(), |wire, message| {
        let stream = wire.stream;
        if message["method"] == "tools/list" {
            wire.at(1, Incoming::Primed { stream, event_id: Some("e1".into()), retry_ms: Some(50) });
            wire.at(2, Incoming::Closed { stream: Some(stream), by: Side::Server, how: "eof".into() });
            wire.result(80, message, json!({}));
        } else if !message["id"].is_null() {
            wire.result(1, message, json!({"protocolVersion":"2025-11-25"}));
        }
    });
    let sent = played.run("#2").sent_us.expect("sent");
    let again = &played.wire.asked[0];
    assert_eq!(again.0, sent + 52 * MS);
    assert!(matches!(&again.1, Outgoing::OpenStream { last_event_id: Some(id), .. } if id == "e1"), "{again:?}");
    assert!(played.all_sent() && played.run("#2").answered_us.is_some());
}

const ONE_LIST: &str = r#"
0 c# 1 {"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
5 s# 1 {"id":1,"result":{"protocolVersion":"2025-11-25"}}
20 c# 3 {"id":2,"method":"tools/list"}
25 s# 3 {"id":2,"result":{"tools":[]}}
"#;

/// What refuses to go on with a stream will not answer: nobody waits for it as for a server that is silent.
#[test]
fn a_resume_that_is_refused_is_the_end_of_the_wait() {
    let recorded = connection("mcp 2025-11-25", ONE_LIST);
    let stuck_after = |status: u16| {
        let played = play(&recorded, &options(), |wire, message| {
            if message["id"] == 1 {
                wire.result(1, message, json!({"protocolVersion":"2025-11-25"}));
                return;
            }
            let stream = wire.stream;
            head(wire, 200);
            let closed = |stream| Incoming::Closed { stream: Some(stream), by: Side::Server, how: "eof".into() };
            wire.at(1, Incoming::Primed { stream, event_id: Some("e1".into()), retry_ms: Some(50) });
            wire.at(2, closed(stream));
            wire.at(60, Incoming::Head { stream: stream + 1, method: "GET", status, headers: Vec::new() });
            wire.at(61, closed(stream + 1));
        });
        let run = played.run("#2");
        (run.stuck_us.expect("stuck") - run.sent_us.expect("sent")) / MS
    };
    assert_eq!((stuck_after(404), stuck_after(400)), (61, 61));
    // A server that is only busy may be asked again.
    assert!(stuck_after(503) > 1_000);
}

/// Without a pause of its own, `--speed fast` would ask a server that is only busy thousands of times a second.
#[test]
fn a_stream_that_went_on_and_ended_is_not_asked_for_again_at_once() {
    let recorded = connection("mcp 2025-11-25", ONE_LIST);
    let mut fast = options();
    fast.pace.speed = Speed::Fast;
    let played = play(&recorded, &fast, |wire, message| {
        if message["id"] == 1 {
            wire.result(1, message, json!({"protocolVersion":"2025-11-25"}));
            return;
        }
        let stream = wire.stream;
        let closed = |stream| Incoming::Closed { stream: Some(stream), by: Side::Server, how: "eof".into() };
        wire.at(1, Incoming::Primed { stream, event_id: Some("e1".into()), retry_ms: None });
        wire.at(2, closed(stream));
        wire.at(3, Incoming::Head { stream: stream + 1, method: "GET", status: 503, headers: Vec::new() });
        wire.at(4, closed(stream + 1));
    });
    let sent = played.run("#2").sent_us.expect("sent");
    let opened = played.wire.asked.iter().filter(|(_, out)| matches!(out, Outgoing::OpenStream { .. }));
    let after: Vec<i64> = opened.map(|(at, _)| (at - sent) / MS).collect();
    assert_eq!(after, [2, 1_004]);
}

/// Two calls whose streams are ended before their answers, and those of a client that came back for both.
const BOTH: &str = r#"
0 c# 1 {"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
5 s# 1 {"id":1,"result":{"protocolVersion":"2025-11-25"}}
6 c# 2 {"method":"notifications/initialized"}
20 c# 3 {"id":2,"method":"tools/list"}
21 c# 4 {"id":3,"method":"prompts/list"}
30 s| 4
40 s| 3
"#;

#[test]
fn each_of_several_streams_is_resumed_behind_its_own_last_event() {
    let resumed = "130 c+ 5 GET 4\n140 c+ 6 GET 3\n";
    let answers = |first: u32, second: u32| {
        format!("200 s# {first} {{\"id\":2,\"result\":{{}}}}\n210 s# {second} {{\"id\":3,\"result\":{{}}}}\n")
    };
    // The live streams end in the order of the requests, the recorded ones did not; and a client may have had no need to come back.
    for trace in [
        format!("{BOTH}{resumed}{}", answers(6, 5)),
        format!("{BOTH}{}", answers(3, 4)).replace("30 s| 4\n40 s| 3\n", ""),
    ] {
        let played = play(&with_heads(&trace), &options(), |wire, message| {
            let (stream, after) = (wire.stream, if message["id"] == 2 { 2 } else { 20 });
            if message["id"] == 1 {
                wire.result(1, message, json!({"protocolVersion":"2025-11-25"}));
            } else if !message["id"].is_null() {
                let id = message["id"].to_string();
                wire.at(1, Incoming::Primed { stream, event_id: Some(id), retry_ms: Some(50) });
                wire.at(after, Incoming::Closed { stream: Some(stream), by: Side::Server, how: "eof".into() });
                wire.result(400, message, json!({}));
            }
        });
        let mut ids: Vec<&str> = Vec::new();
        for (_, out) in &played.wire.asked {
            if let Outgoing::OpenStream { last_event_id: Some(id), .. } = out {
                ids.push(id);
            }
        }
        ids.sort_unstable();
        assert_eq!(ids, ["2", "3"], "{trace}");
        assert!(played.run("#2").answered_us.is_some() && played.run("#3").answered_us.is_some(), "{trace}");
    }
}

/// `8 c+ 3 GET` opened stream 3; the head of its request is put in. `9 c+ 5 GET 3` goes on with stream 3. `8 s+ 3 202` is the head of a response.
fn with_heads(trace: &str) -> Connection {
    use crate::replay::recording::{Event, EventKind};
    let mut recorded =
        connection("mcp 2025-11-25", &trace.lines().filter(|line| !line.contains("+ ")).collect::<Vec<_>>().join("\n"));
    for line in trace.lines().filter(|line| line.contains("+ ")) {
        let parts: Vec<&str> = line.split_whitespace().collect();
        let at_us = parts[0].parse::<i64>().expect("a time") * MS;
        let stream = parts[2].parse::<u32>().ok();
        let at = recorded.events.iter().position(|event| event.at_us > Some(at_us)).unwrap_or(recorded.events.len());
        if parts[1] == "s+" {
            let text = format!(r#"{{"status":{}}}"#, parts[3]);
            let side = Some(Side::Server);
            recorded
                .events
                .insert(at, Event { frame: 0, line: 0, at_us: Some(at_us), side, stream, what: EventKind::Http, text });
            shift(&mut recorded, at, 1);
            continue;
        }
        let lost = parts.get(4).and_then(|lost| lost.parse::<u32>().ok());
        recorded.resumed.extend(stream.zip(lost));
        let head = format!(r#"{{"method":"{}"}}"#, parts[3]);
        for (what, text) in [(EventKind::Http, head), (EventKind::Open, String::new())] {
            let event = Event { frame: 0, line: 0, at_us: Some(at_us), side: Some(Side::Client), stream, what, text };
            recorded.events.insert(at, event);
        }
        shift(&mut recorded, at, 2);
    }
    recorded
}

/// Makes room for so many events.
fn shift(recorded: &mut Connection, at: usize, by: usize) {
    for exchange in &mut recorded.exchanges {
        for place in [Some(&mut exchange.request), exchange.response.as_mut()].into_iter().flatten() {
            *place += if *place >= at { by } else { 0 };
        }
    }
}

#[test]
fn what_followed_an_accepted_notification_follows_it_again() {
    let recorded = with_heads(&HTTP.replace("10 c# 3", "8 s+ 2 202\n10 c# 3"));
    for (slow, sent) in [(50, 52), (9_000, 102)] {
        let played = play(&recorded, &options(), |wire, message| {
            if message["id"].is_null() {
                let stream = wire.stream;
                wire.at(slow, Incoming::Head { stream, method: "POST", status: 202, headers: Vec::new() });
                return;
            }
            head(wire, 200);
            wire.result(2, message, json!({"protocolVersion":"2025-11-25"}));
        });
        let told = played.wire.with("notifications/initialized")[0].0;
        assert_eq!(played.wire.with("tools/list")[0].0, told + sent * MS, "a late 202 holds nothing up for long");
    }
}

#[test]
fn streams_are_opened_given_up_resumed_and_the_session_ended_as_recorded() {
    let played = play(&with_heads(LISTENING), &options(), |wire, message| {
        if message["id"] == 1 {
            let note = br#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#.to_vec();
            wire.at(9, Incoming::Message { stream: Some(3), bytes: note, event_id: Some("live-7".into()) });
        }
        if !message["id"].is_null() {
            wire.result(1, message, json!({"protocolVersion":"2025-11-25"}));
        }
    });
    assert!(played.all_sent());
    let asked: Vec<&Outgoing> = played.wire.asked.iter().map(|(_, out)| out).collect();
    let revision = Some("2025-11-25".to_string());
    assert_eq!(
        asked,
        [
            &Outgoing::OpenStream { stream: 3, last_event_id: None, revision: revision.clone() },
            &Outgoing::CloseStream { stream: 3 },
            &Outgoing::OpenStream { stream: 5, last_event_id: Some("live-7".into()), revision: revision.clone() },
            &Outgoing::EndSession { revision },
            &Outgoing::Finish,
        ]
    );
    assert!(played.log.extras.is_empty(), "{:?}", played.log.extras);
}

#[test]
fn a_session_that_only_has_to_end_plays_no_more() {
    let session = r#"
0 c# 1 {"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
5 s# 1 {"id":1,"result":{"protocolVersion":"2025-11-25"}}
6 c# 2 {"method":"notifications/initialized"}
20 c# 3 {"id":2,"method":"tools/call","params":{"name":"slow"}}
"#;
    let serve = |wire: &mut Wire, message: &Value| match message["method"].as_str() {
        Some("initialize") => drop(wire.result(1, message, json!({"protocolVersion":"2025-11-25"}))),
        Some("tools/call") => drop(wire.result(5_000, message, json!({"content":[]}))),
        _ => {}
    };
    // The end is held back until the cancel was watched: that is no playing.
    let cancelled = r#"120 c# 4 {"method":"notifications/cancelled","params":{"requestId":2}}"#;
    let trace = format!("{session}{cancelled}\n130 c+ 5 DELETE\n");
    let played = play(&with_heads(&trace), &options(), serve);
    let cancel = played.wire.with("notifications/cancelled")[0].0;
    let ended =
        played.wire.asked.iter().find(|(_, out)| matches!(out, Outgoing::EndSession { .. })).expect("a DELETE").0;
    assert!(ended >= cancel + 2_000 * MS, "{ended} {cancel}");
    assert_eq!(played.only_watched_us.map(|at| at - cancel), Some(0), "{cancel}");
    // Neither is the pause before the end, once the answers are there.
    let trace = format!("{session}5020 s# 3 {{\"id\":2,\"result\":{{\"content\":[]}}}}\n5900 c+ 5 DELETE\n");
    let played = play(&with_heads(&trace), &options(), serve);
    assert_eq!(played.only_watched_us, played.run("#2").answered_us);
}

/// A server may send its request again on another stream: it is the same, and is answered once.
#[test]
fn a_request_of_the_server_on_a_second_stream_is_the_same_one() {
    let asked = r#"{"jsonrpc":"2.0","id":"x","method":"roots/list"}"#;
    let trace = format!(
        "{HTTP}30 c# 5 {{\"id\":4,\"method\":\"tools/call\",\"params\":{{\"name\":\"b\"}}}}\n40 s# 5 {asked}\n45 c# 6 {{\"id\":\"x\",\"result\":{{\"roots\":[]}}}}\n50 s# 5 {{\"id\":4,\"result\":{{}}}}\n"
    );
    let played = |texts: &[(i64, &str)]| {
        play(&connection("mcp 2025-11-25", &trace), &options(), |wire, message| {
            head(wire, 200);
            match (message["method"].as_str(), message["id"].as_str()) {
                (_, Some("x")) => {
                    wire.result(3, &json!({"id": 4}), json!({}));
                }
                (Some("tools/call"), _) if message["id"] == 4 => {
                    for (at, (after, text)) in texts.iter().enumerate() {
                        let bytes = text.as_bytes().to_vec();
                        wire.at(*after, Incoming::Message { stream: Some(90 + at as u32), bytes, event_id: None });
                    }
                }
                (Some(_), _) if !message["id"].is_null() => {
                    wire.result(2, message, json!({"protocolVersion":"2025-11-25"}));
                }
                _ => {}
            }
        })
    };
    let twice = played(&[(2, asked), (2, asked)]);
    assert!(twice.all_sent() && twice.log.extras.is_empty(), "{:?}", twice.log.extras);
    let other = asked.replace("\"x\"", "\"y\"");
    assert_eq!(played(&[(2, asked), (2, &other)]).log.extras.len(), 1, "another id is another request");
    assert_eq!(played(&[(2, asked), (9, asked)]).log.extras.len(), 1, "one that was answered is asked anew");
}

/// The same session as [`STATELESS`], over a transport of one stream.
const STATELESS_IN_LINE: &str = r#"
0 c> {"id":1,"method":"tools/call","params":{"name":"slow","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
300 c> {"method":"notifications/cancelled","params":{"requestId":1}}
310 c> {"id":2,"method":"tools/call","params":{"name":"echo","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
315 s> {"id":2,"result":{}}
"#;

#[test]
fn a_cancel_is_that_of_the_transport_that_is_played_over() {
    for trace in [STATELESS, STATELESS_IN_LINE] {
        let play = |over_http: bool| {
            let mut options = options();
            options.cancel.over_http = Some(over_http);
            play(&connection("mcp 2026-07-28", trace), &options, |wire, message| {
                if message["id"] == 2 {
                    wire.result(1, message, json!({}));
                }
            })
        };
        let close = (300 * MS, Outgoing::CloseStream { stream: 1 });
        let (line, streams) = (play(false), play(true));
        let sent = line.wire.with("notifications/cancelled");
        assert_eq!((sent.len(), sent[0].0, &sent[0].1["params"]), (1, 300 * MS, &json!({"requestId": 1})));
        assert!(!line.wire.asked.contains(&close) && line.log.ended_us > 2_000 * MS, "it is watched");
        assert!(streams.wire.asked.contains(&close) && streams.wire.with("notifications/cancelled").is_empty());
        for played in [line, streams] {
            assert_eq!(played.run("#1").cancel.as_ref().map(|cancel| cancel.status), Some(CancelStatus::Landed));
        }
    }
}

#[test]
fn a_notification_speaks_the_revision_that_the_requests_before_it_state() {
    let recorded = connection("mcp 2026-07-28", STATELESS_IN_LINE);
    let mut engine = Engine::new(&recorded, &planned(&recorded, &options()).connections[0], &options());
    engine.arrival(0, &Incoming::Ready);
    let mut named = Vec::new();
    for at in [0, 300, 310] {
        engine.tick(at * MS);
        while let Some(order) = engine.next() {
            if let Outgoing::Message { stream, revision, .. } = order {
                named.push(revision);
                engine.arrival(at * MS, &Incoming::Sent { stream });
            }
        }
    }
    assert_eq!(named, vec![Some("2026-07-28".to_string()); 3]);
}

const TWICE: &str = r#"
0 c# 1 {"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
5 s# 1 {"id":1,"result":{"protocolVersion":"2025-11-25"}}
6 c# 2 {"method":"notifications/initialized"}
10 c# 3 {"id":2,"method":"tools/call","params":{"name":"slow"}}
11 c# 4 {"id":2,"method":"tools/call","params":{"name":"echo"}}
20 s# 4 {"id":2,"result":{}}
90 s# 3 {"id":2,"result":{}}
"#;

#[test]
fn of_two_requests_with_one_id_the_stream_tells_which_is_answered() {
    let mut recorded = connection("mcp 2025-11-25", TWICE);
    // As a loader pairs them: each with what came on its stream.
    (recorded.exchanges[1].response, recorded.exchanges[2].response) = (Some(6), Some(5));
    let played = play(&recorded, &options(), |wire, message| {
        let after = if message["params"]["name"] == "slow" { 80 } else { 2 };
        let result = json!({"protocolVersion": "2025-11-25", "of": message["params"]["name"]});
        let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string().into_bytes();
        let stream = Some(wire.stream);
        wire.at(after, Incoming::Message { stream, bytes: answer, event_id: None });
    });
    for (place, name) in [(1, "slow"), (2, "echo")] {
        let run = &played.log.exchanges[place];
        assert!(run.text.as_ref().is_some_and(|text| text.contains(name)) && run.stuck_us.is_none(), "{run:?}");
    }
}

const CANCELLED_OVER_HTTP: &str = r#"
0 c# 1 {"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
5 s# 1 {"id":1,"result":{"protocolVersion":"2025-11-25"}}
6 c# 2 {"method":"notifications/initialized"}
10 c# 3 {"id":2,"method":"tools/call","params":{"name":"slow"}}
310 c# 4 {"method":"notifications/cancelled","params":{"requestId":2}}
"#;

#[test]
fn a_cancel_whose_post_dies_without_a_status_has_not_landed() {
    let recorded = connection("mcp 2025-11-25", CANCELLED_OVER_HTTP);
    let played = |status: Option<u16>| {
        play(&recorded, &options(), |wire, message| {
            if message["method"] != "notifications/cancelled" {
                head(wire, if message["id"].is_null() { 202 } else { 200 });
            } else if let Some(status) = status {
                head(wire, status);
            }
            if message["id"] == 1 {
                wire.result(1, message, json!({"protocolVersion":"2025-11-25"}));
            } else if message["id"].is_null() {
                wire.at(2, Incoming::Closed { stream: Some(wire.stream), by: Side::Server, how: "reset".into() });
            }
        })
    };
    let of = |status: Option<u16>| {
        let played = played(status);
        let refused: Vec<Option<u16>> = played.log.refused.iter().map(|refused| refused.status).collect();
        (played.run("#2").cancel.as_ref().map(|cancel| cancel.status), refused)
    };
    assert_eq!(of(None), (Some(CancelStatus::Refused), vec![None]), "nobody knows whether it came");
    assert_eq!(of(Some(503)), (Some(CancelStatus::Refused), vec![Some(503)]));
    assert_eq!(of(Some(202)), (Some(CancelStatus::Landed), vec![]));
}
