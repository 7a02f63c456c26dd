//! JSON strings as text.

use std::borrow::Cow;

/// Unescapes a JSON string given with its quotes. Lone surrogates become U+FFFD; it never fails.
pub fn lenient_string(raw: &str) -> Cow<'_, str> {
    let inner = raw.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(raw);
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    let mut out = String::with_capacity(inner.len());
    let mut units: Vec<u16> = Vec::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('u') => {
                units.clear();
                units.push(hex4(&mut chars));
                // A surrogate pair is two escapes in a row.
                while chars.as_str().starts_with("\\u") {
                    chars.next();
                    chars.next();
                    units.push(hex4(&mut chars));
                }
                out.extend(char::decode_utf16(units.iter().copied()).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
            }
            Some(other) => out.push(other),
            None => out.push('\\'),
        }
    }
    Cow::Owned(out)
}

fn hex4(chars: &mut std::str::Chars<'_>) -> u16 {
    let mut value = 0u16;
    for _ in 0..4 {
        let digit = chars.clone().next().and_then(|c| c.to_digit(16));
        let Some(digit) = digit else { return 0xFFFD };
        chars.next();
        value = value << 4 | digit as u16;
    }
    value
}
