//! Cancels, closed streams and turns.

use super::*;
use crate::replay::recording::Fault;

const LATE: &str = r#"
    0 c> {"id":1,"method":"tools/call","params":{"name":"slow","_meta":{"progressToken":"t"}}}
    100 s> {"method":"notifications/progress","params":{"progressToken":"t","progress":1}}
    300 c> {"method":"notifications/cancelled","params":{"requestId":1}}
    350 s> {"method":"notifications/progress","params":{"progressToken":"t","progress":2}}
    800 s> {"id":1,"result":{"content":[]}}
    900 s> {"id":1,"result":{"content":["again"]}}
"#;

#[test]
fn a_late_answer_comes_late_again_timed_from_the_live_cancel() {
    for speed in [Speed::Fast, Speed::Recorded, Speed::Times(10.0)] {
        let mut stage = Stage::with(MCP, LATE, MockOptions { speed, ..MockOptions::default() });
        stage.on(r#"{"id":"a","method":"tools/call","params":{"name":"slow","_meta":{"progressToken":"u"}}}"#);
        stage.until(2_000);
        assert_eq!(stage.on(r#"{"method":"notifications/cancelled","params":{"requestId":"a"}}"#), [""; 0]);
        let after = stage.until(9_000);
        let times: Vec<i64> = after.iter().map(|(at, _)| *at).collect();
        assert_eq!(times, [2_050, 2_500, 2_600], "{speed:?}");
        assert!(after[0].1.contains(r#""progressToken":"u""#) && after[1].1.starts_with(r#"{"id":"a","result""#));
        assert!(after[2].1.contains("again"));
        assert_eq!(stage.report().notes, [""; 0]);
    }
}

#[test]
fn a_cancel_before_its_recorded_place_skips_what_came_before() {
    let mut stage = Stage::recorded(MCP, LATE);
    stage.on(r#"{"id":5,"method":"tools/call","params":{"name":"slow","_meta":{"progressToken":"t"}}}"#);
    stage.until(50);
    stage.on(r#"{"method":"notifications/cancelled","params":{"requestId":5}}"#);
    let times: Vec<i64> = stage.until(9_000).into_iter().map(|(at, _)| at).collect();
    assert_eq!(times, [100, 550, 650]);
}

#[test]
fn what_came_after_a_cancel_waits_for_one() {
    let mut stage = Stage::new(MCP, LATE);
    stage.on(r#"{"id":5,"method":"tools/call","params":{"name":"slow"}}"#);
    assert_eq!(stage.until(99_000), []);
    let held = "#1 tools/call: held back what came after its cancel, because the client did not cancel it";
    assert_eq!(stage.report().notes, [held]);
}

#[test]
fn a_cancel_that_is_not_recorded_is_silence_in_mcp_and_an_error_in_lsp() {
    let mut stage = Stage::recorded(MCP, CALLS);
    stage.on(r#"{"id":3,"method":"tools/call","params":{"name":"echo","arguments":{"q":"a"}}}"#);
    stage.until(200);
    assert_eq!(stage.on(r#"{"method":"notifications/cancelled","params":{"requestId":3}}"#), [""; 0]);
    assert_eq!(stage.until(9_000), []);
    assert!(stage.report().notes[0].contains("cancelled, which it was not in the recording"));

    let lsp = r#"
        0 c> {"id":1,"method":"textDocument/hover","params":{"x":1}}
        900 s> {"id":1,"result":null}
        1000 c> {"id":2,"method":"textDocument/definition"}
    "#;
    let mut stage = Stage::recorded("lsp 3.17", lsp);
    stage.on(r#"{"id":"h","method":"textDocument/hover","params":{"x":1}}"#);
    let error = r#"{"id":"h","error":{"code":-32800,"message":"Request cancelled"}}"#;
    assert_eq!(stage.on(r#"{"method":"$/cancelRequest","params":{"id":"h"}}"#), [error]);
    assert_eq!(stage.until(9_000), [], "and never twice");
    assert_eq!(stage.on(r#"{"method":"$/cancelRequest","params":{"id":"h"}}"#), [""; 0]);
    stage.on(r#"{"id":2,"method":"textDocument/definition"}"#);
    let error = r#"{"id":2,"error":{"code":-32800,"message":"Request cancelled"}}"#;
    assert_eq!(
        stage.on(r#"{"method":"$/cancelRequest","params":{"id":2}}"#),
        [error],
        "also where it was never answered"
    );
}

#[test]
fn a_cancel_of_what_is_answered_changes_nothing() {
    let mut stage = Stage::new(MCP, CALLS);
    stage.on(r#"{"id":3,"method":"tools/call","params":{"name":"echo","arguments":{"q":"a"}}}"#);
    assert_eq!(stage.on(r#"{"method":"notifications/cancelled","params":{"requestId":3}}"#), [""; 0]);
    assert_eq!(stage.on(r#"{"method":"notifications/cancelled","params":{"requestId":77}}"#), [""; 0]);
    let report = stage.report();
    assert_eq!((report.notes, report.surplus.get("notifications/cancelled")), (vec![], Some(&1)));
}

const TURN: &str = r#"
    0 c> {"id":0,"method":"initialize","params":{"protocolVersion":1}}
    1 s> {"id":0,"result":{"protocolVersion":1}}
    2 c> {"id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}
    3 s> {"id":1,"result":{"sessionId":"s-1"}}
    10 c> {"id":2,"method":"session/prompt","params":{"sessionId":"s-1","prompt":[]}}
    20 s> {"method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"plan"}}}
    30 s> {"id":0,"method":"session/request_permission","params":{"sessionId":"s-1"}}
    60 c> {"method":"session/cancel","params":{"sessionId":"s-1"}}
    61 c> {"id":0,"result":{"outcome":{"outcome":"cancelled"}}}
    90 s> {"id":2,"result":{"stopReason":"cancelled"}}
    99 c> {"id":3,"method":"session/prompt","params":{"sessionId":"s-1","prompt":[1]}}
    500 s> {"id":3,"result":{"stopReason":"end_turn"}}
"#;

#[test]
fn a_turn_of_acp_with_its_permission_and_its_cancel() {
    let mut stage = Stage::new("acp 1", TURN);
    stage.on(r#"{"id":"i","method":"initialize","params":{"protocolVersion":1}}"#);
    let new = stage.on(r#"{"id":"n","method":"session/new","params":{"cwd":"/elsewhere","mcpServers":[]}}"#);
    assert_eq!(new, [r#"{"id":"n","result":{"sessionId":"s-1"}}"#]);
    let turn = stage.on(r#"{"id":0,"method":"session/prompt","params":{"sessionId":"s-1","prompt":[]}}"#);
    assert!(
        turn[0].contains("plan") && turn[1].starts_with(r#"{"id":0,"method":"session/request_permission""#),
        "{turn:?}"
    );
    assert_eq!(turn.len(), 2);
    stage.now_us = 1_000_000;
    assert_eq!(stage.on(r#"{"method":"session/cancel","params":{"sessionId":"s-1"}}"#), [""; 0]);
    assert_eq!(stage.on(r#"{"id":0,"result":{"outcome":{"outcome":"cancelled"}}}"#), [""; 0]);
    assert_eq!(stage.until(2_000), [(1_029, r#"{"id":0,"result":{"stopReason":"cancelled"}}"#.to_string())]);
    let report = stage.report();
    assert_eq!(report.notes, ["session/new was answered as #1, although /params/cwd differs"]);
}

#[test]
fn a_turn_that_was_not_cancelled_ends_cancelled() {
    let mut stage = Stage::recorded("acp 1", TURN);
    stage.on(r#"{"id":5,"method":"session/prompt","params":{"sessionId":"s-1","prompt":[1]}}"#);
    stage.until(50);
    let answer = stage.on(r#"{"method":"session/cancel","params":{"sessionId":"s-1"}}"#);
    assert_eq!(answer, [r#"{"id":5,"result":{"stopReason":"cancelled"}}"#]);
    assert_eq!(stage.until(9_000), []);
}

#[test]
fn an_early_cancel_does_not_wait_for_what_was_not_asked() {
    let mut stage = Stage::recorded("acp 1", TURN);
    stage.on(r#"{"id":5,"method":"session/prompt","params":{"sessionId":"s-1","prompt":[]}}"#);
    stage.until(15);
    stage.on(r#"{"method":"session/cancel","params":{"sessionId":"s-1"}}"#);
    assert_eq!(stage.until(9_000), [(15 + 29, r#"{"id":5,"result":{"stopReason":"cancelled"}}"#.to_string())]);
}

#[test]
fn closing_a_stream_cancels_where_the_protocol_says_so() {
    let trace = r#"
        0 c# 1 {"id":1,"method":"tools/call","params":{"name":"slow"}}
        500 s# 1 {"id":1,"result":{"content":[]}}
        600 c# 2 {"id":2,"method":"tools/call","params":{"name":"slow"}}
        700 c| 2
    "#;
    let closed = |stream| Incoming::Closed { stream: Some(stream), by: Side::Client, how: "reset".into() };
    let call = r#"{"id":5,"method":"tools/call","params":{"name":"slow"}}"#;
    let mut stage = Stage::recorded("mcp 2026-07-28", trace);
    stage.on_stream(Some(9), call);
    stage.mock.arrival(1_000, &closed(9));
    assert_eq!(stage.until(9_000), [], "stopped");
    assert!(stage.report().notes[0].contains("cancelled, which it was not"));
    let mut stage = Stage::recorded(MCP, trace);
    stage.on_stream(Some(9), call);
    stage.mock.arrival(1_000, &closed(9));
    assert_eq!(stage.until(9_000).len(), 1, "a lost stream is no cancel here");
}

#[test]
fn a_stream_that_the_server_closed_without_an_answer_is_closed_again() {
    let trace = r#"
        0 c# 1 {"id":1,"method":"tools/call","params":{"name":"x"}}
        50 s| 1
        90 c# 2 {"id":2,"method":"ping"}
        91 s# 2 {"id":2,"result":{}}
    "#;
    let mut stage = Stage::new(MCP, trace);
    assert_eq!(stage.on_stream(Some(4), r#"{"id":1,"method":"tools/call","params":{"name":"x"}}"#), ["close 4"]);
    assert_eq!(stage.on_stream(Some(5), r#"{"id":2,"method":"ping"}"#), [r#"5: {"id":2,"result":{}}"#]);
}

#[test]
fn the_stream_of_a_cancelled_call_that_the_server_closed_is_closed_again() {
    let trace = r#"
        0 c# 1 {"id":1,"method":"tools/call","params":{"name":"x"}}
        50 c# 2 {"method":"notifications/cancelled","params":{"requestId":1}}
        90 s| 1
    "#;
    let mut stage = Stage::new(MCP, trace);
    assert_eq!(stage.on_stream(Some(4), r#"{"id":7,"method":"tools/call","params":{"name":"x"}}"#), [""; 0]);
    let cancel = r#"{"method":"notifications/cancelled","params":{"requestId":7}}"#;
    assert_eq!(stage.on_stream(Some(5), cancel), [""; 0]);
    assert_eq!(stage.until(1_000), [(40, "close 4".to_string())]);
}

#[test]
fn what_may_have_crossed_a_cancel_comes_no_later_than_the_rest() {
    let late = |certainty: &str| {
        let mut connection = connection(MCP, LATE);
        let event = connection.exchanges[0].response;
        connection.faults.push(Fault {
            code: "CAN010".into(),
            rule: "response-after-cancel".into(),
            severity: "note".into(),
            certainty: certainty.into(),
            basis: None,
            exchange: Some(0),
            event,
            summary: String::new(),
        });
        let mut stage = Stage::of(connection, MockOptions::default());
        stage.on(r#"{"id":1,"method":"tools/call","params":{"name":"slow"}}"#);
        stage.until(1_000);
        stage.on(r#"{"method":"notifications/cancelled","params":{"requestId":1}}"#);
        let answer = stage.until(9_000).into_iter().find(|(_, text)| text.contains("result"));
        answer.map(|(at, _)| at)
    };
    assert_eq!(late("violation"), Some(1_500));
    assert_eq!(late("race"), Some(1_050), "at once, behind what came before it");
}

#[test]
fn a_cancel_of_a_session_hits_all_its_prompts() {
    let trace = r#"
        0 c> {"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[1]}}
        1 c> {"id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[2]}}
        5 c> {"method":"session/cancel","params":{"sessionId":"s"}}
        6 s> {"id":2,"result":{"stopReason":"cancelled"}}
        7 s> {"id":1,"result":{"stopReason":"cancelled"}}
    "#;
    let mut recorded = connection("acp 1", trace);
    recorded.exchanges.iter_mut().for_each(|exchange| exchange.cancels = vec![2]);
    let mut stage = Stage::of(recorded, MockOptions::default());
    stage.on(r#"{"id":"a","method":"session/prompt","params":{"sessionId":"s","prompt":[1]}}"#);
    stage.on(r#"{"id":"b","method":"session/prompt","params":{"sessionId":"s","prompt":[2]}}"#);
    stage.on(r#"{"method":"session/cancel","params":{"sessionId":"s"}}"#);
    let answered: Vec<String> = stage.until(100).into_iter().map(|(_, text)| text[..8].to_string()).collect();
    assert_eq!(answered, [r#"{"id":"b""#[..8].to_string(), r#"{"id":"a""#[..8].to_string()]);
    assert_eq!(stage.report().notes, [""; 0]);
}

#[test]
fn what_was_told_on_the_stream_of_a_request_is_told_there_again() {
    let trace = r#"
        0 c# 1 {"id":1,"method":"tools/call","params":{"name":"x"}}
        5 s# 1 {"method":"notifications/message","params":{"level":"info","data":"a"}}
        9 s# 1 {"id":1,"result":{}}
    "#;
    let mut stage = Stage::new("mcp 2026-07-28", trace);
    let told = stage.on_stream(Some(4), r#"{"id":7,"method":"tools/call","params":{"name":"x"}}"#);
    let log = r#"4: {"method":"notifications/message","params":{"level":"info","data":"a"}}"#;
    assert_eq!(told, [log, r#"4: {"id":7,"result":{}}"#]);
}

#[test]
fn what_follows_what_crossed_a_cancel_is_timed_from_the_cancel() {
    for speed in [Speed::Fast, Speed::Recorded] {
        let mut connection = connection(MCP, LATE);
        connection.faults.push(Fault {
            code: "PRG004".into(),
            rule: "progress-after-cancel".into(),
            severity: "note".into(),
            certainty: "race".into(),
            basis: None,
            exchange: Some(0),
            event: Some(3),
            summary: String::new(),
        });
        let mut stage = Stage::of(connection, MockOptions { speed, ..MockOptions::default() });
        stage.on(r#"{"id":1,"method":"tools/call","params":{"name":"slow","_meta":{"progressToken":"t"}}}"#);
        stage.until(1_000);
        let crossed = stage.on(r#"{"method":"notifications/cancelled","params":{"requestId":1}}"#).len();
        let after: Vec<i64> = stage.until(9_000).into_iter().map(|(at, _)| at).collect();
        let (at_once, times) =
            if speed == Speed::Fast { (1, vec![1_500, 1_600]) } else { (0, vec![1_050, 1_500, 1_600]) };
        assert_eq!((crossed, after), (at_once, times), "{speed:?}");
    }
}
