//! From a translated message to a frame: the text as captured, its JSON beside it.

use super::{Dialect, Read, translate_into};
use crate::capture::out::{Out, body, in_words};
use crate::capture::place::Place;
use crate::capture::{Body, Captured, Skip};
use crate::error::Result;
use crate::jsonrpc::{Parsed, Unparsable, parse_at};
use crate::protocol::Facts;

/// Hands on a message whose text is `raw` and whose JSON, all of it, is `json`.
pub(crate) fn put_json(out: &mut Out<'_>, place: &Place, raw: &str, json: &str) -> Result<()> {
    put_parsed(out, place, raw, json, parse_at(json, 0))
}

/// The same with what the parser said of the JSON.
pub(crate) fn put_parsed(
    out: &mut Out<'_>,
    place: &Place,
    raw: &str,
    json: &str,
    parsed: std::result::Result<(Parsed<'_, Facts<'_>>, usize), Unparsable>,
) -> Result<()> {
    match parsed {
        Ok((Parsed::One(message, facts), _)) => {
            out.put(place, Body::Message(Captured { text: raw, json: Some(json), message, facts }))
        }
        Ok((batch, end)) => out.put(place, body(json, 0..end, batch)),
        Err(fault) => out.malformed(place, raw.as_bytes(), &in_words(&fault)),
    }
}

/// Hands on the literal at the start of `text`, translated by way of `json`.
///
/// A literal that cannot be read is a fault of the log and not of the traffic, which was parsed before it was printed:
/// a message is missing there. Where the log ends (`log_ends`) it was cut by whoever copied it.
pub(crate) fn put_literal(
    out: &mut Out<'_>,
    dialect: Dialect,
    place: &Place,
    text: &str,
    log_ends: bool,
    json: &mut String,
) -> Result<Option<Read>> {
    match translate_into(dialect, text, json) {
        Ok(read) => {
            put_json(out, place, &text[..read.end], json)?;
            Ok(Some(read))
        }
        Err(fault) => put_cut(out, place, fault.cut && log_ends).map(|()| None),
    }
}

/// Hands on that a message is missing, unless it is only that the log ends in it.
pub(crate) fn put_cut(out: &mut Out<'_>, place: &Place, is_end: bool) -> Result<()> {
    out.skip(place.line, Skip::CutOff);
    if is_end { Ok(()) } else { out.put(place, Body::gap(Some(1))) }
}
