//! A message anywhere in a line: as JSON, in a string or bytes as Rust, Python or Node print them, or as an object
//! that Python, Node or Ruby printed.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use crate::capture::encoded::{Form, form, framing, json_of};
use crate::capture::literal::{Dialect, translate_into, unquote_into};
use crate::capture::sample::looks_like_message;
use crate::json::scan::{skip_white, value_end};

/// How many opening braces of one line are looked at.
const BRACES: usize = 32;

/// Where a message stands in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MessageSpan {
    /// Its first byte, or that of the literal that holds it.
    pub start: usize,
    /// The byte after it.
    pub end: usize,
}

/// The next message at or after `from`. One that is cut ends where the text ends.
pub(crate) fn next(text: &str, from: usize) -> Option<MessageSpan> {
    let bytes = text.as_bytes();
    let rest = bytes.get(from..)?;
    memchr(b'{', rest)?;
    if !["jsonrpc", "method", "result", "error"].iter().any(|word| memmem::find(rest, word.as_bytes()).is_some()) {
        return None;
    }
    let mut at = from;
    for _ in 0..BRACES {
        let brace = at + memchr(b'{', bytes.get(at..)?)?;
        if let Some(found) = at_brace(text, from, brace) {
            return Some(found);
        }
        at = brace + 1;
    }
    None
}

fn at_brace(text: &str, from: usize, brace: usize) -> Option<MessageSpan> {
    let bytes = text.as_bytes();
    let open = opening(bytes, from, brace);
    let first = *bytes.get(skip_white(bytes, brace + 1))?;
    if let Some(quote) = quote_of_frame(text, from, brace) {
        return quoted(text, from, quote);
    }
    // Within a string nothing tells whether more members follow.
    let in_list = first == b'\\' && brace > from && bytes[brace - 1] == b'[';
    let open = if in_list { brace - 1 } else { open };
    let quote = (open > from).then(|| bytes[open - 1]).filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    match (first, quote) {
        (b'\\', Some(_)) => quoted(text, from, open - 1),
        (b'\\', None) => in_event(text, brace),
        // An apostrophe around JSON may be a logger's own; only with backslashes inside does it matter.
        (b'"', Some(b'\'' | b'`')) => quoted(text, from, open - 1).or_else(|| json(text, open, brace)),
        (b'"', _) => json(text, open, brace).or_else(|| printed(text, brace)),
        (b':' | b'\'' | b'_' | b'a'..=b'z' | b'A'..=b'Z', _) => {
            printed_list(text, from, brace).or_else(|| printed(text, brace))
        }
        _ => None,
    }
}

/// Where the value starts to which the brace belongs: a bracket before it is that of a batch if it is all that stands
/// before it, or if more members follow; else it is the logger's.
fn opening(bytes: &[u8], from: usize, brace: usize) -> usize {
    let before = bytes[from..brace].iter().rposition(|byte| !byte.is_ascii_whitespace()).map(|at| from + at);
    let Some(at) = before.filter(|at| bytes[*at] == b'[') else { return brace };
    let many = bytes[..at].iter().all(u8::is_ascii_whitespace)
        || value_end(bytes, brace).is_some_and(|end| bytes.get(skip_white(bytes, end)) == Some(&b','));
    if many && value_end(bytes, at).is_some() { at } else { brace }
}

/// The quote before a frame of `Content-Length` whose body begins with this brace, its line ends escaped.
fn quote_of_frame(text: &str, from: usize, brace: usize) -> Option<usize> {
    let before = text[from..brace].strip_suffix("\\n")?;
    let quote = before.rfind(['"', '\'', '`'])?;
    let header = &before[quote + 1..];
    (header.starts_with("Content-") || header.starts_with("content-")).then_some(from + quote)
}

/// A message in the data of an event, in a string that holds an event stream: it goes up to the line end that is escaped there.
fn in_event(text: &str, brace: usize) -> Option<MessageSpan> {
    if !text[..brace].trim_end().ends_with("data:") {
        return None;
    }
    let (bytes, mut end) = (text.as_bytes(), brace);
    while end < bytes.len() && bytes[end] != b'"' && !is_line_end(&bytes[end..]) {
        // An escaped backslash says nothing of what follows it.
        end += if bytes[end] == b'\\' { 2 } else { 1 };
    }
    let end = end.min(bytes.len());
    let (mut json, mut bytes) = (String::new(), Vec::new());
    let (json, _) = json_of(text.get(brace..end)?, &mut json, &mut bytes).ok()?;
    looks_like_message(json).then_some(MessageSpan { start: brace, end })
}

/// True for an escaped line end, as languages and nginx write it.
fn is_line_end(text: &[u8]) -> bool {
    ["\\n", "\\r", "\\x0A", "\\x0D", "\\x0a", "\\x0d", "\\u000a", "\\u000d"]
        .iter()
        .any(|end| text.starts_with(end.as_bytes()))
}

/// True for what stands between two messages of one event stream that is in a string.
pub(super) fn is_between_events(text: &str) -> bool {
    is_line_end(text.as_bytes()) && text.trim_end().ends_with("data:")
}

fn json(text: &str, open: usize, brace: usize) -> Option<MessageSpan> {
    if !looks_like_message(&text[brace..]) {
        return None;
    }
    let end = value_end(text.as_bytes(), open).unwrap_or(text.len());
    Some(MessageSpan { start: open, end })
}

fn quoted(text: &str, from: usize, quote: usize) -> Option<MessageSpan> {
    let bytes = text.as_bytes();
    let is_bytes = quote > from
        && matches!(bytes[quote - 1], b'b' | b'B')
        && (quote - 1 == from || !bytes[quote - 2].is_ascii_alphanumeric());
    let start = if is_bytes { quote - 1 } else { quote };
    let mut decoded = Vec::new();
    let dialect = if is_bytes { Dialect::Python } else { Dialect::Node };
    let end = match unquote_into(dialect, &text[start..], &mut decoded) {
        Ok(length) => start + length,
        Err(_) => text.len(),
    };
    let plain = !is_bytes && decoded == bytes[quote + 1..(end.max(quote + 2) - 1).min(bytes.len())];
    let inner: Cow<'_, str> = String::from_utf8_lossy(&decoded);
    let body = framing(&inner);
    let at = skip_white(inner.as_bytes(), body);
    let at = if inner.as_bytes().get(at) == Some(&b'[') { skip_white(inner.as_bytes(), at + 1) } else { at };
    let inner_end = value_end(inner.as_bytes(), at);
    let sound = is_bytes || inner_end.is_none() || inner_parses(&inner[body..]);
    let is_all = inner_end.is_some_and(|end| inner[end..].trim().is_empty());
    let own = !is_bytes && !is_all && stands_raw(text, quote);
    (!plain && sound && !own && looks_like_message(&inner[at..])).then_some(MessageSpan { start, end })
}

/// True if JSON as it was sent stands between this quote and the next one of its kind that is not in the JSON: a logger that
/// puts quotes around a text and escapes nothing.
fn stands_raw(text: &str, quote: usize) -> bool {
    let bytes = text.as_bytes();
    let end = value_end(bytes, quote + 1);
    end.is_some_and(|end| bytes.get(end) == Some(&bytes[quote]) && inner_parses(&text[quote + 1..end]))
}

/// True if what a literal held is JSON; a logger's own quotes around JSON with backslashes give something else.
fn inner_parses(inner: &str) -> bool {
    crate::jsonrpc::parse_at::<crate::jsonrpc::NoLift>(inner, 0).is_ok()
}

/// A batch as a language prints it: a bracket before the message that is not the logger's (see [`opening`]).
fn printed_list(text: &str, from: usize, brace: usize) -> Option<MessageSpan> {
    let before = text[from..brace].trim_end();
    let (before, bracket) = (before.strip_suffix('[')?, from + before.len() - 1);
    let Form::Printed(dialect) = form(&text[brace..]) else { return None };
    let mut json = String::new();
    let read = translate_into(dialect, &text[bracket..], &mut json).ok()?;
    let first = value_end(json.as_bytes(), skip_white(json.as_bytes(), 1))?;
    let many = before.trim().is_empty() || json[first..].trim_start().starts_with(',');
    (many && looks_like_message(json[1..].trim_start()))
        .then_some(MessageSpan { start: bracket, end: bracket + read.end })
}

fn printed(text: &str, brace: usize) -> Option<MessageSpan> {
    let Form::Printed(dialect) = form(&text[brace..]) else { return None };
    let mut json = String::new();
    match translate_into(dialect, &text[brace..], &mut json) {
        Ok(read) => looks_like_message(&json).then_some(MessageSpan { start: brace, end: brace + read.end }),
        Err(fault) => (fault.cut && looks_like_message(&json)).then_some(MessageSpan { start: brace, end: text.len() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(text: &str) -> Vec<&str> {
        let (mut at, mut found) = (0, Vec::new());
        while let Some(one) = next(text, at) {
            found.push(&text[one.start..one.end]);
            at = one.end;
        }
        found
    }

    #[test]
    fn messages_are_found_wherever_they_stand() {
        let request = r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"jsonrpc":"x"}}"#;
        let answer = r#"{"id":1,"result":null}"#;
        assert_eq!(all(&format!("x {request} y {answer}; {{\"level\":1}}")), [request, answer]);
        assert_eq!(all(&format!("ctx={{\"a\":{{}}}} {{x}} [{request}]")), [request], "brackets of the logger");
        let one = format!("[{request}]");
        assert_eq!(all(&format!(" {one}")), [one.as_str()], "a batch of one");
        let batch = format!("[{request}, {request}]");
        assert_eq!(all(&format!("[IN] {batch}")), [batch.as_str()]);
        assert_eq!(all(&format!("{{\"dir\":\"in\",\"msg\":{request}}}")), [request]);
        let event = r#"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"a\\n\"}"#;
        let stream = format!(r#"resp="event: message\n{event}\n\n{event}\n\n" {answer}"#);
        assert_eq!(all(&stream), [&event[6..], &event[6..], answer], "events in a string");
        assert_eq!(all(&stream.replace(r#"\n\n"#, r#"\x0A\x0A"#)).len(), 3, "of nginx");
        assert_eq!(all("nothing {\"method\":\"GET\"} here {"), [""; 0]);
    }

    #[test]
    fn strings_bytes_and_printed_objects() {
        let rust = r#""{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}""#;
        assert_eq!(all(&format!("recv line={rust} len=1")), [rust]);
        let bytes = r#"b'{"jsonrpc": "2.0", "method": "a"}\n'"#;
        assert_eq!(all(&format!("READ {bytes}")), [bytes]);
        let own = r#"'{"jsonrpc":"2.0","method":"a"}'"#;
        assert_eq!(all(own), [&own[1..own.len() - 1]], "nothing is escaped, so the text is the message");
        let repr = r#"'{"jsonrpc":"2.0","method":"say \\"x\\" it\'s"}'"#;
        assert_eq!(all(repr), [repr]);
        let raw = r#"'{"jsonrpc":"2.0","method":"say \"x\""}'"#;
        assert_eq!(all(raw), [&raw[1..raw.len() - 1]], "the quotes are the logger's");
        for apostrophe in [r#"{\"in\": \"it's\"}"#, r#"it's \"}} {\""#] {
            let raw = format!(r#"'{{"jsonrpc":"2.0","method":"say","params":{{"q":"{apostrophe}"}}}}'"#);
            assert_eq!(all(&raw), [&raw[1..raw.len() - 1]], "an apostrophe in the JSON is none of the logger's");
        }
        let python = "{'jsonrpc': '2.0', 'id': 1, 'method': 'a', 'params': None}";
        assert_eq!(all(&format!("sent {python}!")), [python]);
        let node = "{ jsonrpc: '2.0', id: 1, result: { tools: [] } }";
        assert_eq!(all(&format!("<- {node}")), [node]);
    }

    #[test]
    fn batches_in_strings_and_as_languages_print_them() {
        let quoted = r#""[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"},{\"jsonrpc\":\"2.0\",\"method\":\"b\"}]""#;
        assert_eq!(all(&format!("read {quoted} ok")), [quoted]);
        let printed = "[{'jsonrpc': '2.0', 'id': 1, 'method': 'a'}, {'jsonrpc': '2.0', 'method': 'b'}]";
        assert_eq!(all(&format!("read {printed} ok")), [printed]);
        let (mut scratch, mut bytes) = (String::new(), Vec::new());
        let (json, _) = json_of(printed, &mut scratch, &mut bytes).expect("a list");
        assert!(json.starts_with("[{\"jsonrpc\":") && json.ends_with("}]"), "{json}");
        assert_eq!(form(&"[".repeat(1_000_000)), Form::Json);
    }

    #[test]
    fn frames_in_strings() {
        for frame in [
            r#"b'Content-Length: 43\r\n\r\n{"jsonrpc": "2.0", "id": 1, "result": "it\'s"}'"#,
            r#""Content-Length: 43\r\n\r\n{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": \"it's\"}""#,
        ] {
            assert_eq!(all(&format!("08:00:00 write {frame} ok")), [frame]);
            let (mut scratch, mut bytes) = (String::new(), Vec::new());
            let (json, form) = json_of(frame, &mut scratch, &mut bytes).expect("a string");
            assert_eq!((json, form != Form::Json), (r#"{"jsonrpc": "2.0", "id": 1, "result": "it's"}"#, true));
        }
    }

    #[test]
    fn a_cut_message_ends_with_the_text() {
        for cut in [r#"{"jsonrpc":"2.0","id":1,"method":"a","par"#, r#"b'{"jsonrpc": "2.0", "method": "a", "pa"#] {
            assert_eq!(all(&format!("IN {cut}")), [cut]);
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[\\[\\]{}\"'`b:,\\\\ é]{0,30}(jsonrpc|method)?[\\[\\]{}\"'`b:,\\\\ é0-9]{0,30}") {
            for found in all(&text) {
                prop_assert!(!found.is_empty());
            }
        }
    }
}
