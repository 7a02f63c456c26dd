//! String literals of all dialects: quotes, prefixes and escapes.

use memchr::memchr2;

use super::{Dialect, Fault};

/// The first byte that JSON escapes, or that is `quote`. Eight bytes at a time: most strings are short, and there are many.
pub(super) fn special(bytes: &[u8], quote: u8) -> Option<usize> {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const TOPS: u64 = ONES << 7;
    let equals = |word: u64, byte: u8| {
        let difference = word ^ (ONES * u64::from(byte));
        difference.wrapping_sub(ONES) & !difference
    };
    let mut chunks = bytes.chunks_exact(8);
    for (index, chunk) in chunks.by_ref().enumerate() {
        let word = chunk.iter().rev().fold(0u64, |word, byte| word << 8 | u64::from(*byte));
        let low = word.wrapping_sub(ONES * 0x20) & !word;
        let found = (low | equals(word, b'"') | equals(word, b'\\') | equals(word, quote)) & TOPS;
        if found != 0 {
            return Some(index * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    let rest = chunks.remainder();
    let at = rest.iter().position(|byte| *byte < 0x20 || matches!(byte, b'"' | b'\\') || *byte == quote)?;
    Some(bytes.len() - rest.len() + at)
}

/// The closing quote of a literal that starts with its quote and holds nothing that JSON escapes, where that is so.
pub(super) fn plain_end(bytes: &[u8]) -> Option<usize> {
    let quote = *bytes.first().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
    let end = 1 + special(&bytes[1..], quote)?;
    (bytes[end] == quote && bytes.get(..3) != Some(&[quote; 3])).then_some(end)
}

/// See [`super::unquote_into`].
pub(super) fn unquote(dialect: Dialect, text: &str, out: &mut Vec<u8>) -> Result<usize, Fault> {
    out.clear();
    let bytes = text.as_bytes();
    let mut at = bytes.iter().take(3).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let raw = dialect == Dialect::Python && bytes[..at].iter().any(|byte| matches!(byte, b'r' | b'R'));
    let Some(quote) = bytes.get(at).copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`')) else {
        return Err(Fault { at, reason: "a string was expected", cut: at >= bytes.len() });
    };
    let triple = dialect == Dialect::Python && bytes.get(at..at + 3) == Some(&[quote; 3]);
    let closing = if triple { 3 } else { 1 };
    at += closing;
    loop {
        let Some(found) = bytes.get(at..).and_then(|rest| memchr2(quote, b'\\', rest)) else {
            out.extend_from_slice(bytes.get(at..).unwrap_or_default());
            return Err(Fault { at: bytes.len(), reason: "a string has no end", cut: true });
        };
        out.extend_from_slice(&bytes[at..at + found]);
        at += found;
        if bytes[at] == b'\\' {
            if raw {
                out.extend_from_slice(&bytes[at..bytes.len().min(at + 2)]);
                at += 2;
            } else {
                at = escape(dialect, text, at, out);
            }
        } else if bytes[at..].iter().take(closing).filter(|byte| **byte == quote).count() == closing {
            return Ok(at + closing);
        } else {
            out.push(quote);
            at += 1;
        }
    }
}

/// The escape at `at`; gives the byte after it.
fn escape(dialect: Dialect, text: &str, at: usize, out: &mut Vec<u8>) -> usize {
    let bytes = text.as_bytes();
    let Some(kind) = bytes.get(at + 1) else { return at + 1 };
    let plain = match kind {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 8,
        b'f' => 12,
        b'v' => 11,
        b'a' => 7,
        b'e' if dialect == Dialect::Lisp => 27,
        b'x' => return hex(text, at + 2, 2, dialect, out),
        b'u' if bytes.get(at + 2) == Some(&b'{') => {
            let end = at + 3 + bytes[at + 3..].iter().take(8).take_while(|byte| byte.is_ascii_hexdigit()).count();
            push_code(u32::from_str_radix(&text[at + 3..end], 16).ok(), out);
            return end + usize::from(bytes.get(end) == Some(&b'}'));
        }
        b'u' => return units(bytes, at, out),
        b'U' => return hex(text, at + 2, 8, dialect, out),
        b'0'..=b'9' => return digits(dialect, text, at + 1, out),
        // A line end after a backslash belongs to the source, not to the string.
        b'\n' if dialect != Dialect::Lua => return at + 2,
        b' ' if dialect == Dialect::Lisp => return at + 2,
        other if other.is_ascii() => *other,
        _ => return at + 1,
    };
    out.push(plain);
    at + 2
}

/// `\ddd`: decimal in Lua, octal elsewhere; a byte, or in Lisp a raw byte just so.
fn digits(dialect: Dialect, text: &str, at: usize, out: &mut Vec<u8>) -> usize {
    let radix = if dialect == Dialect::Lua { 10 } else { 8 };
    let is = |byte: &&u8| (**byte as char).is_digit(radix);
    let length = text.as_bytes()[at..].iter().take(3).take_while(is).count();
    let value = u32::from_str_radix(&text[at..at + length], radix).ok();
    match value.and_then(|value| u8::try_from(value).ok()) {
        Some(byte) => out.push(byte),
        None => push_code(None, out),
    }
    at + length.max(1)
}

/// `\xNN` is a byte in Lua, Lisp and Python's bytes, and a character in Node and in Python's text; below 0x80 both
/// are one. A whole log of bytes is what matters: `b'\xc3\xa9'` must give `é`.
fn hex(text: &str, at: usize, most: usize, dialect: Dialect, out: &mut Vec<u8>) -> usize {
    let length = text.as_bytes()[at..].iter().take(most).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let value = u32::from_str_radix(&text[at..at + length], 16).ok();
    let is_text = dialect == Dialect::Node || dialect == Dialect::Python && !text.starts_with(['b', 'B']);
    match value.map(u8::try_from) {
        Some(Ok(byte)) if !is_text => out.push(byte),
        _ => push_code(value, out),
    }
    at + length
}

/// `\uXXXX`, or two that make a pair.
fn units(bytes: &[u8], at: usize, out: &mut Vec<u8>) -> usize {
    let unit = |at: usize| {
        let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        digits.iter().try_fold(0u32, |value, digit| Some(value << 4 | (*digit as char).to_digit(16)?))
    };
    match (unit(at), unit(at + 6)) {
        (Some(high @ 0xD800..=0xDBFF), Some(low @ 0xDC00..=0xDFFF)) => {
            push_code(Some(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)), out);
            at + 12
        }
        (Some(code), _) => {
            push_code(Some(code), out);
            at + 6
        }
        (None, _) => {
            push_code(None, out);
            at + 2
        }
    }
}

fn push_code(code: Option<u32>, out: &mut Vec<u8>) {
    let c = code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}
