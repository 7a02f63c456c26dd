//! How a payload is written, by how it begins, and the JSON in it.

use memchr::memchr;

use super::bytes::{is_buffer, looks_packed, plain};
use super::escapes::{from_html, from_percent, is_entity};
use crate::capture::literal::{Dialect, Fault, translate_into, unquote_into};
use crate::json::scan::skip_white;

/// How a payload is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// JSON as it was sent, or nothing that is known here.
    Json,
    /// A string or bytes that hold JSON.
    Quoted(Dialect),
    /// JSON within a string that holds more.
    Escaped,
    /// An object as a language prints it.
    Printed(Dialect),
    /// Bytes as numbers, digits or base64, or JSON with the escapes of HTML or of addresses.
    Packed,
}

/// The form of a payload, by how it begins.
pub(crate) fn form(payload: &str) -> Form {
    let bytes = payload.as_bytes();
    match bytes.first() {
        Some(b'{') => match bytes.get(skip_white(bytes, 1)) {
            Some(b':') => Form::Printed(Dialect::Node),
            Some(b'\\') => Form::Escaped,
            Some(b'&' | b'%') => Form::Packed,
            Some(b'"') if is_buffer(bytes) => Form::Packed,
            Some(b'"' | b'\'') if points_at_values(bytes) => Form::Printed(Dialect::Node),
            Some(b'\'') => Form::Printed(Dialect::Python),
            Some(byte) if byte.is_ascii_alphabetic() || *byte == b'_' => Form::Printed(Dialect::Node),
            _ => Form::Json,
        },
        Some(b'[') => match payload[1..].trim_start() {
            first if first.starts_with('{') && !is_buffer(first.as_bytes()) => form(first),
            // The numbers of a brace and of a bracket: a message begins with one of them.
            first if first.starts_with("123") || first.starts_with("91,") || first.starts_with("91 ") => Form::Packed,
            first if is_entity(first) => Form::Packed,
            _ => Form::Json,
        },
        Some(b'b' | b'B') if matches!(bytes.get(1), Some(b'"' | b'\'')) => Form::Quoted(Dialect::Python),
        Some(b'"' | b'\'' | b'`') => Form::Quoted(Dialect::Node),
        Some(b'\\') if bytes.starts_with(b"\\u00") || bytes.get(4) == Some(&b'\\') => Form::Escaped,
        _ => packed(payload),
    }
}

fn packed(payload: &str) -> Form {
    let is_address = || payload.get(..3).is_some_and(|start| ["%7B", "%5B"].contains(&&*start.to_ascii_uppercase()));
    match looks_packed(payload) || is_entity(payload) || is_address() {
        true => Form::Packed,
        false => Form::Json,
    }
}

/// True for an object whose first key has an arrow behind it, as hashes of Ruby and Perl have, maps of Elixir, and those of Node.
fn points_at_values(bytes: &[u8]) -> bool {
    let quote = skip_white(bytes, 1);
    let end = memchr(bytes[quote], &bytes[quote + 1..]).map(|length| skip_white(bytes, quote + 2 + length));
    end.is_some_and(|end| bytes[end..].starts_with(b"=>"))
}

/// The JSON in a payload; `scratch` and `bytes` hold what had to be written anew. A fault says whether the text was cut.
pub(crate) fn json_of<'a>(
    payload: &'a str,
    scratch: &'a mut String,
    bytes: &mut Vec<u8>,
) -> Result<(&'a str, Form), Fault> {
    match decode(payload, scratch, bytes)? {
        (Form::Json, _) => Ok((payload, Form::Json)),
        (form, _) => Ok((scratch, form)),
    }
}

/// The form of a payload and the byte at which it ends; what it holds stands in `scratch`, unless it is JSON as it is.
pub(super) fn decode(payload: &str, scratch: &mut String, bytes: &mut Vec<u8>) -> Result<(Form, usize), Fault> {
    let form = form(payload);
    let end = match form {
        Form::Json => payload.len(),
        Form::Quoted(dialect) => {
            let end = unquote_into(dialect, payload, bytes)?;
            let text = String::from_utf8_lossy(bytes);
            scratch.clear();
            scratch.push_str(&text[framing(&text)..]);
            end
        }
        Form::Escaped => {
            unescape(payload, bytes)?;
            scratch.clear();
            scratch.push_str(&String::from_utf8_lossy(bytes));
            payload.len()
        }
        Form::Printed(dialect) => translate_into(dialect, payload, scratch)?.end,
        Form::Packed => {
            let cut = Fault { at: payload.len(), reason: "its encoding cannot be undone", cut: true };
            *scratch = packed_text(payload).ok_or(cut)?;
            payload.len()
        }
    };
    Ok((form, end))
}

/// The bytes of a text with escapes and without its quotes: those of nginx are bytes, those of languages are characters.
fn unescape(payload: &str, bytes: &mut Vec<u8>) -> Result<usize, Fault> {
    match payload.contains("\\x22") {
        true => unquote_into(Dialect::Python, &format!("b\"{payload}\""), bytes),
        false => unquote_into(Dialect::Node, &format!("\"{payload}\""), bytes),
    }
}

fn packed_text(payload: &str) -> Option<String> {
    let payload = payload.trim();
    match payload.as_bytes().first()? {
        b'%' => from_percent(payload),
        _ if payload.starts_with("{%") => from_percent(payload),
        _ if payload.contains('&') => from_html(payload),
        _ => plain(payload),
    }
}

/// The length of the header block with which a text begins, where it is a frame of `Content-Length`.
pub(crate) fn framing(text: &str) -> usize {
    let is_header = text.starts_with("Content-") || text.starts_with("content-");
    let end = |blank: &str| text.find(blank).map(|at| at + blank.len());
    is_header.then(|| end("\r\n\r\n").or_else(|| end("\n\n"))).flatten().unwrap_or(0)
}
