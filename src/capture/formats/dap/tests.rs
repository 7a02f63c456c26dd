use super::*;
use crate::capture::testing::{KeptFrame, read_as, told};
use proptest::prelude::*;

const INITIALIZE: &str = r#"{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"x"}}"#;
const READY: &str = r#"{"seq":1,"type":"response","request_seq":1,"success":true,"command":"initialize","body":{"supportsCancelRequest":true}}"#;

fn json(frame: &KeptFrame) -> &str {
    frame.json.as_deref().unwrap_or_default()
}

fn read(text: &str) -> Vec<String> {
    read_as("dap", text.as_bytes()).frames.iter().map(|frame| json(frame).to_string()).collect()
}

#[test]
fn messages_become_those_of_json_rpc() {
    for (text, want) in [
        (INITIALIZE, r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"adapterID":"x"}}"#),
        (READY, r#"{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"supportsCancelRequest":true}}}"#),
        (r#"{"seq":2,"type":"event","event":"initialized"}"#, r#"{"jsonrpc":"2.0","method":"initialized"}"#),
        (
            r#"{"type":"response","request_seq":3,"success":false,"command":"evaluate","message":"cancelled"}"#,
            r#"{"jsonrpc":"2.0","id":3,"error":{"message":"cancelled","code":-32800}}"#,
        ),
        (
            r#"{"seq":0,"type":"response","request_seq":4,"success":false,"command":"evaluate","body":{"error":{"id":7,"format":"no"}}}"#,
            r#"{"jsonrpc":"2.0","id":4,"error":{"message":"","code":7,"data":{"error":{"id":7,"format":"no"}}}}"#,
        ),
        (
            r#"{"seq":0,"type":"response","request_seq":5,"success":true,"command":"next"}"#,
            r#"{"jsonrpc":"2.0","id":5,"result":null}"#,
        ),
    ] {
        assert_eq!(read(text), [want], "{text}");
        assert_eq!(told(text.as_bytes()), None, "only where it is asked for");
    }
}

#[test]
fn a_message_stands_behind_headers_behind_words_and_over_lines() {
    let framed = format!(
        "Content-Length: {}\r\n\r\n{INITIALIZE}Content-Length: {}\r\n\r\n{READY}",
        INITIALIZE.len(),
        READY.len()
    );
    assert_eq!(read(&framed).len(), 2);
    let spread = INITIALIZE.replace(',', ",\n  ");
    let told = format!("[10:00:00.001] (conn0) --> {spread}\nnoise {{ here\n[10:00:00.002] (conn0) <-- {READY}\n");
    let kept = read_as("dap", told.as_bytes());
    let directions: Vec<_> = kept.frames.iter().map(|frame| (frame.line, frame.direction)).collect();
    assert_eq!(directions, [(1, Direction::By(Side::Client)), (6, Direction::By(Side::Server))]);
    assert_eq!(kept.names(), [Some("conn0")]);
}

#[test]
fn what_python_prints_is_read_and_what_is_cut_is_missing() {
    let python = "2026-01-31 23:04:22,522 - DEBUG - Message received: {'seq': 1, 'type': 'event', 'event': 'output', 'body': {'a': True}}";
    assert_eq!(read(python), [r#"{"jsonrpc":"2.0","method":"output","params":{"a":true}}"#]);
    let cut = &READY[..60];
    let kept = read_as("dap", format!("{INITIALIZE}\n{cut}\n{INITIALIZE}\n{cut}").as_bytes());
    let kinds: Vec<_> = kept.frames.iter().map(|frame| (frame.line, frame.kind)).collect();
    assert_eq!(kinds, [(1, "message"), (2, "gap"), (3, "message")]);
    assert_eq!(kept.skipped, [(2, Skip::CutOff), (4, Skip::CutOff)]);
}

#[test]
fn a_request_without_its_number_is_missing() {
    let kept = read_as("dap", format!("From client: initialize({{\"a\":1}})\nTo client: {READY}\n").as_bytes());
    let kinds: Vec<_> = kept.frames.iter().map(|frame| (frame.line, frame.kind)).collect();
    assert_eq!(kinds, [(1, "gap"), (2, "message")]);
}

#[test]
fn a_record_may_have_the_message_in_a_member_and_what_cannot_be_read_is_missing() {
    let record = format!("{{\"at\":1,\"kind\":{{}},\"said\":{INITIALIZE}}}");
    assert_eq!(read(&record).len(), 1);
    let twice = INITIALIZE.replace("\"seq\":1", "\"seq\":1,\"seq\":2");
    let kept = read_as("dap", twice.as_bytes());
    assert_eq!(kept.frames.iter().map(|frame| frame.kind).collect::<Vec<_>>(), ["gap"]);
}

proptest! {
    #[test]
    fn messages_come_back_as_they_were(texts in proptest::collection::vec("\\PC{0,20}", 1..8), pretty in any::<bool>()) {
        let messages: Vec<serde_json::Value> = texts.iter().enumerate().map(|(seq, text)| {
            serde_json::json!({"seq": seq, "type": "request", "command": "evaluate", "arguments": {"a": [text], "b": {"c{": text}}})
        }).collect();
        let written: Vec<String> =
            messages.iter().map(|message| if pretty { format!("{message:#}") } else { message.to_string() }).collect();
        let got = read(&written.join("\n"));
        let got: Vec<serde_json::Value> = got.iter().map(|text| serde_json::from_str(text).expect("JSON")).collect();
        let want: Vec<serde_json::Value> = messages.iter().map(|message| {
            serde_json::json!({"jsonrpc": "2.0", "id": message["seq"], "method": "evaluate", "params": message["arguments"]})
        }).collect();
        prop_assert_eq!(got, want);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), at in 0usize..200, tail in "[{}\\[\\]\"':,a-z0-9\\\\\n]{0,60}") {
        read_as("dap", &bytes);
        let at = at.min(READY.len());
        read_as("dap", format!("{}{tail}\n{READY}", &READY[..at]).as_bytes());
    }
}
