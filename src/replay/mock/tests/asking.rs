//! What the server asks for by itself, and its end.

use super::*;

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
fn an_exit_does_not_overtake_the_answer_to_shutdown() {
    let trace = r#"
        0 c> {"id":1,"method":"shutdown"}
        2 s> {"id":1,"result":null}
        5 c> {"method":"exit"}
    "#;
    let mut stage = Stage::recorded("lsp 3.17", trace);
    assert_eq!(stage.on(r#"{"id":1,"method":"shutdown"}"#), [""; 0]);
    assert_eq!(stage.on(r#"{"method":"exit"}"#), [r#"{"id":1,"result":null}"#, "end"]);
}

#[test]
fn a_server_that_is_left_ends_as_it_did() {
    let trace = "0 c> {\"id\":1,\"method\":\"a\"}\n1 s> {\"id\":1,\"result\":1}\n";
    let left = |protocol: &str, trace: &str, how: &dyn Fn(&mut Stage)| {
        let mut stage = Stage::new(protocol, trace);
        how(&mut stage);
        stage.report().exit
    };
    let close = |stage: &mut Stage| {
        stage.mock.arrival(9_000, &Incoming::Closed { stream: None, by: Side::Client, how: "eof".into() });
    };
    assert_eq!(left("jsonrpc", &format!("{trace}2 c|\n3 x 3"), &close), Some(3));
    assert_eq!(
        left("jsonrpc", &format!("{trace}3 x 3\n4 c|"), &close),
        None,
        "it ended by itself, and later than here"
    );
    assert_eq!(left("jsonrpc", trace, &close), None);
    let early = "0 c> {\"id\":1,\"method\":\"a\"}\n1 c|\n2 s> {\"id\":1,\"result\":1}\n3 s|\n4 x 3";
    let stays = |stage: &mut Stage| assert_eq!(stage.on(r#"{"id":1,"method":"a"}"#), [r#"{"id":1,"result":1}"#]);
    assert_eq!(left("jsonrpc", early, &stays), None, "it ended because its client had left");
    let itself = "0 c> {\"id\":1,\"method\":\"a\"}\n3 s|\n4 x 3";
    let ends = |stage: &mut Stage| assert_eq!(stage.on(r#"{"id":1,"method":"a"}"#), ["end"]);
    assert_eq!(left("jsonrpc", itself, &ends), Some(3));
    let early = "0 c> {\"id\":1,\"method\":\"a\"}\n1 s> {\"id\":1,\"result\":1}\n300 s|\n301 x 3";
    let before = |stage: &mut Stage| {
        let bytes = br#"{"id":1,"method":"a"}"#.to_vec();
        stage.mock.arrival(0, &Incoming::Message { stream: None, bytes, event_id: None });
        stage.mock.tick(5_000);
        close(stage);
    };
    assert_eq!(left("jsonrpc", early, &before), Some(3), "it was about to end by itself");
    let exit = |stage: &mut Stage| assert_eq!(stage.on(r#"{"method":"exit"}"#), ["end"]);
    assert_eq!(left("lsp 3.17", "0 c> {\"method\":\"exit\"}\n3 x 1", &exit), Some(1));
}

#[test]
fn an_answer_of_the_client_repeats_nothing_that_is_on_its_way() {
    let trace = r#"
        0 c> {"id":1,"method":"textDocument/hover","params":{}}
        10 s> {"id":1,"method":"workspace/configuration","params":{"items":[{}]}}
        20 c> {"method":"$/cancelRequest","params":{"id":1}}
        25 s> {"id":1,"error":{"code":-32800,"message":"cancelled"}}
        30 c> {"id":1,"result":[null]}
    "#;
    let mut stage = Stage::new("lsp 3.17", trace);
    stage.on(r#"{"id":1,"method":"textDocument/hover","params":{}}"#);
    stage.on(r#"{"method":"$/cancelRequest","params":{"id":1}}"#);
    stage.on(r#"{"id":1,"result":[null]}"#);
    assert_eq!(stage.until(9_000).len(), 1, "it is answered once");
}
