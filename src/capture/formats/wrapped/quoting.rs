//! Texts of prose that quote messages.

use crate::capture::anywhere::next;
use crate::capture::encoded::json_of;
use crate::capture::out::Out;

/// True for a text whose messages were handed on lately.
#[cold]
pub(super) fn quotes(text: &str, out: &Out<'_>) -> bool {
    let (mut at, mut quotes) = (0, false);
    let (mut json, mut bytes) = (String::new(), Vec::new());
    while let Some(found) = next(text, at) {
        let span = &text[found.start..found.end];
        quotes = json_of(span, &mut json, &mut bytes).is_ok_and(|(json, _)| out.has_heard_text(json));
        if !quotes {
            return false;
        }
        at = found.end.max(at + 1);
    }
    quotes
}
