//! Messages as loggers encode them, and back: strings and bytes as languages quote them, objects as they print them, bytes as
//! numbers, hexadecimal digits or base64, values with their types, and the escapes of HTML, of addresses and of nginx.
//!
//! This is the one room that knows how a logger may have written a text that was sent as JSON. The list is closed, and each entry
//! can be undone. What begins as one of them and cannot be undone is a message that the log does not hold readable.

mod bytes;
mod escapes;
mod form;
mod typed;
mod unquoted;

pub(crate) use bytes::{looks_packed, unpacked};

pub(crate) use form::{Form, form, framing, json_of};
pub(crate) use typed::{KVLIST, plain as from_pairs};
pub(crate) use unquoted::requoted;

use super::events::is_event_stream;
use super::sample::is_message;
use bytes::{beginning, numbers_of};
use form::decode;

/// How many encodings may lie around each other: loggers that write what other loggers wrote quote it once more.
const LAYERS: usize = 4;

/// A text once what a logger made of it is undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Undone {
    /// JSON, or a text that holds some.
    pub text: String,
    /// True if it is a translation of a value that a language printed, and not byte for byte what was sent.
    pub printed: bool,
}

/// What a text says once the outermost encoding is undone, where it is in one and nothing stands behind it.
pub(crate) fn once(text: &str) -> Option<Undone> {
    let text = text.trim();
    if form(text) == Form::Json {
        return None;
    }
    let (mut plain, mut bytes) = (String::new(), Vec::new());
    let (form, end) = decode(text, &mut plain, &mut bytes).ok()?;
    let is_all = text[end..].trim_start().is_empty();
    is_all.then_some(Undone { text: plain, printed: matches!(form, Form::Printed(_)) })
}

/// The message that a text is the encoding of; `None` for what is JSON as it stands and for what is no message.
#[inline]
pub(crate) fn undone(text: &str) -> Option<Undone> {
    // Nearly all texts are JSON, which four bytes tell: `{"ty` and `{"0"` may be bytes that Node printed.
    let is_plain =
        matches!(text.as_bytes(), [b'{', b'"', name @ ..] if !name.starts_with(b"ty") && !name.starts_with(b"0\""));
    if is_plain { None } else { all_undone(text) }
}

#[cold]
fn all_undone(text: &str) -> Option<Undone> {
    let mut found = once(text)?;
    for _ in 1..LAYERS {
        let Some(inner) = once(&found.text) else { break };
        found = Undone { printed: found.printed || inner.printed, ..inner };
    }
    let is_known = is_message(&found.text) || is_event_stream(&found.text) && found.text.contains("jsonrpc");
    is_known.then_some(found)
}

/// The message that an export spelled out with the type of each value.
#[cold]
pub(crate) fn untyped(text: &str) -> Option<Undone> {
    typed::untyped(text).map(|text| Undone { text, printed: true })
}

/// True for a text that begins as an encoding does, whether or not it can be undone: what was sent is not to be read in it.
#[cold]
pub(crate) fn is_encoded(text: &str) -> bool {
    let text = text.trim();
    match form(text) {
        Form::Json => false,
        Form::Packed | Form::Escaped => true,
        // A peer may print what is none, too.
        Form::Printed(_) | Form::Quoted(_) => text.contains("jsonrpc"),
    }
}

/// True for an encoded text, whether or not it can be undone, that begins as a message does.
#[cold]
pub(crate) fn begins_message(text: &str) -> bool {
    let plain = beginning(text);
    let begins = |start: &str| ["{\"jsonrpc\"", "{\"id\":", "{\"method\":", "{\"result\":"].contains(&start);
    form(text) != Form::Json && (text.contains("jsonrpc") || (6..12).any(|end| plain.get(..end).is_some_and(begins)))
}

/// The text that a value of JSON holds as numbers, where it is made of them.
pub(crate) fn text_in(value: &serde_json::Value) -> Option<String> {
    use serde_json::Value;
    let may_be = match value {
        Value::Array(list) => list.len() > 1 && list.iter().all(Value::is_number),
        Value::Object(members) => members.get("type").is_some_and(|kind| kind == "Buffer") || members.contains_key("0"),
        _ => false,
    };
    may_be.then(|| numbers_of(&value.to_string())).flatten()
}

#[cfg(test)]
mod tests;
