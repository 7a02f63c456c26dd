//! What filters put in place of what they take out of messages.

use crate::json::scan::{skip_white, value_end};
use crate::protocol::is_placeholder;

/// The string at the member `key` (with its quotes) of a message, as written.
pub(super) fn word_at<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let bytes = text.as_bytes();
    let at = text.find(key)? + key.len();
    let at = skip_white(bytes, at);
    let at = skip_white(bytes, (bytes.get(at) == Some(&b':')).then_some(at + 1)?);
    let end = value_end(bytes, at)?;
    text.get(at..end).filter(|value| value.starts_with('"') && (key == "\"params\"" || is_placeholder(value)))
}
