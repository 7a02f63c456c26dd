//! JSON strings as text.

use std::borrow::Cow;

use super::quick::{SHORT, odd_in, quote_or_escape};

/// Unescapes a JSON string given with its quotes. Lone surrogates become U+FFFD; it never fails.
pub(crate) fn lenient_string(raw: &str) -> Cow<'_, str> {
    let inner = raw.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(raw);
    let Some(mut at) = memchr::memchr(b'\\', inner.as_bytes()) else { return Cow::Borrowed(inner) };
    let mut out = String::with_capacity(inner.len());
    out.push_str(&inner[..at]);
    while at < inner.len() {
        let (c, end) = read_escape(inner, at);
        out.extend(c);
        at = end;
        let run = memchr::memchr(b'\\', &inner.as_bytes()[at..]).unwrap_or(inner.len() - at);
        out.push_str(&inner[at..at + run]);
        at += run;
    }
    Cow::Owned(out)
}

/// Reads the string whose content starts at `at`: the byte of its closing quote, and what it says where that is not what is written.
/// `room` is used for that, and may be used again.
pub(crate) fn read_string(text: &str, at: usize, room: &mut Vec<u8>) -> Option<(usize, Option<String>)> {
    let odd = quote_or_escape(text.as_bytes(), at)?;
    if text.as_bytes()[odd] == b'"' {
        return Some((odd, None));
    }
    room.clear();
    room.reserve(text.len() - at);
    let end = unescape_and_add(text, at, room)?;
    Some((end, Some(simdutf8::basic::from_utf8(room).unwrap_or_default().to_string())))
}

/// Unescapes the string whose content starts at `at` into `out`, and gives the byte of its closing quote.
/// A lone surrogate cannot be written in UTF-8 and becomes U+FFFD.
pub(crate) fn unescape(text: &str, at: usize, out: &mut String) -> Option<usize> {
    let mut said = std::mem::take(out).into_bytes();
    said.clear();
    let end = unescape_and_add(text, at, &mut said);
    // Of a text only whole characters are copied.
    *out = String::from_utf8(said).unwrap_or_default();
    end
}

fn unescape_and_add(text: &str, at: usize, out: &mut Vec<u8>) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut from = at;
    loop {
        let odd = copy_run(bytes, from, out)?;
        if bytes[odd] == b'"' {
            return Some(odd);
        }
        from = match bytes.get(odd + 1)? {
            // JSON in a string is full of it.
            itself @ (b'"' | b'\\' | b'/') => {
                out.push(*itself);
                odd + 2
            }
            _ => {
                let (c, end) = read_escape(text, odd);
                let mut utf8 = [0; 4];
                out.extend_from_slice(c.map_or("", |c| c.encode_utf8(&mut utf8)).as_bytes());
                end
            }
        };
    }
}

/// Copies what stands for itself, up to the next quote or backslash, and gives the byte of that. Most runs in JSON in a string are short:
/// they are copied a word at a time, while it is looked for.
#[inline]
fn copy_run(bytes: &[u8], mut at: usize, out: &mut Vec<u8>) -> Option<usize> {
    for _ in 0..SHORT {
        let Some(word) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) else { break };
        match odd_in(*word) {
            None => {
                out.extend_from_slice(word);
                at += 8;
            }
            Some(odd) if matches!(word[odd], b'"' | b'\\') => {
                let length = out.len() + odd;
                out.extend_from_slice(word);
                out.truncate(length);
                return Some(at + odd);
            }
            // A control character, which is not JSON, and stands for itself.
            Some(_) => break,
        }
    }
    let odd = quote_or_escape(bytes, at)?;
    out.extend_from_slice(&bytes[at..odd]);
    Some(odd)
}

/// What the escape at `at` stands for, and the byte after it. Where it is none of JSON, the backslash alone is passed over; four
/// digits that are none become U+FFFD. Bytes as nginx escapes them (`\x22`) are read, for its logs call that JSON.
#[inline]
fn read_escape(text: &str, at: usize) -> (Option<char>, usize) {
    match (escape(text, at), text.as_bytes().get(at + 1)) {
        (Some((unit, end)), _) => (Some(unit.unwrap_or(char::REPLACEMENT_CHARACTER)), end),
        (None, Some(b'x')) => hex_bytes(text.as_bytes(), at).map_or((None, at + 1), |(c, end)| (Some(c), end)),
        (None, Some(b'u')) => (Some(char::REPLACEMENT_CHARACTER), at + 2),
        (None, Some(_)) => (None, at + 1),
        (None, None) => (Some('\\'), at + 1),
    }
}

/// The escape whose backslash is at `at`: the character that it stands for, or half of a pair that lacks the other, and the byte
/// after it. `None` where JSON has no such escape.
pub(crate) fn escape(text: &str, at: usize) -> Option<(Result<char, u16>, usize)> {
    let bytes = text.as_bytes();
    let plain = match bytes.get(at + 1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        other @ (b'"' | b'\\' | b'/') => char::from(*other),
        b'u' => return units(bytes, at),
        _ => return None,
    };
    Some((Ok(plain), at + 2))
}

/// `\uXXXX`, or two of them that make a pair.
fn units(bytes: &[u8], at: usize) -> Option<(Result<char, u16>, usize)> {
    let first = hex4(bytes, at)?;
    if let Some(c) = char::from_u32(u32::from(first)) {
        return Some((Ok(c), at + 6));
    }
    let second = hex4(bytes, at + 6).filter(|second| first < 0xDC00 && matches!(second, 0xDC00..=0xDFFF));
    let pair = second.map(|second| 0x10000 + ((u32::from(first) - 0xD800) << 10) + (u32::from(second) - 0xDC00));
    match pair.and_then(char::from_u32) {
        Some(c) => Some((Ok(c), at + 12)),
        None => Some((Err(first), at + 6)),
    }
}

/// The character of one to four bytes, each written as `\xHH`, and the byte after them.
fn hex_bytes(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let first = hex2(bytes, at)?;
    let count = match first {
        0..=0x7F => 1,
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        _ => 4,
    };
    let all: Vec<u8> = (0..count).map_while(|place| hex2(bytes, at + 4 * place)).collect();
    let c = std::str::from_utf8(&all).ok().and_then(|text| text.chars().next());
    Some(c.map_or((char::REPLACEMENT_CHARACTER, at + 4), |c| (c, at + 4 * all.len())))
}

fn hex2(bytes: &[u8], at: usize) -> Option<u8> {
    let digits = bytes.get(at..at + 4)?.strip_prefix(b"\\x")?;
    digits.iter().try_fold(0u8, |value, digit| Some(value << 4 | char::from(*digit).to_digit(16)? as u8))
}

/// A text in which bytes are escaped as nginx does it (`\x22`), with the escapes that JSON has for characters of these numbers; nothing
/// where there are none.
pub(crate) fn without_byte_escapes(text: &str) -> Option<String> {
    let mut found = None;
    let mut from = 0;
    while let Some(at) = memchr::memchr(b'\\', &text.as_bytes()[from..]).map(|at| from + at) {
        let out: &mut String = found.get_or_insert_default();
        let is_byte = hex2(text.as_bytes(), at).is_some();
        // What is escaped is looked at with its backslash: of two of them the second begins nothing.
        let next = text[at + 1..].chars().next().map_or(text.len(), |c| at + 1 + c.len_utf8());
        out.push_str(&text[from..at]);
        out.push_str(if is_byte { "\\u00" } else { &text[at..next] });
        from = next;
    }
    found.filter(|out| out.len() + (text.len() - from) != text.len()).map(|out| out + &text[from..])
}

fn hex4(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0u16, |value, digit| Some(value << 4 | char::from(*digit).to_digit(16)? as u16))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn surrogates_pair_or_are_replaced() {
        let mut out = String::new();
        let text = r#"a\ud83d\ude00\ud83dx\u00e9\/"#.to_string() + "\"";
        assert_eq!(unescape(&text, 0, &mut out), Some(text.len() - 1));
        assert_eq!(out, "a😀\u{fffd}xé/");
        assert_eq!(lenient_string(&format!("\"{text}")), out);
    }

    #[test]
    fn what_is_no_escape_is_taken_as_it_is() {
        for (raw, text) in [
            (r#""\q\é""#, "qé"),
            (r#""\u12g4""#, "\u{fffd}12g4"),
            (r#""\x2g""#, "x2g"),
            (r#""\u+123""#, "\u{fffd}+123"),
            (r"\", r"\"),
            (r#""\ude00\ud83d""#, "\u{fffd}\u{fffd}"),
        ] {
            assert_eq!(lenient_string(raw), text, "{raw}");
        }
    }

    #[test]
    fn bytes_that_nginx_escapes_are_read() {
        for (raw, text) in [
            (r#""{\x22a\x22:\x22\x5C\x22\x22}""#, r#"{"a":"\""}"#),
            (r#""\xD0\xB0\xE2\x82\xAC""#, "а€"),
            (r#""\xD0 \xFF\x80""#, "\u{fffd} \u{fffd}\u{fffd}"),
        ] {
            assert_eq!(lenient_string(raw), text, "{raw}");
        }
        assert_eq!(without_byte_escapes(r#"{"a":"\x22\\x22é\é"}"#).as_deref(), Some(r#"{"a":"\u0022\\x22é\é"}"#));
        for text in [r#"{"a":"\\x22\n"}"#, "", "\\"] {
            assert_eq!(without_byte_escapes(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn unescape_undoes_serde(text in ".*") {
            let quoted = serde_json::to_string(&text).expect("a string");
            let mut out = String::new();
            prop_assert_eq!(unescape(&quoted, 1, &mut out), Some(quoted.len() - 1));
            prop_assert_eq!(lenient_string(&quoted), text.as_str());
            let (end, said) = read_string(&quoted, 1, &mut Vec::new()).expect("a string");
            prop_assert_eq!((end, said.unwrap_or(text.clone())), (quoted.len() - 1, text.clone()));
            prop_assert_eq!(out, text);
        }

        #[test]
        fn no_text_makes_it_panic(text in "[\"\\\\ux0-9dé ]{0,40}") {
            let mut out = String::new();
            let _ = without_byte_escapes(&text);
            let _ = unescape(&text, 0, &mut out);
            lenient_string(&text);
        }
    }
}
