//! Bodies of frames: made of a text, and what they tell of it.

use std::ops::Range;

use crate::capture::{Body, Captured};
use crate::json::scan::skip_white;
use crate::jsonrpc::{NO_OBJECT, Parsed, Unparsable, parse_at};
use crate::protocol::Facts;

/// Whether a message, or a batch of some, asks or answers; `None` for what is no message.
#[inline(always)]
pub(super) fn has_id(body: &Body<'_>) -> Option<bool> {
    match body {
        Body::Message(captured) => Some(captured.message.id.value().is_some()),
        Body::Batch { text, .. } => Some(text.contains("\"id\"")),
        _ => None,
    }
}

/// What a frame's own place in a log holds.
#[inline(always)]
pub(super) fn text_of<'a>(body: &Body<'a>) -> Option<&'a [u8]> {
    match body {
        Body::Message(captured) => Some(captured.text.as_bytes()),
        Body::Batch { text, .. } | Body::Stderr { text } => Some(text.as_bytes()),
        Body::Malformed { bytes, .. } => Some(bytes),
        _ => None,
    }
}

pub(super) fn rest_of(text: &str, end: usize) -> Option<usize> {
    text.as_bytes()[end..].iter().position(|byte| !byte.is_ascii_whitespace() && *byte != 0)
}

/// True for the header of a frame, alone.
pub(super) fn is_header(text: &str) -> bool {
    let length = text.trim_end().strip_prefix("Content-Length:");
    length.is_some_and(|length| length.trim_start().bytes().all(|byte| byte.is_ascii_digit()))
}

/// Why a text is no message, with the byte at which it was noticed.
pub(crate) fn in_words(fault: &Unparsable) -> String {
    match fault.cut {
        // Its place is that of the member itself.
        _ if fault.reason == NO_OBJECT => fault.reason.to_string(),
        true => format!("{} (the text ends after {} bytes)", fault.reason, fault.column),
        false => format!("{} at byte {}", fault.reason, fault.column),
    }
}

/// The body for a message or batch that was parsed in `text`, where it takes `range`.
#[inline(always)]
pub(crate) fn body<'a>(text: &'a str, range: Range<usize>, parsed: Parsed<'a, Facts<'a>>) -> Body<'a> {
    match parsed {
        Parsed::One(message, facts) => Body::Message(Captured { text: &text[range], json: None, message, facts }),
        Parsed::Batch(members) => {
            let own = |member: &Range<usize>| member.start - range.start..member.end - range.start;
            let members =
                members.into_iter().map(|(at, member)| (own(&at), member.map_err(|fault| in_words(&fault)))).collect();
            Body::Batch { text: &text[range], members }
        }
    }
}

/// The body of a text that should be a message or a batch, and nothing beside it.
pub fn body_of(text: &str) -> Body<'_> {
    let start = skip_white(text.as_bytes(), 0);
    let reason = match parse_at::<Facts<'_>>(text, start) {
        Ok((parsed, end)) if rest_of(text, end).is_none() => return body(text, start..end, parsed),
        Ok(_) => MORE_TEXT.to_string(),
        Err(fault) => in_words(&fault),
    };
    Body::Malformed { bytes: text.as_bytes(), reason }
}

/// Why a message with something after it is none.
pub(super) const MORE_TEXT: &str = "more text after the message";
