//! A message that a logger encoded, anywhere in a line that holds no other.

use std::ops::Range;

use memchr::{memchr3_iter, memmem};

use crate::capture::encoded::{begins_message, looks_packed, undone};
use crate::json::scan::value_end;

/// How an encoded message begins, by the first byte that tells it.
const SIGNS: [&str; 10] = [
    "{&quot;",
    "{&#34;",
    "{&#x22;",
    "{\\",
    "{\"type\":\"Buffer\"",
    "{\"type\": \"Buffer\"",
    "{ type: 'Buffer'",
    "%7B%22",
    "%7b%22",
    "<Buffer ",
];

/// The beginning of a list of bytes that begins with a brace.
const NUMBERS: &str = "[123";

/// The shortest encoded message, in bytes.
const SHORTEST: usize = 24;

/// Where an encoded message stands in a line, or the beginning of one.
pub(super) fn next(text: &str) -> Option<Range<usize>> {
    if text.len() < SHORTEST {
        return None;
    }
    let signs = memchr3_iter(b'{', b'%', b'<', text.as_bytes());
    let mut starts = signs.filter(|at| SIGNS.iter().any(|sign| text[*at..].starts_with(sign)));
    let start = starts.next().or_else(|| memmem::find(text.as_bytes(), NUMBERS.as_bytes()));
    match start {
        Some(start) => proven(text, start..end_of(text, start)),
        None => long_word(text).and_then(|word| proven(text, word)),
    }
}

/// The place, if what stands there is a message, or begins as one.
#[cold]
fn proven(text: &str, place: Range<usize>) -> Option<Range<usize>> {
    let payload = &text[place.clone()];
    (undone(payload).is_some() || begins_message(payload)).then_some(place)
}

/// The byte after the encoded message that starts at `start`: nothing of the line's own is taken for a part of it.
fn end_of(text: &str, start: usize) -> usize {
    let rest = &text[start..];
    let end = match rest.as_bytes()[0] {
        b'<' => rest.find('>').map(|end| end + 1),
        b'%' => rest.find(|c: char| c.is_ascii_whitespace() || "\"'`)".contains(c)),
        b'[' => value_end(rest.as_bytes(), 0),
        _ if rest.starts_with("{\"") => value_end(rest.as_bytes(), 0),
        _ => rest.rfind('}').map(|end| end + 1),
    };
    end.map_or(text.len(), |end| start + end)
}

/// The first long word of a line that is made of digits or of base64.
fn long_word(text: &str) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/-_=\\".contains(byte);
    let mut at = SHORTEST - 1;
    // A word that is long enough has one of every so many bytes.
    while at < bytes.len() {
        let before = bytes[..=at].iter().rposition(|byte| !is_part(byte)).map_or(0, |before| before + 1);
        let end = bytes[at..].iter().position(|byte| !is_part(byte)).map_or(bytes.len(), |end| at + end);
        // Behind the name of a value there is a sign that base64 ends with, too.
        let name = text.get(before..end).and_then(|word| word.find('=')).filter(|at| before + at + SHORTEST < end);
        let start = before + name.map_or(0, |at| at + 1);
        if start + SHORTEST <= end && looks_packed(&text[start..end]) {
            return Some(start..end);
        }
        at = end.max(at) + SHORTEST;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<&str> {
        next(text).map(|place| &text[place])
    }

    #[test]
    fn encoded_messages_in_lines() {
        let json = r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#;
        let digits: Vec<String> = json.bytes().map(|byte| format!("{byte:02x}")).collect();
        let numbers: Vec<String> = json.bytes().map(|byte| byte.to_string()).collect();
        for coded in [
            json.replace('"', "&quot;"),
            json.replace('"', "\\x22"),
            json.replace('"', "\\\""),
            json.replace('"', "%22").replace('{', "%7B").replace('}', "%7D"),
            format!("<Buffer {}>", digits.join(" ")),
            format!("<Buffer {} ... 12 more bytes>", digits[..16].join(" ")),
            format!("[{}]", numbers.join(", ")),
            format!(r#"{{"type":"Buffer","data":[{}]}}"#, numbers.join(",")),
            format!(r#"{{"type": "Buffer", "data": [{}]}}"#, numbers.join(", ")),
            digits.concat(),
            crate::base64::encode(json.as_bytes()),
        ] {
            for (before, behind) in
                [("--> ", ""), ("10:00:01 recv body=", ""), ("sent: '", "'"), ("body=", " took 3 ms"), ("", "")]
            {
                assert_eq!(found(&format!("{before}{coded}{behind}")), Some(coded.as_str()));
            }
        }
    }

    #[test]
    fn other_lines() {
        for line in [
            "Authorization: Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc",
            "etag 7b2263616368652d6b6579223a317d",
            "<p>{&quot;a&quot;:1}</p> and some more",
            "GET /?q=%7B%22a%22%3A1%7D HTTP/1.1",
            "got <Buffer 68 65 6c 6c 6f 20 77 6f 72 6c 64>",
            "the list is [123, 34, 5, 6, 7, 8, 9, 10]",
            "",
        ] {
            assert_eq!(found(line), None, "{line}");
        }
    }
}
