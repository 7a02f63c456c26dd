//! One wrapper in one pass: its keys by a scan, its message by the validating parser, where it stands.

use std::ops::Range;

use super::layout::{Node, Want};
use crate::json::listed::members;
use crate::json::scan::{closing_quote, skip_white, value_end};
use crate::json::unescape;
use crate::jsonrpc::{NoLift, Parsed, Unparsable, parse_at};
use crate::protocol::Facts;

/// What a wrapper held.
#[derive(Default)]
pub(crate) struct Envelope<'a> {
    /// The direction word as written, without quotes.
    pub direction: Option<&'a str>,
    /// The time as written, without quotes.
    pub time: Option<&'a str>,
    /// The nanoseconds that belong to it, as written, without quotes.
    pub nanos: Option<&'a str>,
    /// Name of the connection, as written, without quotes.
    pub connection: Option<&'a str>,
    /// Name of the session, as written, without quotes.
    pub session: Option<&'a str>,
    /// The message.
    pub message: Slot<'a>,
}

impl Envelope<'_> {
    /// True if something stands where the message is kept.
    pub(super) fn has_message(&self) -> bool {
        !matches!(self.message, Slot::None | Slot::Other)
    }

    /// True if it names a session or a connection.
    pub(super) fn names_connection(&self) -> bool {
        [self.session, self.connection].into_iter().flatten().any(|name| !name.is_empty())
    }

    /// True if the message is whole, whatever became of what stands around it.
    pub(crate) fn is_whole(&self, text: &str) -> bool {
        match &self.message {
            Slot::Parsed(..) => true,
            Slot::Text(range) => {
                let mut message = String::new();
                unescape(text, range.start, &mut message);
                parse_at::<NoLift>(&message, 0).is_ok()
            }
            Slot::None | Slot::Broken(..) | Slot::Other => false,
        }
    }
}

/// What stood where the message is kept.
#[derive(Default)]
pub(crate) enum Slot<'a> {
    /// Nothing.
    #[default]
    None,
    /// A message or a batch, and where its text stands.
    Parsed(Parsed<'a, Facts<'a>>, Range<usize>),
    /// An object or array that is no message.
    Broken(Unparsable, Range<usize>),
    /// A string; where its content stands.
    Text(Range<usize>),
    /// `null`, a number or a boolean.
    Other,
}

/// Why a wrapper could not be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It does not start with a brace.
    NoObject,
    /// It ends too early.
    Cut,
    /// It is no JSON.
    Broken,
}

/// Reads the wrapper at `at`; gives the byte after it.
pub(crate) fn read<'a>(text: &'a str, at: usize, node: &Node, found: &mut Envelope<'a>) -> Result<usize, Fault> {
    let bytes = text.as_bytes();
    let byte = |at: usize| bytes.get(at).copied().ok_or(Fault::Cut);
    let mut at = skip_white(bytes, at);
    if byte(at)? != b'{' {
        return Err(Fault::NoObject);
    }
    at = skip_white(bytes, at + 1);
    if byte(at)? == b'}' {
        return Ok(at + 1);
    }
    // Keys come in the same order on every line: the next wanted one is most often the one after the last.
    let mut next = 0;
    loop {
        if byte(at)? != b'"' {
            return Err(Fault::Broken);
        }
        let end = closing_quote(bytes, at + 1).ok_or(Fault::Cut)?;
        let key = &text[at + 1..end];
        at = skip_white(bytes, end + 1);
        if byte(at)? != b':' {
            return Err(Fault::Broken);
        }
        at = skip_white(bytes, at + 1);
        let is = |(wanted, _): &(Box<str>, Want)| **wanted == *key;
        let place = if node.0.get(next).is_some_and(is) { Some(next) } else { node.0.iter().position(is) };
        at = match place {
            None => value_end(bytes, at).ok_or(Fault::Cut)?,
            Some(place) => {
                next = place + 1;
                wanted(text, at, &node.0[place].1, found)?
            }
        };
        at = skip_white(bytes, at);
        match byte(at)? {
            b',' => at = skip_white(bytes, at + 1),
            b'}' => return Ok(at + 1),
            _ => return Err(Fault::Broken),
        }
        // A comma before the closing brace is no JSON, but common.
        if byte(at)? == b'}' {
            return Ok(at + 1);
        }
    }
}

fn wanted<'a>(text: &'a str, at: usize, want: &Want, found: &mut Envelope<'a>) -> Result<usize, Fault> {
    let bytes = text.as_bytes();
    let slot = match want {
        Want::Message => return message(text, at, found),
        Want::Inside(inner) => {
            return match bytes.get(at) {
                Some(b'{') => read(text, at, inner, found),
                Some(b'[') => listed(text, at, inner, found),
                _ => value_end(bytes, at).ok_or(Fault::Cut),
            };
        }
        Want::Direction => &mut found.direction,
        Want::Time => &mut found.time,
        Want::Nanos => &mut found.nanos,
        Want::Connection => &mut found.connection,
        Want::Session => &mut found.session,
    };
    if bytes.get(at) == Some(&b'"') {
        let end = closing_quote(bytes, at + 1).ok_or(Fault::Cut)?;
        *slot = Some(&text[at + 1..end]);
        return Ok(end + 1);
    }
    let end = value_end(bytes, at).ok_or(Fault::Cut)?;
    *slot = Some(&text[at..end]).filter(|value| *value != "null");
    Ok(end)
}

/// What is wanted of a list that means an object.
#[cold]
fn listed<'a>(text: &'a str, at: usize, node: &Node, found: &mut Envelope<'a>) -> Result<usize, Fault> {
    let read = members(text, at, &mut |name, at| match node.0.iter().find(|(key, _)| **key == *name) {
        Some((_, want)) => wanted(text, at, want, found).ok(),
        None => value_end(text.as_bytes(), at),
    });
    read.ok_or(Fault::Cut)
}

fn message<'a>(text: &'a str, at: usize, found: &mut Envelope<'a>) -> Result<usize, Fault> {
    let bytes = text.as_bytes();
    match bytes.get(at) {
        Some(b'{' | b'[') => match parse_at::<Facts<'a>>(text, at) {
            Ok((parsed, end)) => {
                found.message = Slot::Parsed(parsed, at..end);
                Ok(end)
            }
            Err(fault) => {
                let end = value_end(bytes, at);
                if end.is_none() && fault.cut {
                    return Err(Fault::Cut);
                }
                let end = end.unwrap_or(text.len());
                found.message = Slot::Broken(fault, at..end);
                Ok(end)
            }
        },
        Some(b'"') => {
            let end = closing_quote(bytes, at + 1).ok_or(Fault::Cut)?;
            found.message = Slot::Text(at + 1..end);
            Ok(end + 1)
        }
        _ => {
            if matches!(found.message, Slot::None) {
                found.message = Slot::Other;
            }
            value_end(bytes, at).ok_or(Fault::Cut)
        }
    }
}
