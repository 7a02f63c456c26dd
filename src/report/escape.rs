//! The one function that makes text from a log safe for a terminal, and the one that makes it safe inside JSON.
//!
//! A log is hostile: it can move the cursor, set the clipboard, turn the reading direction, or forge a line that
//! says all is well. Nothing is dropped (that would hide evidence); it is shown as `\x1b` or `\u{202e}`.

use std::borrow::Cow;
use std::io;

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};
use unicode_width::UnicodeWidthChar;

/// True for characters that act on a terminal or on the eye instead of being seen: controls, format characters
/// (Unicode category Cf, with them the bidirectional controls and zero-width ones), line separators, blank fillers.
pub fn is_hostile(c: char) -> bool {
    if (' '..='~').contains(&c) {
        return false;
    }
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}' | '\u{8e2}'
            | '\u{115f}'..='\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
            | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e007f}')
}

/// Text from a log, safe to print.
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' => safe.push_str("\\n"),
            '\r' => safe.push_str("\\r"),
            '\t' => safe.push_str("\\t"),
            c if is_hostile(c) && (c as u32) < 0x100 => safe.push_str(&format!("\\x{:02x}", c as u32)),
            c if is_hostile(c) => safe.push_str(&format!("\\u{{{:x}}}", c as u32)),
            c => safe.push(c),
        }
    }
    Cow::Owned(safe)
}

/// Text from a log, safe to print and at most `limit` columns. A cut is seen: `...`, and `...(+18.0 kB)` where a
/// kilobyte or more is left out. `whole` is the length in bytes of all there is, where `text` is already only a part.
pub fn escape_cut(text: &str, limit: usize, whole: Option<u64>) -> String {
    let (head, mark) = head(text, limit, whole);
    format!("{}{mark}", escape(head))
}

/// The same, not escaped yet.
pub fn cut(text: &str, limit: usize) -> String {
    let (head, mark) = head(text, limit, None);
    format!("{head}{mark}")
}

/// As much of a text as is shown, and the mark of a cut.
fn head(text: &str, limit: usize, whole: Option<u64>) -> (&str, String) {
    let whole = whole.unwrap_or(0).max(text.len() as u64);
    let (head, _) = split_at_width(text, limit);
    if head.len() as u64 == whole {
        return (text, String::new());
    }
    let mark = match whole - head.len() as u64 {
        0..1_000 => "...".to_string(),
        left_out => format!("...(+{})", super::number::size(left_out)),
    };
    (split_at_width(text, limit.saturating_sub(mark.len())).0, mark)
}

/// A block of our own text (pages, tables) with quotations in it: line breaks stay, all else is escaped.
pub fn escape_block(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            safe.push('\n');
        }
        safe.push_str(&escape(line));
    }
    safe
}

/// A JSON writer whose strings hold no hostile character: they are written as `\u001b`, `\u202e`.
#[derive(Default)]
pub struct SafeJson(CompactFormatter);

impl Formatter for SafeJson {
    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(is_hostile) {
            self.0.write_string_fragment(writer, &rest[..at])?;
            let c = rest[at..].chars().next().unwrap_or_default();
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = &rest[at + c.len_utf8()..];
        }
        self.0.write_string_fragment(writer, rest)
    }

    fn write_char_escape<W: ?Sized + io::Write>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()> {
        self.0.write_char_escape(writer, escape)
    }
}

/// A value as JSON text without hostile characters.
pub fn json(value: &impl Serialize) -> io::Result<String> {
    let mut bytes = Vec::with_capacity(256);
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, SafeJson::default());
    value.serialize(&mut serializer)?;
    String::from_utf8(bytes).map_err(io::Error::other)
}

/// The part of `text` that, once escaped, fits into `limit` columns, and the rest.
pub fn split_at_width(text: &str, limit: usize) -> (&str, &str) {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += if is_hostile(c) { escape(c.encode_utf8(&mut [0; 4])).len() } else { c.width().unwrap_or(0) };
        if used > limit {
            return text.split_at(at);
        }
    }
    (text, "")
}

/// A path as a URI reference. A colon would make a scheme of what stands before it.
pub fn uri(path: &[u8]) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(*byte as char),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_what_they_look_like() {
        assert_eq!(uri("a b/c:d#é.jsonl".as_bytes()), "a%20b/c%3Ad%23%C3%A9.jsonl");
    }

    #[test]
    fn what_acts_on_a_terminal_is_shown_and_not_sent() {
        assert_eq!(escape("plain {\"a\":1} größer 日本"), "plain {\"a\":1} größer 日本");
        assert_eq!(escape("\u{1b}[2K\r\nok\t\u{7f}"), "\\x1b[2K\\r\\nok\\t\\x7f");
        assert_eq!(
            escape("\u{9b}31m \u{202e}txt\u{2066} \u{200d}\u{feff} \u{2028}"),
            "\\x9b31m \\u{202e}txt\\u{2066} \\u{200d}\\u{feff} \\u{2028}"
        );
        assert_eq!(escape("\u{e0041}"), "\\u{e0041}");
    }

    #[test]
    fn json_keeps_the_data_and_hides_the_effect() {
        let text = "\u{1b}]52;c;\u{7f}\u{9b}\u{202e}\u{e0041}\"\\";
        let written = json(&text).expect("strings serialize");
        assert_eq!(written, r#""\u001b]52;c;\u007f\u009b\u202e\udb40\udc41\"\\""#);
        assert_eq!(serde_json::from_str::<String>(&written).expect("valid"), text);
    }

    #[test]
    fn a_cut_says_what_is_left_out() {
        assert_eq!(escape_cut("abcdef", 6, None), "abcdef");
        assert_eq!(escape_cut("abcdefgh", 6, None), "abc...");
        assert_eq!(escape_cut("abcdefghij", 14, Some(18_006)), "a...(+18.0 kB)");
        assert_eq!(escape_cut("日本語日本語", 9, None), "日本語...");
    }
}
