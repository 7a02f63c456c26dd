//! What is answered, and what is not.

use super::*;

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
fn bytes_that_are_no_message_get_what_was_recorded_for_such() {
    let trace = "0 c! oops\n1 s> {\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Parse error\"}}";
    let mut stage = Stage::new("jsonrpc", trace);
    stage.mock.arrival(0, &Incoming::Raw { bytes: b"garbage".to_vec(), cut: false });
    assert_eq!(stage.drain(), [r#"{"id":null,"error":{"code":-32700,"message":"Parse error"}}"#]);
    assert_eq!(stage.on("{\"id\":"), [""; 0]);
    assert_eq!(stage.report().surplus.len(), 1);
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
