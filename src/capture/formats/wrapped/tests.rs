//! Lines as loggers write them, and what they are read as.

use proptest::prelude::*;

use super::*;
use crate::capture::testing::{read, read_as, told};
use crate::protocol::Side;

const REQUEST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[test]
fn the_common_shape() {
    let line = format!(r#"{{"ts":"2026-11-21T06:44:16.663Z","dir":"c2s","session":"a1","msg":{REQUEST}}}"#);
    let kept = read("jsonl-wrapped", &format!("{line}\n{}\n", line.replace("a1", "b2")));
    assert_eq!(kept.texts(), [("message", REQUEST); 2]);
    assert_eq!(kept.names(), [Some("a1"), Some("b2")]);
    let frame = &kept.frames[0];
    assert_eq!((frame.at_us, frame.direction), (Some(1_795_243_456_663_000), Direction::By(Side::Client)));
    assert_eq!(frame.byte_offset as usize, line.find(REQUEST).expect("it is there"));
    assert_eq!(kept.channels[0].resolution_us, 1_000);
    assert!(kept.channels[0].proof.covers(Proof::DIRECTION));
    let reason = told(line.as_bytes()).expect("a format").1;
    assert_eq!(reason, r#"every line is a JSON object with "ts", "dir" and "msg""#);
}

#[test]
fn the_user_names_what_tells_connections_apart() {
    let line = r#"{"conn":"a","peer":{"pid":7},"dir":"in","msg":{"jsonrpc":"2.0","id":1,"method":"ping"}}"#;
    let mut layout = Layout::learn(std::iter::once(line));
    layout.rekey(&["/peer/pid".to_string()]).expect("a member");
    let mut found = Envelope::default();
    envelope::read(line, 0, &layout.root, &mut found).expect("a wrapper");
    assert_eq!((found.session, found.connection), (Some("7"), None));
    for key in ["msg", "/msg/id", "dir"] {
        assert!(layout.rekey(&[key.to_string()]).is_err(), "{key}");
    }
}

#[test]
fn messages_as_strings_spread_or_deep() {
    let cases = [
        format!(r#"{{"timestamp":1795243456.663,"direction":"in","payload":{}}}"#, quoted(REQUEST)),
        format!(r#"{{"log":{{"time":1795243456663,"_direction":"incoming","body":{REQUEST}}}}}"#),
        format!(r#"{{ "when" : 0, "type":"receive-request", "message" : {REQUEST} , "timestamp":1795243456663 }}"#),
    ];
    for line in cases {
        let kept = read("jsonl-wrapped", &line);
        assert_eq!(kept.texts(), [("message", REQUEST)], "{line}");
        assert_eq!(
            (kept.frames[0].at_us, kept.frames[0].direction),
            (Some(1_795_243_456_663_000), Direction::Received),
            "{line}"
        );
    }
    let spread = r#"{"t":"12:00:00","dir":"out","jsonrpc":"2.0","id":1,"method":"a"}"#;
    let kept = read("jsonl-wrapped", spread);
    assert_eq!((kept.texts(), kept.frames[0].direction), (vec![("message", spread)], Direction::Sent));
}

#[test]
fn what_the_wrapper_promises_and_is_no_message() {
    let text = format!(
        "{{\"dir\":\"c2s\",\"raw\":{}}}\n{{\"dir\":\"c2s\",\"raw\":\"hello\"}}\n{{\"dir\":\"s2c\",\"raw\":\"{{\\\"id\\\":\"}}\n{{\"dir\":\"stderr\",\"raw\":\"warn\\n\"}}\n{{\"level\":\"info\"}}\n\n",
        quoted(REQUEST)
    );
    let kept = read("jsonl-wrapped", &text);
    assert_eq!(
        kept.texts(),
        [("message", REQUEST), ("malformed", "hello"), ("malformed", r#"{"id":"#), ("stderr", "warn")]
    );
    assert_eq!(kept.skipped, [(5, Skip::NotAMessage), (6, Skip::Blank)]);
}

#[test]
fn a_broken_object_is_malformed_and_a_cut_log_is_not() {
    let line = format!(r#"{{"dir":"c2s","msg":{REQUEST}}}"#);
    let kept =
        read("jsonl-wrapped", &format!("{line}\n{{\"dir\":\"s2c\",\"msg\":{{\"id\":tru}}}}\n{line}\n{}", &line[..30]));
    assert_eq!(kept.texts()[1], ("malformed", r#"{"id":tru}"#));
    assert_eq!((kept.frames.len(), &kept.skipped[..]), (3, &[(4, Skip::CutOff)][..]));
}

#[test]
fn a_logger_s_own_texts_under_the_message_key_are_passed_over() {
    let kept = read(
        "jsonl-wrapped",
        &format!("{{\"msg\":\"started\"}}\n{{\"msg\":{REQUEST}}}\n{{\"data\":{{\"x\":{REQUEST}}}}}\n"),
    );
    assert_eq!(kept.texts(), [("message", REQUEST); 2]);
    assert_eq!(kept.skipped, [(1, Skip::NotAMessage)]);
}

#[test]
fn batches_keep_their_members() {
    let batch = format!("[{REQUEST}, {REQUEST}]");
    let kept = read("jsonl-wrapped", &format!("{{\"dir\":\"c2s\",\"msg\":{batch}}}\n"));
    assert_eq!(kept.texts(), [("batch", batch.as_str())]);
}

#[test]
fn a_message_in_another_encoding_is_unread_and_nobody_s_fault() {
    let mut bytes =
        format!("{{\"dir\":\"c2s\",\"raw\":{}}}\n{{\"dir\":\"s2c\",\"raw\":\"", quoted(REQUEST)).into_bytes();
    bytes.extend_from_slice(b"\xff\"}\n");
    let kept = read_as("jsonl-wrapped", &bytes);
    assert_eq!((kept.frames.len(), kept.missing[0].0), (1, 2));
}

proptest! {
    #[test]
    fn messages_come_back_as_they_were(
        texts in proptest::collection::vec("\\PC{0,30}", 1..12), as_string in any::<bool>(), key in "[a-z]{1,8}", last in any::<bool>()
    ) {
        let messages: Vec<String> = texts.iter().enumerate()
            .map(|(id, text)| serde_json::json!({"jsonrpc": "2.0", "id": id, "method": text}).to_string()).collect();
        let lines: Vec<String> = messages.iter().map(|message| {
            let value = if as_string { quoted(message) } else { message.clone() };
            if last { format!("{{\"dir\":\"c2s\",\"ts\":1795243456,\"x{key}\":{value}}}") } else { format!("{{\"x{key}\":{value},\"dir\":\"c2s\"}}") }
        }).collect();
        let kept = read("jsonl-wrapped", &(lines.join("\n") + "\n"));
        prop_assert_eq!(kept.frames.iter().map(|frame| frame.text.clone()).collect::<Vec<_>>(), messages);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), tail in "[{}\\[\\]\",:a-z0-9\\\\]{0,60}") {
        read_as("jsonl-wrapped", &bytes);
        read_as("jsonl-wrapped", format!("{{\"dir\":\"in\",\"msg\":{REQUEST}}}\n{tail}\n{{\"dir\":\"in\",\"msg\":{tail}").as_bytes());
    }
}

/// A program that is the server of one connection and the client of the next: its name is no direction from there on.
#[test]
fn names_that_the_messages_prove_are_given_up_when_one_proves_the_contrary() {
    let link = |client: &str, server: &str| {
        let line = |from: &str, message: &str| format!(r#"{{"from":"{from}","conn":"{server}","msg":{message}}}"#);
        [
            line(client, r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#),
            line(server, r#"{"jsonrpc":"2.0","id":0,"result":{}}"#),
            line(client, REQUEST),
            line(server, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
        ]
        .join("\n")
            + "\n"
    };
    let sides = |text: &str| -> Vec<Direction> {
        read("jsonl-wrapped", text).frames.iter().map(|frame| frame.direction).collect()
    };
    let (client, server) = (Direction::By(Side::Client), Direction::By(Side::Server));
    assert_eq!(sides(&link("desk", "agent")), [client, server, client, server]);
    // Fifty messages are learned from.
    let chain = link("desk", "agent").repeat(13) + &link("agent", "files");
    // The first that contradicts is told to be guessed.
    assert_eq!(sides(&chain)[48..], [vec![client, server, client, server], vec![Direction::Unknown; 5]].concat());
}

/// The kind of a span says who wrote the record of what it received: the messages tell what it means.
#[test]
fn words_that_the_messages_turn_round_are_taken_as_they_prove() {
    let line = |kind: &str, message: &str| format!(r#"{{"span":{{"kind":"{kind}"}},"msg":{message}}}"#);
    let text = [
        line("SERVER", r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#),
        line("CLIENT", r#"{"jsonrpc":"2.0","id":0,"result":{}}"#),
        line("SERVER", REQUEST),
        line("CLIENT", r#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
        line("CLIENT", r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#),
    ];
    let kept = read("jsonl-wrapped", &(text.join("\n") + "\n"));
    let sides: Vec<Direction> = kept.frames.iter().map(|frame| frame.direction).collect();
    let (client, server) = (Direction::By(Side::Client), Direction::By(Side::Server));
    assert_eq!(sides, [client, server, client, server, server]);
}
