//! The escapes of HTML and of addresses.

/// True if a text begins with the escape of a quote or of a brace in HTML.
pub(super) fn is_entity(text: &str) -> bool {
    ["&quot;", "&#34;", "&#x22;", "&#123;", "&#x7b;", "&#x7B;"].iter().any(|entity| text.starts_with(entity))
}

/// A text without the escapes of HTML, each of which stands for one character.
pub(super) fn from_html(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        let end = at + rest[at..].find(';')?;
        plain.push(character(&rest[at + 1..end])?);
        rest = &rest[end + 1..];
    }
    plain.push_str(rest);
    Some(plain)
}

/// The character that a name stands for, or a number.
fn character(name: &str) -> Option<char> {
    let code = |digits: &str, radix| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
    match name {
        "quot" => Some('"'),
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "apos" => Some('\''),
        "nbsp" => Some('\u{a0}'),
        _ => match name.strip_prefix('#')? {
            hex if hex.starts_with(['x', 'X']) => code(&hex[1..], 16),
            digits => code(digits, 10),
        },
    }
}

/// A text without the escapes of addresses. Where no blank stands in it, a plus is one.
pub(super) fn from_percent(text: &str) -> Option<String> {
    let plus = if text.contains([' ', '"']) || text.contains("%20") { b'+' } else { b' ' };
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        bytes.push(match first {
            b'%' => {
                let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
                rest = &tail[2..];
                u8::from_str_radix(digits, 16).ok()?
            }
            b'+' => plus,
            other => *other,
        });
    }
    String::from_utf8(bytes).ok()
}
