//! From a translated message to a frame: the text as captured, its JSON beside it.

use super::{Out, body, in_words, text_of};
use crate::capture::encoded::{Undone, is_encoded, requoted, undone, untyped};
use crate::capture::events::{events, is_event_stream};
use crate::capture::literal::{Dialect, Read, translate_into};
use crate::capture::place::Place;
use crate::capture::{Body, Captured, Missing, Skip, Why, cut};
use crate::error::Result;
use crate::jsonrpc::{Defect, IdField, Kind, Parsed, Unparsable, parse_at};
use crate::protocol::Facts;

/// A message of which the log has no more than what an encoding made of it.
const UNREADABLE: Missing<'static> =
    Missing { words: "a message in an encoding that cannot be undone", lost: Some(1), ..Missing::new(Why::Gap) };

impl Out<'_> {
    /// Hands on a message whose text is `raw` and whose JSON, all of it, is `json`.
    pub(crate) fn put_json(&mut self, place: &Place, raw: &str, json: &str) -> Result<()> {
        self.put_parsed(place, raw, json, parse_at(json, 0))
    }

    /// The same with what the parser said of the JSON.
    pub(crate) fn put_parsed(
        &mut self,
        place: &Place,
        raw: &str,
        json: &str,
        parsed: std::result::Result<(Parsed<'_, Facts<'_>>, usize), Unparsable>,
    ) -> Result<()> {
        match parsed {
            Ok((Parsed::One(message, facts), _)) => {
                self.put(place, Body::Message(Captured { text: raw, json: Some(json), message, facts }))
            }
            Ok((batch, end)) => self.put(place, body(json, 0..end, batch)),
            Err(fault) => self.malformed(place, raw.as_bytes(), &in_words(&fault)),
        }
    }

    /// Hands on the literal at the start of `text`, translated by way of `json`.
    ///
    /// A literal that cannot be read is a fault of the log and not of the traffic, which was parsed before it was printed:
    /// a message is missing there. Where the log ends (`log_ends`) it was cut by whoever copied it.
    pub(crate) fn put_literal(
        &mut self,
        dialect: Dialect,
        place: &Place,
        text: &str,
        log_ends: bool,
        json: &mut String,
    ) -> Result<Option<Read>> {
        match translate_into(dialect, text, json) {
            Ok(read) => {
                self.put_json(place, &text[..read.end], json)?;
                Ok(Some(read))
            }
            Err(fault) => self.put_cut(place, fault.cut && log_ends).map(|()| None),
        }
    }

    /// Hands on that a message is missing, unless it is only that the log ends in it.
    pub(crate) fn put_cut(&mut self, place: &Place, is_end: bool) -> Result<()> {
        self.skip(place.line, Skip::CutOff);
        if is_end { Ok(()) } else { self.put(place, Body::gap(Some(1))) }
    }

    /// Hands on the messages of a text that a logger had encoded, which was `raw`.
    #[cold]
    pub(crate) fn put_undone(&mut self, place: &Place, raw: &str, undone: &Undone) -> Result<()> {
        match (is_event_stream(&undone.text), undone.printed) {
            (true, _) => self.put_events(place, &undone.text),
            (false, true) => match parse_at(&undone.text, 0) {
                Ok(parsed) => self.put_parsed(place, raw, &undone.text, Ok(parsed)),
                Err(_) => self.put(place, Body::Missing(UNREADABLE)),
            },
            (false, false) => self.promised(place, &undone.text, false),
        }
    }

    /// Hands on the messages of an event stream.
    pub(crate) fn put_events(&mut self, place: &Place, text: &str) -> Result<()> {
        events(text).into_iter().try_for_each(|(_, data)| self.promised(place, &data, false))
    }

    /// What stands where a message should and is none: another record of the log, or a message that a logger encoded.
    #[cold]
    pub(super) fn strange(&mut self, place: &Place, body: &Body<'_>) -> Option<Result<()>> {
        let text = text_of(body)?;
        match body {
            Body::Message(Captured { message, .. })
                if message.kind == Kind::Unclassified && self.heads.are_in_place_of(text) =>
            {
                Some(self.put(place, Body::gap(Some(2))))
            }
            Body::Message(Captured { json: Some(_), .. }) => None,
            Body::Message(_) | Body::Batch { .. } => self.decoded(place, text),
            _ => None,
        }
    }

    /// What is no message as it stands may be one that the logger encoded, or in which a filter put words: then it is handed on as that,
    /// or as one that cannot be read. A log of the bytes that were sent has no such logger.
    #[cold]
    pub(super) fn decoded(&mut self, place: &Place, bytes: &[u8]) -> Option<Result<()>> {
        let text = std::str::from_utf8(bytes).ok().filter(|_| !self.verbatim)?;
        let typed = untyped(text);
        self.typed |= typed.is_some();
        match typed.or_else(|| undone(text)) {
            Some(undone) => Some(self.put_undone(place, text, &undone)),
            None if cut::is_within(text) => Some(self.put(place, Body::gap(Some(1)))),
            None if is_encoded(text) => Some(self.put(place, Body::Missing(UNREADABLE))),
            None => requoted(text).map(|undone| self.put_undone(place, text, &undone)),
        }
    }
}

/// True for JSON that is no message, or none that a peer would write: a value without the members of one, an id or a method that is an
/// object, an answer that says nothing, a list that begins with no object.
#[inline(always)]
pub(super) fn is_strange(body: &Body<'_>) -> bool {
    match body {
        Body::Message(Captured { message, .. }) => {
            message.kind == Kind::Unclassified
                || message.id == IdField::Bad
                || message.defects.has(Defect::MethodType)
                || message.defects.has(Defect::NeitherResultNorError)
        }
        Body::Batch { members, .. } => members.first().is_some_and(|(_, member)| member.is_err()),
        _ => false,
    }
}
