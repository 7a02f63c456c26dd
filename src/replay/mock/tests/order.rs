//! When messages come, and in which order.

use super::*;
use crate::replay::recording::Fault;

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
fn a_stream_that_its_client_came_back_for_is_closed_and_gone_on_with() {
    let trace = r#"
        20 c# 1 {"id":2,"method":"tools/call","params":{"name":"slow"}}
        30 s| 1
        90 s| 2
        200 s# 3 {"id":2,"result":{"content":["slow"]}}
    "#;
    let asked = |resumed: &[(u32, u32)]| {
        let recorded = Connection { resumed: resumed.iter().copied().collect(), ..connection(MCP, trace) };
        let mut stage = Stage::of(recorded, MockOptions::default());
        stage.on_stream(Some(7), SLOW)
    };
    let answer = format!("7: {ANSWERED_SLOW}");
    let prime = "Prime { stream: 7 }";
    assert_eq!(asked(&[(2, 1), (3, 2)]), [prime, "close 7", prime, "close 7", answer.as_str()]);
    // Where nobody came back, nobody is told where to go on.
    assert_eq!(asked(&[])[0], "close 7");
}

const LATE_AND_CROSSING: &str = r#"
    20 c> {"id":4,"method":"tools/call","params":{"name":"a"}}
    30 c> {"method":"notifications/cancelled","params":{"requestId":4}}
    240 s> {"id":4,"result":{}}
    250 c> {"id":7,"method":"tools/call","params":{"name":"b"}}
    252 c> {"method":"notifications/cancelled","params":{"requestId":7}}
    254 s> {"id":7,"result":{}}
"#;

/// The second call, and one that is answered behind the late answer, were asked before it came.
const LATE_BETWEEN: &str = r#"
    20 c> {"id":4,"method":"tools/call","params":{"name":"a"}}
    30 c> {"method":"notifications/cancelled","params":{"requestId":4}}
    35 c> {"id":7,"method":"tools/call","params":{"name":"b"}}
    36 c> {"id":8,"method":"ping"}
    240 s> {"id":4,"result":{}}
    241 s> {"id":8,"result":{}}
    252 c> {"method":"notifications/cancelled","params":{"requestId":7}}
    254 s> {"id":7,"result":{}}
"#;

/// A client that waits for no answer to what it cancelled has both requests in flight.
#[test]
fn what_may_have_crossed_its_cancel_is_not_kept_until_it_is_late() {
    let fault = |exchange: usize, event: usize, certainty: &str| Fault {
        code: "CAN010".into(),
        rule: "response-after-cancel".into(),
        severity: "warning".into(),
        certainty: certainty.into(),
        basis: None,
        exchange: Some(exchange),
        event: Some(event),
        summary: String::new(),
    };
    let late = (210, r#"{"id":4,"result":{}}"#.to_string());
    let behind = (210, r#"{"id":8,"result":{}}"#.to_string());
    for (trace, late_at, crossing_at, rest) in
        [(LATE_AND_CROSSING, 2, 5, vec![late.clone()]), (LATE_BETWEEN, 4, 7, vec![late, behind])]
    {
        let mut recorded = connection(MCP, trace);
        recorded.faults = [fault(0, late_at, "violation"), fault(1, crossing_at, "race")].into_iter().collect();
        let mut stage = Stage::of(recorded, MockOptions::default());
        let sent: Vec<&str> = trace.lines().filter_map(|line| Some(line.split_once(" c> ")?.1)).collect();
        let mut said: Vec<Vec<String>> = sent.iter().map(|text| stage.on(text)).collect();
        assert_eq!(said.pop(), Some(vec![r#"{"id":7,"result":{}}"#.to_string()]));
        assert_eq!(said.concat(), [""; 0]);
        assert_eq!(stage.until(1_000), rest);
    }
}

/// Progress that is told only once the client has answered, and a request that it may send before it does.
const CREATED: &str = r#"
    0 s> {"id":"w1","method":"window/workDoneProgress/create","params":{"token":"t1"}}
    5 c> {"id":"w1","result":null}
    6 s> {"method":"$/progress","params":{"token":"t1","value":{"kind":"begin"}}}
    50 c> {"id":2,"method":"textDocument/hover","params":{}}
    60 s> {"method":"$/progress","params":{"token":"t1","value":{"kind":"end"}}}
    61 s> {"id":2,"result":null}
"#;

#[test]
fn what_the_answer_of_the_client_brings_about_comes_first_although_the_client_has_gone_on() {
    let mut mock = Mock::new(Arc::new(Script::new(connection("lsp 3.17", CREATED))), MockOptions::default());
    mock.arrival(0, &Incoming::Ready);
    let mut stage = Stage { mock, now_us: 0 };
    assert_eq!(stage.drain().len(), 1);
    assert_eq!(stage.on(r#"{"id":2,"method":"textDocument/hover","params":{}}"#), [""; 0]);
    let told = stage.on(r#"{"id":"w1","result":null}"#);
    assert!(told.len() == 3 && told[0].contains("begin") && told[1].contains("end"), "{told:?}");
}
