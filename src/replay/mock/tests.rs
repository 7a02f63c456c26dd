//! The mock in virtual time: times are milliseconds, and nobody sleeps.

use std::sync::Arc;

use super::{Extra, Mock, MockOptions, Report, Reuse, Script};
use crate::live::{Incoming, Outgoing};
use crate::protocol::Side;
use crate::replay::options::Speed;
use crate::replay::testing::connection;

const MCP: &str = "mcp 2025-11-25";

/// A mock and a live client.
struct Stage {
    mock: Mock,
    now_us: i64,
}

impl Stage {
    fn new(protocol: &str, trace: &str) -> Stage {
        Stage::with(protocol, trace, MockOptions::default())
    }

    fn with(protocol: &str, trace: &str, options: MockOptions) -> Stage {
        let mut mock = Mock::new(Arc::new(Script::new(connection(protocol, trace))), options);
        mock.arrival(0, &Incoming::Ready);
        Stage { mock, now_us: 0 }
    }

    fn recorded(protocol: &str, trace: &str) -> Stage {
        Stage::with(protocol, trace, MockOptions { speed: Speed::Recorded, ..MockOptions::default() })
    }

    /// What the mock does when this arrives.
    fn on(&mut self, text: &str) -> Vec<String> {
        self.on_stream(None, text)
    }

    fn on_stream(&mut self, stream: Option<u32>, text: &str) -> Vec<String> {
        let text = match text.contains("\"jsonrpc\"") || !text.starts_with('{') {
            true => text.to_string(),
            false => text.replacen('{', "{\"jsonrpc\":\"2.0\",", 1),
        };
        self.mock.arrival(self.now_us, &Incoming::Message { stream, bytes: text.into_bytes(), event_id: None });
        self.drain()
    }

    /// What the mock does until `ms`, with the time of each.
    fn until(&mut self, ms: i64) -> Vec<(i64, String)> {
        let mut all = Vec::new();
        while let Some(at) = self.mock.wake_at().filter(|at| *at <= ms * 1_000) {
            self.now_us = at.max(self.now_us);
            self.mock.tick(self.now_us);
            all.extend(self.drain().into_iter().map(|text| (self.now_us / 1_000, text)));
        }
        self.now_us = ms * 1_000;
        all
    }

    fn drain(&mut self) -> Vec<String> {
        let mut all = Vec::new();
        while let Some(out) = self.mock.next() {
            all.push(match out {
                Outgoing::Message { stream: 0, bytes, .. } => short(&bytes),
                Outgoing::Message { stream, bytes, .. } => format!("{stream}: {}", short(&bytes)),
                Outgoing::CloseStream { stream } => format!("close {stream}"),
                Outgoing::Finish => "end".to_string(),
                other => format!("{other:?}"),
            });
        }
        all
    }

    fn report(self) -> Report {
        self.mock.finish()
    }
}

/// A message without what every message has.
fn short(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap().replace("\"jsonrpc\":\"2.0\",", "")
}

const CALLS: &str = r#"
    0 c> {"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"a"}}}
    5 s> {"id":1,"result":{"protocolVersion":"2025-11-25"}}
    6 c> {"method":"notifications/initialized"}
    10 c> {"id":2,"method":"tools/call","params":{"name":"echo","arguments":{"q":"a"},"_meta":{"progressToken":2}}}
    110 s> {"method":"notifications/progress","params":{"progressToken":2,"progress":1}}
    310 s> {"id":2,"result":{"content":["a"]}}
    400 c> {"id":3,"method":"tools/call","params":{"name":"echo","arguments":{"q":"b"}}}
    410 s> {"id":3,"error":{"code":-32602,"message":"no b"}}
"#;

#[test]
fn a_request_is_answered_with_its_own_id_and_token() {
    let mut stage = Stage::new(MCP, CALLS);
    assert_eq!(
        stage.on(
            r#"{"id":"x","method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"b"}}}"#
        ),
        [r#"{"id":"x","result":{"protocolVersion":"2025-11-25"}}"#]
    );
    let call = r#"{"id":7.0,"method":"tools/call","params":{"arguments":{"q":"a"},"name":"echo","_meta":{"progressToken":"t\u0031"}}}"#;
    assert_eq!(
        stage.on(call),
        [
            r#"{"method":"notifications/progress","params":{"progressToken":"t\u0031","progress":1}}"#,
            r#"{"id":7.0,"result":{"content":["a"]}}"#,
        ]
    );
    assert_eq!(
        stage.on(r#"{"id":"7","method":"tools/call","params":{"name":"echo","arguments":{"q":"b"}}}"#),
        [r#"{"id":"7","error":{"code":-32602,"message":"no b"}}"#]
    );
    let report = stage.report();
    assert_eq!((report.served, report.missed.len(), report.notes), (vec![1, 1, 1], 0, vec![]));
}

#[test]
fn without_a_token_no_progress_is_told() {
    let mut stage = Stage::new(MCP, CALLS);
    let call = r#"{"id":9,"method":"tools/call","params":{"name":"echo","arguments":{"q":"a"}}}"#;
    assert_eq!(stage.on(call), [r#"{"id":9,"result":{"content":["a"]}}"#]);
}

#[test]
fn another_request_never_gets_its_answer() {
    let mut stage = Stage::new(MCP, CALLS);
    let error = stage.on(r#"{"id":"q","method":"tools/call","params":{"name":"echo","arguments":{"q":"c"}}}"#);
    let [error] = &error[..] else { panic!("{error:?}") };
    let error: serde_json::Value = serde_json::from_str(error).unwrap();
    assert_eq!((&error["id"], &error["error"]["code"]), (&"q".into(), &(-32010).into()));
    let data = serde_json::json!({"reason": "not-in-recording", "nearest": "#2", "differs": "/params/arguments/q"});
    assert_eq!(error["error"]["data"], data);
    let unknown = stage.on(r#"{"id":null,"method":"no/such"}"#);
    assert!(
        unknown[0].contains(r#""id":null"#) && unknown[0].contains(r#""data":{"reason":"not-in-recording"}"#),
        "{unknown:?}"
    );
    let report = stage.report();
    assert_eq!(report.missed.len(), 2);
    assert_eq!(report.missed[0].why(), "nearest is #2, which differs at /params/arguments/q");
}

const POLL: &str = r#"
    0 c> {"id":1,"method":"get"}
    1 s> {"id":1,"result":"one"}
    2 c> {"id":2,"method":"get","params":{}}
    3 s> {"id":2,"result":"two"}
"#;

#[test]
fn repeats_are_answered_in_their_order_and_then_by_the_rule() {
    let ask = |reuse: Reuse| {
        let mut stage = Stage::with("jsonrpc", POLL, MockOptions { reuse, ..MockOptions::default() });
        let answers: Vec<String> =
            (0..5).map(|id| stage.on(&format!(r#"{{"id":{id},"method":"get"}}"#)).concat()).collect();
        let word = |text: &String| {
            if text.contains("one") {
                1
            } else if text.contains("two") {
                2
            } else {
                0
            }
        };
        (answers.iter().map(word).collect::<Vec<_>>(), answers[4].contains("\"used_up\":true"))
    };
    assert_eq!(ask(Reuse::Once), (vec![1, 2, 0, 0, 0], true), "strict for ever");
    assert_eq!(ask(Reuse::Last), (vec![1, 2, 2, 2, 2], false));
    assert_eq!(ask(Reuse::Cycle), (vec![1, 2, 1, 2, 1], false));
}

#[test]
fn what_is_not_recorded_may_end_the_connection() {
    let mut stage = Stage::with("jsonrpc", POLL, MockOptions { extra: Extra::Close, ..MockOptions::default() });
    assert_eq!(stage.on(r#"{"id":1,"method":"put"}"#), ["end"]);
    assert!(stage.mock.done());
    assert_eq!(stage.on(r#"{"id":2,"method":"get"}"#), [""; 0]);
}

#[test]
fn recorded_speed_counts_from_the_live_request() {
    let mut stage = Stage::recorded(MCP, CALLS);
    stage.until(5_000);
    let call =
        r#"{"id":1,"method":"tools/call","params":{"name":"echo","arguments":{"q":"a"},"_meta":{"progressToken":1}}}"#;
    assert_eq!(stage.on(call), [""; 0]);
    let times: Vec<i64> = stage.until(9_000).into_iter().map(|(at, _)| at).collect();
    assert_eq!(times, [5_100, 5_300]);
    let mut stage = Stage::with(MCP, CALLS, MockOptions { speed: Speed::Times(4.0), ..MockOptions::default() });
    stage.on(call);
    assert_eq!(stage.until(9_000).into_iter().map(|(at, _)| at).collect::<Vec<_>>(), [25, 75]);
}

const SILENT: &str = r#"
    0 c> {"id":1,"method":"tools/call","params":{"name":"hang"}}
    500 c> {"id":2,"method":"ping"}
    501 s> {"id":2,"result":{}}
"#;

#[test]
fn silence_stays_silence() {
    let mut stage = Stage::new(MCP, SILENT);
    assert_eq!(stage.on(r#"{"id":1,"method":"tools/call","params":{"name":"hang"}}"#), [""; 0]);
    assert_eq!(stage.on(r#"{"id":2,"method":"ping"}"#), [r#"{"id":2,"result":{}}"#]);
    assert_eq!(stage.until(60_000), []);
    assert_eq!(stage.mock.wake_at(), None);
}

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

const ROOTS: &str = r#"
    10 c> {"id":2,"method":"tools/call","params":{"name":"scan"}}
    12 s> {"id":2,"method":"roots/list"}
    15 c> {"id":2,"result":{"roots":[]}}
    30 s> {"id":2,"result":{"content":[]}}
    40 c> {"id":3,"method":"tools/call","params":{"name":"scan"}}
    41 s> {"id":3,"result":{"content":["cached"]}}
"#;

#[test]
fn a_request_of_the_server_stands_in_its_place_and_is_waited_for() {
    let mut stage = Stage::new(MCP, ROOTS);
    let call = r#"{"id":2,"method":"tools/call","params":{"name":"scan"}}"#;
    assert_eq!(stage.on(call), [r#"{"id":2,"method":"roots/list"}"#], "the same id, and another request");
    stage.until(5_000);
    assert_eq!(stage.on(r#"{"id":2,"result":{"roots":[]}}"#), [r#"{"id":2,"result":{"content":[]}}"#]);
    assert_eq!(stage.report().notes, [""; 0]);

    let mut stage = Stage::new(MCP, ROOTS);
    stage.on(call);
    assert_eq!(stage.on(r#"{"id":2,"error":{"code":-1,"message":"no"}}"#), [r#"{"id":2,"result":{"content":[]}}"#]);
    assert!(stage.report().notes[0].starts_with("s2 roots/list: the client answered otherwise than recorded"));
}

#[test]
fn what_hangs_is_not_what_the_server_asks_for() {
    let trace = format!("0 c> {{\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"hang\"}}}}\n{ROOTS}");
    let mut stage = Stage::new(MCP, &trace);
    let call = r#"{"id":"x","method":"tools/call","params":{"name":"scan"}}"#;
    assert_eq!(stage.on(call), [r#"{"id":2,"method":"roots/list"}"#], "though `hang` was never asked for");
    assert_eq!(stage.on(r#"{"id":2,"result":{"roots":[]}}"#), [r#"{"id":"x","result":{"content":[]}}"#]);
}

#[test]
fn a_request_of_the_server_that_is_sent_again_has_a_new_id() {
    let mut stage = Stage::with(MCP, ROOTS, MockOptions { reuse: Reuse::Cycle, ..MockOptions::default() });
    let call = |id: u32| format!(r#"{{"id":{id},"method":"tools/call","params":{{"name":"scan"}}}}"#);
    assert_eq!(stage.on(&call(8)), [r#"{"id":2,"method":"roots/list"}"#]);
    stage.on(r#"{"id":2,"result":{"roots":[]}}"#);
    stage.on(&call(9));
    let again = stage.on(&call(10));
    assert!(again[0].contains("roots/list") && !again[0].contains("\"id\":2,"), "{again:?}");
    let id = again[0].split([':', ',']).nth(1).unwrap().to_string();
    let answer = stage.on(&format!(r#"{{"id":{id},"result":{{"roots":[]}}}}"#));
    assert_eq!(answer, [r#"{"id":10,"result":{"content":[]}}"#]);
}

const TOLD: &str = r#"
    0 s> {"method":"hello"}
    1 c> {"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
    2 s> {"id":1,"result":{"protocolVersion":"2025-11-25"}}
    3 c> {"method":"notifications/initialized"}
    4 s> {"method":"notifications/tools/list_changed"}
    5 s> {"method":"notifications/message","params":{"n":1}}
    6 c> {"id":2,"method":"tools/list"}
    7 s> {"method":"notifications/message","params":{"n":2}}
    8 s> {"id":2,"result":{"tools":[]}}
    60 s> {"method":"notifications/message","params":{"n":3}}
"#;

#[test]
fn what_belongs_to_no_request_comes_after_its_predecessor() {
    let mut mock = Mock::new(Arc::new(Script::new(connection(MCP, TOLD))), MockOptions::default());
    assert!(mock.next().is_none());
    mock.arrival(0, &Incoming::Ready);
    let mut stage = Stage { mock, now_us: 0 };
    assert_eq!(stage.drain(), [r#"{"method":"hello"}"#], "and nothing else up front");
    assert_eq!(stage.on(r#"{"id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05"}}"#).len(), 1);
    let told = stage.on(r#"{"method":"notifications/initialized"}"#);
    assert!(told[0].contains("list_changed") && told[1].contains("\"n\":1") && told.len() == 2, "{told:?}");
    let list = stage.on(r#"{"id":2,"method":"tools/list","params":{}}"#);
    assert!(list[0].contains("\"n\":2") && list[1].contains("tools") && list[2].contains("\"n\":3"), "{list:?}");
    let asked = r#"the client asks for revision "2024-11-05"; it gets the answer that was recorded for "2025-11-25""#;
    assert_eq!(stage.report().notes, [asked]);
}

#[test]
fn the_recorded_exit_ends_the_connection() {
    let trace = r#"
        0 c> {"id":1,"method":"a"}
        5 c> {"id":2,"method":"b"}
        9 x 3
    "#;
    let mut stage = Stage::new("jsonrpc", trace);
    assert_eq!(stage.on(r#"{"id":1,"method":"a"}"#), [""; 0]);
    assert_eq!(stage.on(r#"{"id":2,"method":"b"}"#), ["end"]);
    // An exit after the client had gone is no exit of the server's.
    let mut stage =
        Stage::new("jsonrpc", "0 c> {\"id\":1,\"method\":\"a\"}\n1 s> {\"id\":1,\"result\":1}\n2 c|\n3 x 0");
    assert_eq!(stage.on(r#"{"id":1,"method":"a"}"#), [r#"{"id":1,"result":1}"#]);
    assert!(!stage.mock.done());
}

#[test]
fn batches_are_answered_as_they_were() {
    let trace = r#"
        0 c> [{"id":"a","method":"sum"},{"method":"log"},{"id":"b","method":"echo"}]
        7 s> [{"id":"b","result":"x"},{"id":"a","result":2}]
        9 c> {"id":1,"method":"one"}
        9 s> {"id":1,"result":1}
    "#;
    let mut stage = Stage::new("jsonrpc", trace);
    let batch = r#"[{"id":1,"method":"sum"},{"method":"log"},{"id":2,"method":"echo"}]"#;
    assert_eq!(stage.on(batch), [r#"[{"id":2,"result":"x"},{"id":1,"result":2}]"#]);
    assert_eq!(Stage::new("jsonrpc", trace).on(r#"{"id":1,"method":"sum"}"#), [r#"{"id":1,"result":2}"#]);
    let mixed = Stage::new("jsonrpc", trace).on(r#"[{"id":1,"method":"nope"},{"id":2,"method":"one"}]"#);
    assert!(mixed.len() == 1 && mixed[0].starts_with(r#"[{"id":1,"error":{"code":-32010,"#), "{mixed:?}");
    assert!(mixed[0].ends_with(r#"},{"id":2,"result":1}]"#), "{mixed:?}");
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
fn bytes_that_are_no_message_get_what_was_recorded_for_such() {
    let trace = "0 c! oops\n1 s> {\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Parse error\"}}";
    let mut stage = Stage::new("jsonrpc", trace);
    stage.mock.arrival(0, &Incoming::Raw { bytes: b"garbage".to_vec() });
    assert_eq!(stage.drain(), [r#"{"id":null,"error":{"code":-32700,"message":"Parse error"}}"#]);
    assert_eq!(stage.on("{\"id\":"), [""; 0]);
    assert_eq!(stage.report().surplus.len(), 1);
}

/// One call of a made-up session: times in milliseconds after its start.
#[derive(Clone, Debug)]
struct Call {
    start: u32,
    tool: u32,
    progress: Vec<u32>,
    cancel: Option<u32>,
    answer: Option<u32>,
}

/// A session as its recorded client or, with other names, as a live one has it.
fn lines(calls: &[Call], id: impl Fn(usize) -> String) -> Vec<(u32, bool, String)> {
    let mut lines = Vec::new();
    for (n, call) in calls.iter().enumerate() {
        let (id, tool) = (id(n), call.tool);
        let params = format!(r#"{{"name":"t{tool}","_meta":{{"progressToken":{id}}}}}"#);
        lines.push((call.start, true, format!(r#"{{"id":{id},"method":"tools/call","params":{params}}}"#)));
        for (at, n) in call.progress.iter().zip(1..) {
            let params = format!(r#"{{"progressToken":{id},"progress":{n}}}"#);
            lines.push((call.start + at, false, format!(r#"{{"method":"notifications/progress","params":{params}}}"#)));
        }
        if let Some(at) = call.cancel {
            let params = format!(r#"{{"requestId":{id}}}"#);
            lines.push((call.start + at, true, format!(r#"{{"method":"notifications/cancelled","params":{params}}}"#)));
        }
        if let Some(at) = call.answer {
            lines.push((call.start + at, false, format!(r#"{{"id":{id},"result":{{"n":{n}}}}}"#)));
        }
    }
    lines.sort_by_key(|(at, ..)| *at);
    let mut last = 0;
    for (at, ..) in &mut lines {
        last = (*at).max(last + 1);
        *at = last;
    }
    lines
}

fn calls() -> impl proptest::strategy::Strategy<Value = Vec<Call>> {
    use proptest::prelude::*;
    let call = (
        0..500u32,
        0..3u32,
        prop::collection::btree_set(1..400u32, 0..3),
        prop::option::of(1..400u32),
        prop::option::of(1..600u32),
    )
        .prop_map(|(start, tool, progress, cancel, answer)| Call {
            start,
            tool,
            // A client that has its answer gets no more progress, and does not cancel.
            progress: progress.into_iter().filter(|at| answer.is_none_or(|answer| *at < answer)).collect(),
            cancel: cancel.filter(|at| answer.is_none_or(|answer| *at < answer)),
            answer,
        });
    prop::collection::vec(call, 1..8)
}

proptest::proptest! {
    /// A client that does what the recorded one did, under names of its own, sees what that one saw, when it saw it.
    #[test]
    fn the_same_client_sees_the_same_server(calls in calls()) {
        let recorded = lines(&calls, |n| n.to_string());
        let side = |client: bool| if client { 'c' } else { 's' };
        let trace: String = recorded.iter().map(|(at, client, text)| format!("{at} {}> {text}\n", side(*client))).collect();
        let live = lines(&calls, |n| format!("\"live-{n}\""));
        let mut stage = Stage::recorded(MCP, &trace);
        let mut seen = Vec::new();
        for (at, client, text) in &live {
            seen.extend(stage.until(i64::from(*at)));
            if *client {
                seen.extend(stage.on(text).into_iter().map(|text| (i64::from(*at), text)));
            }
        }
        seen.extend(stage.until(10_000));
        let wanted: Vec<(i64, String)> =
            live.iter().filter(|line| !line.1).map(|(at, _, text)| (i64::from(*at), text.clone())).collect();
        proptest::prop_assert_eq!(seen, wanted);
        let report = stage.report();
        proptest::prop_assert_eq!((report.missed.len(), report.notes), (0, vec![]));
    }

    /// Nothing that a client sends ends the mock, or makes it panic.
    #[test]
    fn hostile_clients_are_survived(texts in proptest::collection::vec("[\\[{]?(\"id\":[1-3\"x],?|\"method\":\"(tools/call|ping|x)\",?|\"params\":\\{\"requestId\":[1-3]\\}|[\\]}\",:])*", 0..12)) {
        let mut stage = Stage::new(MCP, CALLS);
        for text in texts {
            stage.mock.arrival(stage.now_us, &Incoming::Message { stream: None, bytes: text.into_bytes(), event_id: None });
            stage.drain();
        }
        proptest::prop_assert!(!stage.mock.done());
    }
}

/// Two calls in flight; the first is cancelled and answered all the same, before the second one.
const CROSSING: &str = r#"
    20 c> {"id":2,"method":"tools/call","params":{"name":"slow"}}
    21 c> {"id":3,"method":"tools/call","params":{"name":"echo"}}
    22 c> {"method":"notifications/cancelled","params":{"requestId":2}}
    40 s> {"id":2,"result":{"content":["slow"]}}
    41 s> {"id":3,"result":{"content":["echo"]}}
"#;
const SLOW: &str = r#"{"id":2,"method":"tools/call","params":{"name":"slow"}}"#;
const ECHO: &str = r#"{"id":3,"method":"tools/call","params":{"name":"echo"}}"#;
const ANSWERED_SLOW: &str = r#"{"id":2,"result":{"content":["slow"]}}"#;
const ANSWERED_ECHO: &str = r#"{"id":3,"result":{"content":["echo"]}}"#;

#[test]
fn an_answer_never_overtakes_the_one_that_came_before_it() {
    let mut stage = Stage::new(MCP, CROSSING);
    for text in [SLOW, ECHO, r#"{"method":"notifications/cancelled","params":{"requestId":2}}"#] {
        assert!(stage.on(text).is_empty());
    }
    let answers = [(18, ANSWERED_SLOW.to_string()), (18, ANSWERED_ECHO.to_string())];
    assert_eq!(stage.until(1_000), answers);
}

#[test]
fn what_cannot_come_is_passed_over() {
    // Its cancel never comes: it is waited for as long as the recorded client took, and half a second.
    let mut stage = Stage::new(MCP, CROSSING);
    assert!(stage.on(SLOW).is_empty() && stage.on(ECHO).is_empty());
    assert_eq!(stage.until(5_000), [(502, ANSWERED_ECHO.to_string())]);
    // It is not asked for, and the client has gone on.
    let mut stage = Stage::new(MCP, CROSSING);
    assert_eq!(stage.on(ECHO), [ANSWERED_ECHO]);
}

#[test]
fn a_client_that_is_ahead_of_the_recorded_one_is_not_kept_for_long() {
    let trace = r#"
        20 c> {"id":2,"method":"tools/call","params":{"name":"slow"}}
        22 c> {"method":"notifications/cancelled","params":{"requestId":2}}
        30022 s> {"id":2,"result":{"content":["slow"]}}
        30030 c> {"id":3,"method":"tools/call","params":{"name":"echo"}}
        30031 s> {"id":3,"result":{"content":["echo"]}}
    "#;
    let mut stage = Stage::new(MCP, trace);
    stage.on(SLOW);
    stage.on(r#"{"method":"notifications/cancelled","params":{"requestId":2}}"#);
    assert!(stage.on(ECHO).is_empty());
    let answers = [(500, ANSWERED_ECHO.to_string()), (5_000, ANSWERED_SLOW.to_string())];
    assert_eq!(stage.until(60_000), answers);
}

#[test]
fn at_once_means_that_what_is_late_is_late_by_seconds() {
    let trace = r#"
        0 c> {"id":1,"method":"tools/call","params":{"name":"slow"}}
        100 c> {"method":"notifications/cancelled","params":{"requestId":1}}
        60100 s> {"id":1,"result":{}}
    "#;
    for (speed, late) in [(Speed::Fast, 5_000), (Speed::Recorded, 60_000)] {
        let mut stage = Stage::with(MCP, trace, MockOptions { speed, ..MockOptions::default() });
        stage.on(r#"{"id":1,"method":"tools/call","params":{"name":"slow"}}"#);
        stage.on(r#"{"method":"notifications/cancelled","params":{"requestId":1}}"#);
        assert_eq!(stage.until(99_000).iter().map(|(at, _)| *at).collect::<Vec<_>>(), [late], "{speed:?}");
    }
}

#[test]
fn an_error_whose_code_the_log_does_not_keep_is_told_with_one() {
    let told = |cancelled: bool, error: &str| {
        let cancel = if cancelled { "5 c> {\"method\":\"$/cancelRequest\",\"params\":{\"id\":1}}\n" } else { "" };
        let trace = format!("0 c> {{\"id\":1,\"method\":\"x\"}}\n{cancel}9 s> {{\"id\":1,\"error\":{error}}}");
        let mut recorded = connection("lsp", &trace);
        recorded.proof = recorded.proof.without(crate::capture::Proof::ERROR_CODE);
        let mut mock = Mock::new(Arc::new(Script::new(recorded)), MockOptions::default());
        mock.arrival(0, &Incoming::Ready);
        let mut stage = Stage { mock, now_us: 0 };
        let at_once = stage.on(r#"{"id":1,"method":"x"}"#);
        let behind = match cancelled {
            true => stage.on(r#"{"method":"$/cancelRequest","params":{"id":1}}"#),
            false => Vec::new(),
        };
        at_once
            .into_iter()
            .chain(behind)
            .chain(stage.until(99).into_iter().map(|(_, text)| text))
            .collect::<Vec<_>>()
            .join("")
    };
    assert!(told(false, r#"{"message":"no"}"#).contains(r#""error":{"code":-32603,"message":"no"}"#));
    assert!(told(true, r#"{ }"#).contains(r#""error":{"code":-32800}"#));
    assert!(told(false, r#"{"code":1,"message":"no"}"#).contains(r#""error":{"code":1,"message":"no"}"#));
}

#[test]
fn of_several_connections_a_client_gets_the_one_that_has_what_it_asks() {
    let hello = r#"0 c> {"id":1,"method":"initialize","params":{}}
        1 s> {"id":1,"result":{"serverInfo":{"name":"NAME"}}}"#;
    let of = |name: &str, rest: &str| {
        let trace = format!("{}\n{rest}", hello.replace("NAME", name));
        Arc::new(Script::new(connection(MCP, &trace)))
    };
    let scripts = [
        of(
            "one",
            r#"2 c> {"id":2,"method":"tools/call","params":{"name":"a"}}
            3 s> {"id":2,"result":{"of":"one"}}"#,
        ),
        of(
            "two",
            r#"2 c> {"id":2,"method":"tools/call","params":{"name":"b"}}
            3 s> {"id":2,"result":{"of":"two"}}
            4 c> {"id":3,"method":"ping"}
            5 s> {"id":3,"result":{}}"#,
        ),
    ];
    let play = |asked: &[&str]| {
        let mut cast = super::Cast::new(&scripts, MockOptions::default()).expect("a cast");
        cast.arrival(0, &Incoming::Ready);
        let mut said = Vec::new();
        for (at, text) in asked.iter().enumerate() {
            let bytes = format!("{{\"jsonrpc\":\"2.0\",{text}}}").into_bytes();
            cast.arrival(at as i64 + 1, &Incoming::Message { stream: None, bytes, event_id: None });
            while let Some(out) = cast.next() {
                let Outgoing::Message { bytes, .. } = out else { continue };
                said.push(short(&bytes));
            }
        }
        (said.join(" "), cast.finish())
    };
    let initialize = r#""id":7,"method":"initialize","params":{}"#;
    let (said, report) = play(&[initialize, r#""id":8,"method":"tools/call","params":{"name":"a"}"#]);
    assert!(said.contains(r#""of":"one""#) && report.part == 0 && report.missed.is_empty(), "{said}");
    let (said, report) =
        play(&[initialize, r#""id":8,"method":"tools/call","params":{"name":"b"}"#, r#""id":9,"method":"ping""#]);
    assert!(said.contains(r#""of":"two""#) && report.part == 1 && report.missed.is_empty(), "{said}");
    assert_eq!((said.matches("initialize").count(), said.matches("serverInfo").count()), (0, 1), "answered once");
    assert_eq!(report.served, [1, 1, 1]);
    let (_, report) = play(&[initialize, r#""id":8,"method":"tools/call","params":{"name":"c"}"#]);
    assert_eq!((report.part, report.missed.len()), (0, 1));
}
