//! The fast way through JSON: where values end, told by a look that takes only what is plainly right.
//!
//! It takes exactly what serde_json takes, or less: what it refuses (`None`) is read again by serde_json, which also says what is wrong.
//! Nearly all bytes of a log stand in strings, and the ends of these are looked for many bytes at a time.

use memchr::memchr2;

use super::quick::first_odd;
use super::string::lenient_string;

/// Strings up to so many words of eight bytes are looked through without setting up a vector search.
const SHORT: usize = 4;

/// How deep values may lie in each other.
const DEEPEST: u32 = 64;

/// The first byte at or after `at` that is no white space of JSON.
#[inline]
pub(crate) fn skip_white(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

/// The byte after the value at `at`.
#[inline]
pub(crate) fn value(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'{' | b'[' => container(bytes, at),
        _ => scalar(bytes, at),
    }
}

/// Calls `member` with the key of each member of the object at `at` (as written, and whether it has escapes) and the place of its value;
/// `member` gives the byte after the value. Gives the byte after the object.
pub(crate) fn members<'a>(
    text: &'a str,
    at: usize,
    mut member: impl FnMut(&'a str, bool, usize) -> Option<usize>,
) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = skip_white(bytes, at + 1);
    if *bytes.get(at)? == b'}' {
        return Some(at + 1);
    }
    loop {
        let (end, escaped) = quoted(bytes, at)?;
        let value = after_colon(bytes, end)?;
        at = member(text.get(at + 1..end - 1)?, escaped, value)?;
        at = skip_white(bytes, at);
        match bytes.get(at)? {
            b',' => at = skip_white(bytes, at + 1),
            b'}' => return Some(at + 1),
            _ => return None,
        }
    }
}

/// Calls `give` with each member of an object: its key without escapes, and its value as written. The text is one whole value of JSON; one
/// that is no object has no members.
pub(crate) fn each_member<'a>(text: &'a str, mut give: impl FnMut(&str, &'a str)) {
    if !text.starts_with('{') {
        return;
    }
    members(text, 0, |key, escaped, at| {
        let end = value(text.as_bytes(), at)?;
        let value = text.get(at..end)?;
        match escaped {
            false => give(key, value),
            true => give(&lenient_string(&format!("\"{key}\"")), value),
        }
        Some(end)
    });
}

fn scalar(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'"' => Some(quoted(bytes, at)?.0),
        b'-' | b'0'..=b'9' => number(bytes, at),
        b't' => literal(bytes, at, b"true"),
        b'f' => literal(bytes, at, b"false"),
        b'n' => literal(bytes, at, b"null"),
        _ => None,
    }
}

/// The byte after the object or array at `at`.
fn container(bytes: &[u8], mut at: usize) -> Option<usize> {
    // One bit for each value that is open, the innermost lowest: 1 for an object.
    let (mut depth, mut objects) = (0u32, 0u64);
    loop {
        // A value begins here.
        let open = *bytes.get(at)?;
        if matches!(open, b'{' | b'[') {
            if depth == DEEPEST {
                return None;
            }
            depth += 1;
            objects = objects << 1 | u64::from(open == b'{');
            at = skip_white(bytes, at + 1);
            let first = *bytes.get(at)?;
            match (open, first) {
                (b'{', b'}') | (b'[', b']') => {}
                (b'{', _) => {
                    at = after_colon(bytes, quoted(bytes, at)?.0)?;
                    continue;
                }
                _ => continue,
            }
        } else {
            at = scalar(bytes, at)?;
        }
        // A value has ended here, or the innermost open one does.
        loop {
            at = skip_white(bytes, at);
            match (bytes.get(at)?, objects & 1 == 1) {
                (b',', true) => {
                    at = after_colon(bytes, quoted(bytes, skip_white(bytes, at + 1))?.0)?;
                    break;
                }
                (b',', false) => {
                    at = skip_white(bytes, at + 1);
                    break;
                }
                (b'}', true) | (b']', false) => {
                    at += 1;
                    depth -= 1;
                    objects >>= 1;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => return None,
            }
        }
    }
}

/// The value after the colon behind a key that ends before `at`.
#[inline]
fn after_colon(bytes: &[u8], at: usize) -> Option<usize> {
    let at = skip_white(bytes, at);
    (*bytes.get(at)? == b':').then(|| skip_white(bytes, at + 1))
}

/// The byte after the string at `at`, and whether it has escapes.
#[inline]
fn quoted(bytes: &[u8], at: usize) -> Option<(usize, bool)> {
    if *bytes.get(at)? != b'"' {
        return None;
    }
    let start = at + 1;
    match first_odd(bytes, start, SHORT) {
        Some(at) if bytes[at] == b'"' => Some((at + 1, false)),
        Some(at) if bytes[at] != b'\\' => None,
        _ => long(bytes, start),
    }
}

/// How many words of eight bytes are looked at for the next escape.
const NEAR: usize = 6;

fn long(bytes: &[u8], start: usize) -> Option<(usize, bool)> {
    let (mut at, mut escaped) = (start, false);
    loop {
        // Escapes often stand close to each other, and setting up a vector search costs more than looking at a few words.
        let near = first_odd(bytes, at, NEAR).filter(|found| matches!(bytes[*found], b'"' | b'\\'));
        let found = near.or_else(|| Some(at + memchr2(b'"', b'\\', bytes.get(at..)?)?))?;
        if bytes[found] == b'"' {
            let controls = bytes[start..found].iter().fold(false, |any, byte| any | (*byte < 0x20));
            return (!controls).then_some((found + 1, escaped));
        }
        escaped = true;
        at = match bytes.get(found + 1)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => found + 2,
            b'u' if bytes.get(found + 2..found + 6)?.iter().all(u8::is_ascii_hexdigit) => found + 6,
            _ => return None,
        };
    }
}

fn literal(bytes: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    bytes.get(at..at + word.len()).filter(|there| *there == word).map(|_| at + word.len())
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let digits = |from: usize| {
        let count = bytes.get(from..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
        (count > 0).then_some(from + count)
    };
    let start = at + usize::from(bytes[at] == b'-');
    let mut end = digits(start)?;
    if bytes[start] == b'0' && end > start + 1 {
        return None;
    }
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(end) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        end = digits(end + 1 + sign)?;
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::de::IgnoredAny;

    /// Where serde_json says that the value ends.
    fn told(text: &str) -> Option<usize> {
        let mut stream = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
        stream.next()?.ok()?;
        Some(stream.byte_offset())
    }

    fn agree(text: &str) {
        let start = skip_white(text.as_bytes(), 0);
        // A stream wants a delimiter after a number or a literal; a scan of one value does not.
        let ends = value(text.as_bytes(), start);
        let with_end = ends.map(|end| format!("{} ", &text[..end]));
        if let Some(text) = with_end {
            assert_eq!(told(&text), ends, "{text:?}");
        } else {
            assert!(told(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn it_takes_what_serde_json_takes() {
        for text in [
            "{}",
            "[]",
            "[[],{}]",
            "{\"a\":[1,2,{\"b\":null}],\"c\":\"x\"}",
            "0",
            "-0",
            "01",
            "-",
            "1.",
            "1.5e",
            "1e+9",
            "1e-",
            "tru",
            "true",
            "\"a",
            "\"\\u12G4\"",
            "\"\\ud800\"",
            "\"\\x\"",
            "\"tab\there\"",
            "[1,]",
            "{\"a\":1,}",
            "{,}",
            "{\"a\"}",
            "{\"a\":}",
            "[1 2]",
            "{\"a\":1 \"b\":2}",
            "{1:2}",
            "]",
            "",
            " [ 1 , 2 ] ",
            "\"a long string with \\n escapes \\\" and \\\\ more of them\"",
            "\"a long string with a control \u{1} in it\"",
            "[\u{c}1]",
        ] {
            agree(text);
        }
        let deep = format!("{}{}", "[".repeat(65), "]".repeat(65));
        assert_eq!(value(deep.as_bytes(), 0), None);
        assert_eq!(value(&deep.as_bytes()[1..129], 0), Some(128));
    }

    #[test]
    fn members_are_given_with_their_keys_and_values() {
        let mut seen = Vec::new();
        each_member(r#"{"a":1, "\u0062" : {"c":[]} }"#, |key, value| seen.push((key.to_string(), value)));
        assert_eq!(seen, [("a".to_string(), "1"), ("b".to_string(), r#"{"c":[]}"#)]);
        each_member("7", |_, _| panic!("no members"));
    }

    proptest! {
        #[test]
        fn on_any_text_it_agrees_with_serde_json(text in r#"([\[\]{}:, \n]|"[a\\nu0-9"\u{1}]{0,24}|"\\u[0-9a-g]{4}"|-?[0-9.e+-]{1,5}|true|null|"[a-z ]{0,40}"){0,12}"#) {
            agree(&text);
        }
    }
}
