//! Words that a filter put in place of values, without quotes: `"params":[REDACTED]`, `"token":***`. Who edits the text of a log
//! and not its JSON writes them so; what was sent was a value.

use super::Undone;
use crate::capture::cut::is_within;
use crate::capture::literal::push_string;
use crate::json::scan::closing_quote;
use crate::protocol::is_placeholder;

/// The longest of them, in bytes.
const LONGEST: usize = 80;

/// The text with such words in quotes; `None` where it has none, and where a logger cut something out: how much that was, nothing tells.
#[cold]
pub(crate) fn requoted(text: &str) -> Option<Undone> {
    if is_within(text) {
        return None;
    }
    let bytes = text.as_bytes();
    let (mut json, mut copied, mut at, mut last) = (String::new(), 0, 0, b':');
    while let Some(&byte) = bytes.get(at) {
        let begins = matches!(last, b':' | b'[' | b',') && !byte.is_ascii_whitespace();
        let word = if begins { word_at(text, at) } else { None };
        if let Some(word) = word {
            json.push_str(&text[copied..at]);
            push_string(&mut json, word);
            at += word.len();
            (copied, last) = (at, b'"');
            continue;
        }
        at = if byte == b'"' { closing_quote(bytes, at + 1)? } else { at } + 1;
        last = if byte.is_ascii_whitespace() { last } else { byte };
    }
    json.push_str(&text[copied..]);
    (copied > 0).then_some(Undone { text: json, printed: true })
}

/// The word of a filter at `at`: between brackets to where they end, else to the end of the value.
fn word_at(text: &str, at: usize) -> Option<&str> {
    let rest = text.get(at..)?;
    let end = match rest.as_bytes()[0] {
        b'"' => return None,
        open @ (b'[' | b'{' | b'(' | b'<') => closed_at(rest, open)?,
        _ => rest.find([',', ']', '}']).unwrap_or(rest.len()),
    };
    let word = rest[..end].trim_end();
    // A list in which one of the values was taken out is still a list.
    let is_one = word.len() <= LONGEST && !word.contains('"') && !word.get(1..)?.contains(['[', '{', ',']);
    (is_one && (is_placeholder(&format!("\"{word}\"")) || word.starts_with("<<secret:"))).then_some(word)
}

/// Where what `open` opens is closed.
fn closed_at(text: &str, open: u8) -> Option<usize> {
    let close = if open == b'(' { b')' } else { open + 2 };
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate().take(LONGEST) {
        depth += usize::from(byte == open);
        depth -= usize::from(byte == close);
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_filters_get_their_quotes() {
        for word in [
            "[REDACTED]",
            "***",
            "****",
            "<redacted>",
            "<omitted>",
            "[Filtered]",
            "[Object]",
            "[object Object]",
            "[Array(3)]",
            "(truncated)",
            "REDACTED",
            "<<secret:token#1>>",
        ] {
            for (before, behind) in [("", ""), ("{\"k\":", "}"), ("[1, ", " ,2]"), ("{\"a\":[\"b\"],\"k\": ", " }")] {
                let message = |word: &str| format!(r#"{{"jsonrpc":"2.0","params":{before}{word}{behind},"id":1}}"#);
                let undone = requoted(&message(word)).unwrap_or_else(|| panic!("{}", message(word)));
                assert_eq!(undone.text, message(&format!("\"{word}\"")));
            }
        }
    }

    #[test]
    fn what_a_side_writes_stays() {
        for text in [
            r#"{"id":1,"params":["[REDACTED]","***"]}"#,
            r#"{"id":1,"params":[1,true,null,-1.5e3,{}],"x":[]}"#,
            r#"{"id":1,"params":[foo]}"#,
            r#"{"id":1,"params":NaN}"#,
            r#"{"id":1,"params":undefined}"#,
            r#"{"id":1,"params":{key: 1}}"#,
            r#"{"id":1,"params":"broken}"#,
            r#"{"id":1,"params":[1,...,***]}"#,
            "listening on port 8080",
            "",
        ] {
            assert_eq!(requoted(text), None, "{text}");
        }
    }
}
