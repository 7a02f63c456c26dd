//! Bodies as they were: out of what a record packs them in.

use std::borrow::Cow;

use super::Part;
use crate::base64;
use crate::capture::encoded::{Form, form, looks_packed, once, undone, unpacked};
use crate::capture::events::{events, is_event_stream};
use crate::capture::formats::document::{Elements, content};
use crate::json::scan::value_end;

/// How often a string may be packed into another one.
const PACKED: usize = 3;

/// A body from the value of a member, as written: an object, a string, a string in a string, base64, packed base64.
/// `at` is where the value starts; `said` is what a string says, where that was read already.
pub(in crate::capture::formats) fn part(raw: &str, at: usize, cut: bool, said: Option<String>) -> Part<'_> {
    let said = listed(raw).or(said).or_else(|| numbered(raw));
    match raw.as_bytes().first() {
        Some(b'{' | b'[') if said.is_none() => {
            // Whoever found it in the record has seen its end.
            Part::Text { text: Cow::Borrowed(raw), offset: at, cut, event_stream: false, whole: true }
        }
        Some(b'"' | b'[' | b'{') => {
            let mut text = said.map_or_else(|| content(raw), Cow::Owned);
            if let Cow::Owned(unpacked) = plain(&text) {
                text = Cow::Owned(unpacked);
            }
            let (text, cut, whole) = unmarked(text, cut);
            match text.trim().is_empty() {
                true if cut => Part::Missing,
                true => Part::Absent,
                false => Part::Text { text, offset: at, cut, event_stream: false, whole },
            }
        }
        _ => Part::Absent,
    }
}

/// The text of a list or an object of numbers, as bytes are written that nobody made a text of.
fn numbered(raw: &str) -> Option<String> {
    (form(raw) == Form::Packed).then(|| undone(raw)).flatten().map(|undone| undone.text)
}

/// What a list of strings holds.
fn listed(raw: &str) -> Option<String> {
    let is_list = raw.strip_prefix('[')?.trim_start().starts_with('"');
    let list = is_list.then(|| Elements::new(raw, Some(0), "list").ok()).flatten()?;
    Some(joined(list.map(|(_, one)| content(one).into_owned()).collect()))
}

/// One body of the texts that came for it: a list, where each has messages of its own, else one behind the other, for they are the
/// pieces in which it was read.
pub(super) fn joined(texts: Vec<String>) -> String {
    let mut messages = Vec::new();
    for text in texts.iter().map(|text| plain(text)) {
        match is_event_stream(&text) {
            true => messages.extend(events(&text).into_iter().map(|(_, data)| data)),
            false => messages.push(text.into_owned()),
        }
    }
    messages.retain(|text| !text.trim().is_empty());
    let is_whole = |text: &String| value_end(text.trim().as_bytes(), 0) == Some(text.trim().len());
    match messages.len() > 1 && messages.iter().all(is_whole) {
        true => format!("[{}]", messages.join(",")),
        false if are_lines(&texts) => texts.join("\n"),
        false => texts.concat(),
    }
}

/// True for the lines of an event stream, without their ends.
fn are_lines(texts: &[String]) -> bool {
    let is_line = |text: &String| text.is_empty() || !text.contains('\n') && is_event_stream(text);
    texts.len() > 1 && texts.iter().all(is_line)
}

/// What a text holds once it is unpacked.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    let mut found = Cow::Borrowed(text);
    for _ in 0..PACKED {
        match inner(&found) {
            Some(plain) => found = Cow::Owned(plain),
            None => break,
        }
    }
    found
}

/// What a text is the encoding of: a message, an event stream, or HTTP with one of them as its body.
fn inner(text: &str) -> Option<String> {
    if let Some(head) = http_head(text) {
        return Some(text[head..].to_string());
    }
    let plain = once(text)?.text;
    let first = plain.trim_start().as_bytes().first().copied();
    let known = matches!(first, Some(b'{' | b'[' | b'"')) || is_event_stream(&plain) || http_head(&plain).is_some();
    known.then_some(plain)
}

/// The length of the start line and the headers of HTTP/1.1, where a text has them before its body.
pub(super) fn http_head(text: &str) -> Option<usize> {
    if !text.starts_with(|first: char| first.is_ascii_uppercase()) {
        return None;
    }
    let (first, _) = text.split_once('\n')?;
    let first = first.trim_end();
    let is_head = first.starts_with("HTTP/1.") || first.ends_with(" HTTP/1.1") || first.ends_with(" HTTP/1.0");
    let end = || text.find("\r\n\r\n").map(|at| at + 4).or_else(|| text.find("\n\n").map(|at| at + 2));
    is_head.then(end).flatten()
}

/// A text of headers out of base64, where it is packed.
pub(super) fn headers_of(text: &str) -> Option<String> {
    let plain = looks_packed(text).then(|| base64::decode(text.trim())).flatten().map(unpacked)?;
    http_head(&plain).map(|end| plain[..end].to_string())
}

/// The text, whether it was cut (which a mark at its end may say), and whether it looks like one whole value. That it is one is seen when
/// it is read as a message.
fn unmarked(text: Cow<'_, str>, cut: bool) -> (Cow<'_, str>, bool, bool) {
    let end = text.trim_end();
    let bounds = (end.trim_start().as_bytes().first(), end.as_bytes().last());
    // A whole value has no mark at its end.
    if matches!(bounds, (Some(b'{'), Some(b'}')) | (Some(b'['), Some(b']'))) {
        return (text, cut, true);
    }
    let tail = end.len() - end.len().min(48);
    let tail = (tail..=end.len()).find(|at| end.is_char_boundary(*at)).unwrap_or(end.len());
    let lower = end[tail..].to_ascii_lowercase();
    let marked = lower.contains("truncated") || lower.ends_with("...") || lower.ends_with('…');
    (text, cut || marked, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_messages_or_pieces_of_a_body() {
        let text = |raw: &str| part(raw, 0, false, None).text().map(str::to_string);
        assert_eq!(text(r#"["{\"a\":1}","","data: {\"b\":2}"]"#).as_deref(), Some(r#"[{"a":1},{"b":2}]"#));
        assert_eq!(text(r#"["{\"a\"",":1}"]"#).as_deref(), Some(r#"{"a":1}"#));
        assert_eq!(text(r#"["data: {\"a\"",":1}\n\n"]"#).as_deref(), Some("data: {\"a\":1}\n\n"));
        assert_eq!(text(r#"["id: 0","data: {\"a\":1}","",""]"#).as_deref(), Some("id: 0\ndata: {\"a\":1}\n\n"));
        assert_eq!((text(r#"[""]"#), text("[]").as_deref()), (None, Some("[]")));
    }
}
