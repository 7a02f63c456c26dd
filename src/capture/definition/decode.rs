//! Payloads to JSON text: strings, bytes, literals of other languages, and records that have no payload at all.

use super::ready::Definition;
use super::schema::Encoding;
use crate::capture::encoded::{Form, json_of};
use crate::capture::literal::{Dialect, translate_into, unquote_into};
use crate::json::scan::{self, skip_white};

/// The text in which the message stands.
#[derive(Clone, Copy)]
pub(super) struct Decoded<'a> {
    pub(super) text: &'a str,
    /// The byte at which the message starts.
    pub(super) start: usize,
    /// True if a byte of the text is a byte of the log.
    pub(super) exact: bool,
    /// True if this is the message as it was sent, not a translation of what the log shows.
    pub(super) native: bool,
    /// How many bytes of the payload were read for it.
    pub(super) used: usize,
}

/// Why a payload could not be decoded.
pub(super) struct Fault {
    pub(super) reason: String,
    pub(super) cut: bool,
}

/// Decodes a payload; `scratch` holds what had to be written anew.
pub(super) fn decode<'a>(
    definition: &Definition,
    payload: &'a str,
    scratch: &'a mut String,
    bytes: &mut Vec<u8>,
) -> Result<Decoded<'a>, Fault> {
    let rules = &definition.payload;
    let all = payload.len();
    let (text, exact, native, used) = match rules.encoding {
        Encoding::Json | Encoding::JsonPretty if rules.strings.is_empty() => (payload, true, true, all),
        Encoding::Json | Encoding::JsonPretty => {
            let used = unfold(payload, &rules.strings, scratch)?;
            (scratch.as_str(), false, false, used)
        }
        Encoding::JsonString => {
            let start = skip_white(payload.as_bytes(), 0);
            let quoted = payload.as_bytes().get(start) == Some(&b'"');
            let ended = quoted.then(|| crate::json::unescape(payload, start + 1, scratch)).flatten();
            let used = ended.ok_or_else(|| Fault { reason: "a string has no end".into(), cut: quoted })?;
            (scratch.as_str(), false, true, used)
        }
        Encoding::Found => {
            let (text, form) = json_of(payload, scratch, bytes)
                .map_err(|fault| Fault { reason: fault.reason.into(), cut: fault.cut })?;
            (text, form == Form::Json, !matches!(form, Form::Printed(_)), all)
        }
        Encoding::PythonBytes => {
            let read = unquote_into(Dialect::Python, payload, bytes);
            let used = read.map_err(|fault| Fault { reason: fault.reason.into(), cut: fault.cut })?;
            scratch.clear();
            scratch.push_str(&String::from_utf8_lossy(bytes));
            (scratch.as_str(), false, true, used)
        }
        Encoding::None => (payload, true, false, all),
        encoding => {
            let dialect = match encoding {
                Encoding::Lua => Dialect::Lua,
                Encoding::Elisp => Dialect::Lisp,
                Encoding::NodeInspect => Dialect::Node,
                _ => Dialect::Python,
            };
            let read = translate_into(dialect, payload, scratch);
            let used = read.map_err(|fault| Fault { reason: fault.reason.into(), cut: fault.cut })?.end;
            (scratch.as_str(), false, false, used)
        }
    };
    let start = match &rules.after {
        None => 0,
        Some(mark) => text.find(mark.as_str()).map_or(0, |at| at + mark.len()),
    };
    Ok(Decoded { text, start, exact, native, used })
}

/// An object in which some members hold their value as a string of JSON; a string that was cut is left out.
fn unfold(payload: &str, strings: &[String], out: &mut String) -> Result<usize, Fault> {
    out.clear();
    out.push_str("{\"jsonrpc\":\"2.0\"");
    let mut members = scan::members(payload);
    let mut inner = String::new();
    for member in members.by_ref().filter(|member| member.key != "jsonrpc") {
        let mut value = member.value;
        if strings.iter().any(|key| key == member.key) && value.starts_with('"') {
            crate::json::unescape(value, 1, &mut inner);
            if serde_json::from_str::<serde::de::IgnoredAny>(&inner).is_err() {
                continue;
            }
            value = &inner;
        }
        out.push_str(",\"");
        out.push_str(member.key);
        out.push_str("\":");
        out.push_str(value);
    }
    out.push('}');
    match members.end() {
        Some(end) => Ok(end),
        None => Err(Fault { reason: "the object has no end".into(), cut: true }),
    }
}
