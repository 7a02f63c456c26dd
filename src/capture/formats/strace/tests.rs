use super::*;
use crate::capture::testing::{read, read_as};
use proptest::prelude::*;

const SAMPLE: &str = include_str!("../../../../samples/formats/strace/1.txt");

#[test]
fn calls_in_halves_pieces_and_cut_short() {
    let kept = read("strace", SAMPLE);
    let got: Vec<_> =
        kept.frames.iter().map(|f| (f.kind, f.line, f.direction, f.at_us.map(|at| at % 1_000_000))).collect();
    let (sent, received) = (Direction::Sent, Direction::Received);
    assert_eq!(
        got,
        [
            ("message", 1, received, Some(776_349)),
            ("message", 3, sent, Some(779_582)),
            ("message", 4, received, Some(91_640)),
            ("message", 5, received, Some(92_610)),
            ("gap", 7, sent, Some(194_562)),
            ("message", 8, sent, Some(200_000)),
        ]
    );
    assert_eq!(kept.channels[0].vantage, Vantage::Server);
    assert!(kept.frames[3].text.contains("h\u{e9}llo"), "{}", kept.frames[3].text);
}

#[test]
fn two_calls_on_one_line_are_unread_and_nobody_s_fault() {
    let call = |id: u32, call: &str| {
        let text = format!(r#"{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"m\"}}\n"#);
        format!("42 09:00:0{id}.000000 {call}(0, \"{text}\", 70000) = {}", 38)
    };
    let text = [call(1, "read"), call(2, "read") + &call(3, "write"), call(4, "read")].join("\n") + "\n";
    let kept = read("strace", &text);
    let said: Vec<_> = kept.frames.iter().map(|frame| (frame.kind, frame.line)).collect();
    assert_eq!(said, [("message", 1), ("message", 3)]);
    assert_eq!(kept.missing.iter().map(|missing| missing.0).collect::<Vec<_>>(), [2]);
}

#[test]
fn other_calls_and_framed_bodies() {
    let body = r#"{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}"#;
    let text = format!(
        "read(3, \"\\177ELF\\2\\1\", 832) = 832\nread(0, \"Content-Length: 33\\r\\n\\r\\n{body}\", 4096) = 55\n+++ exited with 0 +++\n"
    );
    let kept = read("strace", &text);
    assert_eq!(kept.texts(), [("message", r#"{"jsonrpc":"2.0","method":"exit"}"#)]);
}

#[test]
fn a_message_without_a_newline_is_one() {
    let body = r#"{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}"#;
    let text = format!("read(0, \"{body}\", 4096) = 33\nread(0, \"\\n\", 4096) = 1\nread(0, \"{body}\", 4096) = 33\n");
    let kept = read("strace", &text);
    assert_eq!(kept.texts(), [("message", r#"{"jsonrpc":"2.0","method":"exit"}"#); 2]);
}

fn escaped(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|byte| match byte {
            b'\n' => "\\n".to_string(),
            b'"' => "\\\"".to_string(),
            b'\\' => "\\\\".to_string(),
            b' '..=b'~' => (*byte as char).to_string(),
            other => format!("\\{other:03o}"),
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn messages_come_back_as_they_were(texts in proptest::collection::vec("\\PC{0,20}", 1..6), size in 1usize..60) {
        let messages: Vec<String> = texts.iter().map(|text| serde_json::json!({"jsonrpc": "2.0", "method": text}).to_string()).collect();
        let whole: Vec<u8> = messages.iter().flat_map(|message| [message.as_bytes(), b"\n"].concat()).collect();
        let trace: String = whole.chunks(size).map(|part| format!("7 06:45:06.776349 write(7, \"{}\", {}) = {}\n", escaped(part), part.len(), part.len())).collect();
        let kept = read_as("strace", trace.as_bytes());
        prop_assert_eq!(kept.frames.iter().map(|frame| frame.text.clone()).collect::<Vec<_>>(), messages);
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,40}", tail in "[a-z0-9\\\\\",() =.<>-]{0,60}") {
        read_as("strace", text.as_bytes());
        read_as("strace", format!("7 1 read({tail}\n7 <... read resumed>{tail}\nwrite(1, \"{tail}\", 9) = 7").as_bytes());
    }
}
