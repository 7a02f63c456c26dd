//! What filters put in place of what they take out of messages.

use crate::json::scan::{skip_white, value_end};

/// True for a JSON string that a filter puts in place of what it takes out: `"***"`, `"[REDACTED]"`, `"<masked>"`.
pub(super) fn is_placeholder(written: &str) -> bool {
    let Some(text) = written.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else { return false };
    let stars = !text.is_empty() && text.chars().all(|c| matches!(c, '*' | 'x' | 'X' | '#' | '•' | '█' | '.' | '-'));
    let says = [
        "redact",
        "mask",
        "filter",
        "hidden",
        "removed",
        "scrub",
        "omitted",
        "sanitiz",
        "censor",
        "obfuscat",
        "anonymi",
        "secret",
        "sensitive",
        "truncated",
    ];
    let holds = |sign: &str| text.as_bytes().windows(sign.len()).any(|word| word.eq_ignore_ascii_case(sign.as_bytes()));
    stars && text.len() > 1 || says.iter().any(|sign| holds(sign))
}

/// The string at the member `key` (with its quotes) of a message, as written.
pub(super) fn word_at<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let bytes = text.as_bytes();
    let at = text.find(key)? + key.len();
    let at = skip_white(bytes, at);
    let at = skip_white(bytes, (bytes.get(at) == Some(&b':')).then_some(at + 1)?);
    let end = value_end(bytes, at)?;
    text.get(at..end).filter(|value| value.starts_with('"') && (key == "\"params\"" || is_placeholder(value)))
}
