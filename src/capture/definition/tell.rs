//! Records that tell a message without holding it, to frames.

use std::sync::Arc;

use super::emit::{Aside, Emitter};
use super::head::Record;
use super::made::{self, Told};
use super::pairing::answering;
use super::parts::{Ids, Kind};
use crate::capture::out::{Out, body};
use crate::capture::place::Place;
use crate::capture::{Body, Captured, Direction, Proof, Skip};
use crate::error::Result;
use crate::json::scan::unquoted;
use crate::jsonrpc::{Parsed, parse_at};
use crate::protocol::Facts;

/// Where the id of a message stands in what `made` writes, and how long its `null` is.
const ID: std::ops::Range<usize> = 22..26;

impl Emitter {
    /// The message that a record tells; `text` is its payload, decoded.
    pub(super) fn tell(
        &mut self,
        record: &Record<'_>,
        text: &str,
        aside: &Aside<'_>,
        direction: Direction,
        out: &mut Out<'_>,
    ) -> Result<()> {
        let mut made = std::mem::take(&mut self.made);
        let definition = Arc::clone(&self.definition);
        let told = made::make(&definition, &record.head, text, None, &mut made);
        let done = match told.kind {
            Kind::Skip => {
                out.skip(record.at.line, Skip::Header);
                Ok(())
            }
            Kind::Exchange => self.exchange(record, text, aside, direction, &mut made, out),
            _ => self.told(record, text, aside, direction, (told, &mut made), out),
        };
        self.made = made;
        done
    }

    fn told(
        &mut self,
        record: &Record<'_>,
        text: &str,
        aside: &Aside<'_>,
        direction: Direction,
        (told, made): (Told, &mut String),
        out: &mut Out<'_>,
    ) -> Result<()> {
        let mut place = self.place(record, text, aside.time, direction, out)?;
        self.bare += u64::from(told.bare && !told.cut);
        if told.bare && (told.cut || self.proof.covers(Proof::CANCEL_TARGET)) {
            return out.put(&place, Body::gap(Some(1)));
        }
        if self.definition.made.ids == Ids::Logger {
            let id = match told.kind {
                Kind::Request => Some(self.pairing.asked(place.channel, direction)),
                Kind::Response | Kind::Error => self.pairing.answered(place.channel, direction),
                _ => None,
            };
            if let Some(id) = id {
                made.replace_range(ID, &id.to_string());
            }
        }
        put(&mut place, record, made, out)
    }

    /// A request and its answer: the request was sent when the exchange began, the answer when the record was written.
    fn exchange(
        &mut self,
        record: &Record<'_>,
        text: &str,
        aside: &Aside<'_>,
        direction: Direction,
        made: &mut String,
        out: &mut Out<'_>,
    ) -> Result<()> {
        let definition = Arc::clone(&self.definition);
        let mut place = self.place(record, text, aside.time, direction, out)?;
        place.stream = Some(self.pairing.exchanges());
        let id = (definition.made.ids == Ids::Logger).then(|| self.pairing.asked(place.channel, direction).to_string());
        let number = |made: &mut String| {
            if let Some(id) = id.as_ref().filter(|_| made.get(ID) == Some("null")) {
                made.replace_range(ID, id);
            }
        };
        let (end, start) = (place.at_us, self.started(record, text, aside, place.at_us, out));
        let ask = made::make(&definition, &record.head, text, Some(Kind::Request), made);
        number(made);
        place.at_us = start;
        put(&mut place, record, made, out)?;
        if ask.kind == Kind::Notification {
            return Ok(());
        }
        made::make(&definition, &record.head, text, Some(Kind::Response), made);
        number(made);
        (place.at_us, place.direction) = (end, answering(direction));
        put(&mut place, record, made, out)
    }

    /// When an exchange began, in microseconds since the epoch: as the record says, or as long before its end.
    fn started(
        &mut self,
        record: &Record<'_>,
        text: &str,
        aside: &Aside<'_>,
        end: Option<i64>,
        out: &Out<'_>,
    ) -> Option<i64> {
        let definition = Arc::clone(&self.definition);
        if let Some((start, _)) = aside.start {
            return self.clock.read(unquoted(start), &definition.times, out.zoning());
        }
        let took = match &definition.payload.took {
            Some(super::condition::Term::Group(name)) => record.head.named(name),
            Some(super::condition::Term::Pointer(pointer)) => pointer.find(text).map(|(value, _)| unquoted(value)),
            None => None,
        };
        let took = took.map(|took| super::clock::span_us(took).unwrap_or(0)).unwrap_or(0);
        end.map(|end| end - took)
    }
}

/// Hands on what was made; the text as captured is the payload, or the line where that is all of it.
fn put(place: &mut Place, record: &Record<'_>, made: &str, out: &mut Out<'_>) -> Result<()> {
    let raw = match record.at.joined {
        true if !record.payload.is_empty() => record.payload,
        _ => {
            place.byte_offset = record.at.start;
            record.head.text
        }
    };
    match parse_at::<Facts<'_>>(made, 0) {
        Ok((Parsed::One(message, facts), _)) => {
            out.put(place, Body::Message(Captured { text: raw, json: Some(made), message, facts }))
        }
        Ok((parsed, end)) => out.put(place, body(made, 0..end, parsed)),
        // What the record gave for a part is no JSON after all.
        Err(_) => out.put(place, Body::gap(Some(1))),
    }
}
