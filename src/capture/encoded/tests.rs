//! Messages as loggers write them, and back.

use proptest::prelude::*;

use super::*;

const MESSAGE: &str = r#"{"jsonrpc":"2.0","id":7,"result":{"text":"it's \"é\" & <b>","n":null,"ok":true}}"#;

fn numbers(separator: &str) -> String {
    MESSAGE.bytes().map(|byte| byte.to_string()).collect::<Vec<_>>().join(separator)
}

fn digits(separator: &str) -> String {
    MESSAGE.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(separator)
}

/// Bytes that are no plain ASCII, and those of `marks`, by `write`.
fn escaped(marks: &[u8], write: impl Fn(u8) -> String) -> String {
    let one = |byte: u8| match byte.is_ascii() && !marks.contains(&byte) {
        true => char::from(byte).to_string(),
        false => write(byte),
    };
    MESSAGE.bytes().map(one).collect()
}

fn packed(bytes: Vec<u8>) -> String {
    crate::base64::encode(&bytes)
}

fn gzip() -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut packer, MESSAGE.as_bytes()).expect("memory");
    packer.finish().expect("memory")
}

fn zlib() -> Vec<u8> {
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut packer, MESSAGE.as_bytes()).expect("memory");
    packer.finish().expect("memory")
}

#[test]
fn bytes_come_back_as_they_were() {
    let quoted = serde_json::Value::from(MESSAGE).to_string();
    let html = MESSAGE.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;");
    for text in [
        format!(r#"{{"type":"Buffer","data":[{}]}}"#, numbers(",")),
        format!("{{\n  \"type\": \"Buffer\",\n  \"data\": [\n{}\n  ]\n}}", numbers(",\n")),
        format!("[{}]", numbers(", ")),
        format!("[{}]", numbers(" ")),
        format!("Uint8Array(90) [{}]", numbers(", ")),
        format!("<Buffer {}>", digits(" ")),
        digits(""),
        digits("").to_ascii_uppercase(),
        format!("0x{}", digits("")),
        format!("\\x{}", digits("")),
        packed(MESSAGE.as_bytes().to_vec()),
        packed(MESSAGE.as_bytes().to_vec()).replace('+', "-").replace('/', "_"),
        packed(gzip()),
        packed(zlib()),
        html.replace('\'', "&#39;"),
        html.replace("&quot;", "&#x22;"),
        escaped(b"\"\\", |byte| format!("\\x{byte:02X}")),
        escaped(b"{}\":,' &<>[]\\", |byte| format!("%{byte:02X}")),
        MESSAGE.replace('\\', "\\\\").replace('"', "\\u0022"),
        MESSAGE.replace('\\', "\\\\").replace('"', "\\\""),
        quoted.clone(),
        serde_json::Value::from(quoted).to_string(),
    ] {
        let undone = undone(&text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!((undone.text.as_str(), undone.printed), (MESSAGE, false), "{text}");
    }
}

#[test]
fn values_that_languages_print_are_translated() {
    for text in [
        r#"{'jsonrpc': '2.0', 'id': 7, 'result': {'text': 'it\'s "é" & <b>', 'n': None, 'ok': True}}"#,
        r#"{ jsonrpc: '2.0', id: 7, result: { text: `it's "é" & <b>`, n: null, ok: true } }"#,
    ] {
        let undone = undone(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!((undone.text.as_str(), undone.printed), (MESSAGE, true));
    }
}

#[test]
fn what_was_sent_as_it_is_and_what_is_no_message_stay() {
    for text in [
        MESSAGE,
        r#"{"type":"x"}"#,
        r#"{"type":"Buffer","data":[104,105]}"#,
        "[1,2,3]",
        "hello",
        "Starting the server",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0",
        "{foo: bar}",
        "[]",
        "",
    ] {
        assert_eq!(undone(text), None, "{text}");
    }
    for text in ["hello", "[1,2,3]", "{foo: bar}", "{\"a\":tru}", "", "{'a': 1}"] {
        assert!(!is_encoded(text), "{text}");
    }
    let half = |text: &str| text[..text.len() / 2].to_string();
    for text in [format!("<Buffer {}>", digits(" ")), digits(""), packed(gzip()), "{&quot;a&quot;:".repeat(2)] {
        assert_eq!(undone(&half(&text)), None, "{text}");
        assert!(is_encoded(&half(&text)), "{text}");
    }
    assert!(is_encoded("{'jsonrpc': '2.0', 'id"));
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(start in "(\\{|\\[|<Buffer |0x7b22|eyJ|H4sI|b'|'|%7B|\\\\x7b|&quot;)?", text in "[\\[\\]{}\"'b:,\\\\ é0-9a-f&;%x]{0,60}") {
        let text = start + &text;
        undone(&text);
        is_encoded(&text);
    }
}
