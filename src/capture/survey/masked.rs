//! What filters put in place of what they take out of messages.

use memchr::memmem;

use crate::json::scan::{skip_white, value_end};
use crate::protocol::is_placeholder;

/// The string at the member `key` (with its quotes) of a message, as written.
pub(super) fn word_at<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let bytes = text.as_bytes();
    let at = memmem::find(bytes, key.as_bytes())? + key.len();
    let at = skip_white(bytes, at);
    let at = skip_white(bytes, (bytes.get(at) == Some(&b':')).then_some(at + 1)?);
    let end = if bytes.get(at) == Some(&b'"') { value_end(bytes, at)? } else { return None };
    text.get(at..end).filter(|value| key == "\"params\"" || is_placeholder(value))
}
