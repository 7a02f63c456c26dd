//! One record to one frame: what its payload holds, and what becomes of one that holds no message.

use std::sync::Arc;

use serde::de::IgnoredAny;

use super::clock;
use super::condition::Term;
use super::decode::{self, Decoded};
use super::head::{At, Head, Record};
use super::pairing::Pairing;
use super::parties::Parties;
use super::pointer::{Found, Pointer, find_all};
use super::ready::{ConnectionKey, Definition, Meaning};
use super::schema::Encoding;
use crate::capture::encoded::requoted;
use crate::capture::harm::is_spliced;
use crate::capture::out::{Channels, Out, body, in_words};
use crate::capture::place::Place;
use crate::capture::plan::is_mark;
use crate::capture::sample::is_message;
use crate::capture::unread::looks_like_messages;
use crate::capture::{Body, Captured, Direction, Proof, Skip, Vantage};
use crate::error::Result;
use crate::json::scan::{skip_white, unquoted, value_end};
use crate::json::unescape;
use crate::jsonrpc::{Defect, Kind, Parsed, parse_at};
use crate::protocol::{Facts, Side};

/// Makes frames of records.
pub(super) struct Emitter {
    pub(super) definition: Arc<Definition>,
    pub(super) vantage: Vantage,
    pub(super) keys: Option<Vec<ConnectionKey>>,
    /// The user named them.
    pub(super) asked: bool,
    pub(super) channels: Channels,
    pub(super) count: u32,
    pub(super) clock: clock::Reader,
    /// What the log can prove, as far as its head shows.
    pub(super) proof: Proof,
    /// Messages without the parameters that they are nothing without, and that the logger did not cut.
    pub(super) bare: u64,
    pub(super) pairing: Pairing,
    pub(super) parties: Parties,
    pub(super) made: String,
    scratch: String,
    inner: String,
    bytes: Vec<u8>,
    pub(super) name: String,
}

/// What stands in a payload beside the message.
#[derive(Clone, Copy, Default)]
pub(super) struct Aside<'a> {
    message: Found<'a>,
    direction: Found<'a>,
    pub(super) time: Found<'a>,
    from: Found<'a>,
    to: Found<'a>,
    pub(super) start: Found<'a>,
}

impl Emitter {
    pub(super) fn new(definition: Arc<Definition>, vantage: Vantage) -> Emitter {
        Emitter {
            proof: definition.proof,
            bare: 0,
            pairing: Pairing::default(),
            parties: Parties::default(),
            made: String::new(),
            definition,
            vantage,
            keys: None,
            asked: false,
            channels: Channels::default(),
            count: 0,
            clock: clock::Reader::default(),
            scratch: String::new(),
            inner: String::new(),
            bytes: Vec::new(),
            name: String::new(),
        }
    }

    /// One record.
    pub(super) fn record(&mut self, record: &Record<'_>, out: &mut Out<'_>) -> Result<()> {
        let definition = Arc::clone(&self.definition);
        let mut scratch = std::mem::take(&mut self.scratch);
        let decoded = decode::decode(&definition, record.payload, &mut scratch, &mut self.bytes);
        let done = match decoded {
            Ok(decoded) => self.decoded(&definition, record, &decoded, out),
            Err(fault) => self.fault(record, fault.cut, &fault.reason, out),
        };
        self.scratch = scratch;
        done
    }

    fn decoded(
        &mut self,
        definition: &Definition,
        record: &Record<'_>,
        decoded: &Decoded<'_>,
        out: &mut Out<'_>,
    ) -> Result<()> {
        let (text, line) = (decoded.text, record.at.line);
        let aside = beside(definition, text);
        let meaning = match self.parties.meet(aside.from, aside.to) {
            Some(direction) => Meaning::Frame(direction),
            None => self.meaning(&record.head, text, aside.direction),
        };
        let direction = match meaning {
            Meaning::Frame(direction) => direction,
            Meaning::Skip => {
                out.skip(line, Skip::Header);
                return Ok(());
            }
            Meaning::Stderr => {
                let place = self.place(record, text, aside.time, Direction::By(Side::Server), out)?;
                let said = Pointer::parse("/text").and_then(|pointer| pointer.find(text));
                return out
                    .put(&place, Body::Stderr { text: said.map_or(text.trim_end(), |(said, _)| unquoted(said)) });
            }
        };
        if !definition.payload.pointer.is_whole() && aside.message.is_none() {
            let cut = record.at.log_ends && value_end(text.as_bytes(), 0).is_none();
            out.skip(line, if cut { Skip::CutOff } else { Skip::NotAMessage });
            return Ok(());
        }
        if definition.makes {
            return self.tell(record, text, &aside, direction, out);
        }
        let mut place = self.place(record, text, aside.time, direction, out)?;
        match aside.message {
            // A message in a string of its own.
            Some((value, _)) if value.starts_with('"') => {
                let mut inner = std::mem::take(&mut self.inner);
                unescape(value, 1, &mut inner);
                let whole = Decoded { text: &inner, start: 0, exact: false, native: true, used: decoded.used };
                let done = self.message(record, &whole, text, &mut place, out);
                self.inner = inner;
                done
            }
            Some((_, start)) => self.message(record, &Decoded { start, ..*decoded }, text, &mut place, out),
            None => self.message(record, decoded, text, &mut place, out),
        }
    }

    /// The message at a place; `around` is what it stands in.
    fn message(
        &mut self,
        record: &Record<'_>,
        decoded: &Decoded<'_>,
        around: &str,
        place: &mut Place,
        out: &mut Out<'_>,
    ) -> Result<()> {
        let (parsed, end) = match parse_at::<Facts<'_>>(decoded.text, decoded.start) {
            Ok(parsed) => parsed,
            Err(_) if decoded.native && out.is_cut(decoded.text) => return out.put(place, Body::gap(Some(1))),
            Err(fault) => return self.fault(record, fault.cut, &in_words(&fault), out),
        };
        if self.dropped(&record.head, around, &parsed) {
            out.skip(record.at.line, Skip::Duplicate);
            return Ok(());
        }
        if is_foreign(&parsed) {
            out.skip(record.at.line, Skip::NotAMessage);
            return Ok(());
        }
        let rules = &self.definition.payload;
        let rest = &decoded.text[end..];
        let glued = rules.pointer.is_whole()
            && !rest.trim().is_empty()
            && (looks_like_messages(rest.as_bytes()) || out.begins_again(record.head.text.as_bytes()).is_some());
        let marked = is_mark(rest.trim());
        // A line of its own that begins no record is what somebody wrote between two of them, and no part of the message.
        let is_line = rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n');
        let trails = !rest.trim().is_empty() && !glued && !marked && !is_line;
        if trails && !rules.allow_trailing && rules.pointer.is_whole() {
            return out.malformed(place, record.payload.as_bytes(), "more text after the message");
        }
        let start = skip_white(decoded.text.as_bytes(), decoded.start);
        if decoded.exact {
            place.byte_offset += start as u64;
        }
        match parsed {
            Parsed::One(message, facts) if !decoded.native => {
                let json = Some(&decoded.text[start..end]);
                let text = &record.payload[..decoded.used];
                out.put(place, Body::Message(Captured { text, json, message, facts }))?;
            }
            parsed => out.put(place, body(decoded.text, start..end, parsed))?,
        }
        if marked && rules.pointer.is_whole() {
            out.put(place, Body::gap(None))?;
        }
        if !decoded.exact {
            out.read_to_end_of(&record.payload[..decoded.used]);
        }
        // Lines that were put together are behind the reader, and what is inside of a string is no line.
        let behind = &record.payload[if decoded.exact { end } else { decoded.used }..];
        match (glued && !decoded.exact, record.at.joined && looks_like_messages(behind.as_bytes())) {
            (true, _) => out.unread(record.at.line, rest.as_bytes()),
            (_, true) => out.unread(record.at.line, behind.as_bytes()),
            _ => Ok(()),
        }
    }

    /// A payload that is no message. One that was cut, or put together from lines, may be the log's own fault.
    fn fault(&mut self, record: &Record<'_>, cut: bool, why: &str, out: &mut Out<'_>) -> Result<()> {
        let (at, rules) = (&record.at, &self.definition.payload);
        if cut && at.log_ends {
            out.skip(at.line, Skip::CutOff);
            return Ok(());
        }
        if rules.encoding == Encoding::Found {
            return self.found_fault(record, cut, why, out);
        }
        let promised = record.payload.trim_start().starts_with(['{', '['])
            && matches!(rules.encoding, Encoding::Json | Encoding::JsonPretty);
        if !promised && !cut {
            out.skip(at.line, Skip::NotAMessage);
            return Ok(());
        }
        // Where the message stands in a record of the logger's, what is wrong with that is the logger's, too.
        let harmed = || !rules.pointer.is_whole() && serde_json::from_str::<IgnoredAny>(record.payload).is_err();
        let spliced = is_spliced(record.payload.as_bytes());
        if at.joined || !promised || spliced || cut && rules.may_be_cut || harmed() {
            if cut {
                let place = self.place_of(&record.head, at, Direction::Unknown, out)?;
                return out.cut_off(&place);
            }
            out.skip(at.line, Skip::NotAMessage);
            return self.gap(&record.head, at, out);
        }
        let place = self.place(record, record.payload, None, self.direction(&record.head), out)?;
        out.malformed(&place, record.payload.as_bytes(), why)
    }

    /// What looks like a message and is none, where messages are looked for; one in which a filter put words without quotes is one. Only
    /// behind a word for the direction, and where nothing tells that the logger shortened it or wrote it in quotes of its own, does the
    /// log promise that it is what was sent.
    fn found_fault(&mut self, record: &Record<'_>, cut: bool, why: &str, out: &mut Out<'_>) -> Result<()> {
        let text = record.payload;
        if let Some(undone) = requoted(text).filter(|undone| is_message(&undone.text)) {
            let place = self.place(record, &undone.text, None, self.direction(&record.head), out)?;
            return out.put_undone(&place, text, &undone);
        }
        let shortened = ["...", "…", "<", "***"].iter().any(|sign| text.contains(sign));
        let direction = self.direction(&record.head);
        if cut
            || shortened
            || !text.starts_with('{')
            || record.head.text.contains(['"', '\'', '`', '\\'])
            || value_end(text.as_bytes(), 0).is_none()
            || is_spliced(text.as_bytes())
            || direction == Direction::Unknown
        {
            let place = self.place_of(&record.head, &record.at, direction, out)?;
            return out.cut_off(&place);
        }
        let place = self.place(record, text, None, direction, out)?;
        out.malformed(&place, text.as_bytes(), why)
    }

    /// A record whose payload never came: what its header says is a message all the same. Of a message that is nothing
    /// without its parameters (`$/cancelRequest`) only the place is kept.
    pub(super) fn header_only(&mut self, head: &Head<'_>, at: &At<'_>, out: &mut Out<'_>) -> Result<()> {
        if head.get(head.roles.method).is_none_or(|method| method.starts_with("$/") || method.contains("cancel")) {
            return self.gap(head, at, out);
        }
        let record = Record { head: *head, payload: "", at: *at };
        let direction = self.direction(head);
        self.tell(&record, "", &Aside::default(), direction, out)
    }

    /// A message that the log lost here.
    pub(super) fn gap(&mut self, head: &Head<'_>, at: &At<'_>, out: &mut Out<'_>) -> Result<()> {
        let place = self.place_of(head, at, Direction::Unknown, out)?;
        out.put(&place, Body::gap(Some(1)))
    }

    /// A line of stderr, found by its own expression.
    pub(super) fn stderr(&mut self, head: &Head<'_>, at: &At<'_>, out: &mut Out<'_>) -> Result<()> {
        let place = self.place_of(head, at, Direction::By(Side::Server), out)?;
        out.put(&place, Body::Stderr { text: head.get(head.roles.text).unwrap_or(head.text) })
    }

    /// A line that says that all begins anew: what follows belongs to other connections.
    pub(super) fn anew(&mut self, at: &At<'_>, out: &mut Out<'_>) -> Result<()> {
        out.skip(at.line, Skip::Header);
        for channel in 0..self.count {
            let place = Place {
                line: at.line,
                byte_offset: at.offset,
                channel,
                at_us: None,
                direction: Direction::Unknown,
                stream: None,
                taps: None,
            };
            out.put(&place, Body::Open { by: None })?;
        }
        Ok(())
    }

    fn dropped(&self, head: &Head<'_>, text: &str, parsed: &Parsed<'_, Facts<'_>>) -> bool {
        let Some(condition) = &self.definition.payload.drop_if else { return false };
        if let Parsed::One(message, _) = parsed
            && !message.defects.has(Defect::JsonrpcMember)
            && condition.needs_missing("jsonrpc")
        {
            return false;
        }
        condition.holds(|term| match term {
            Term::Group(name) => head.named(name),
            Term::Pointer(pointer) => pointer.find(text).map(|(value, _)| value),
        })
    }
}

/// A JSON object that is no message, from a logger that labels other things the same way.
fn is_foreign(parsed: &Parsed<'_, Facts<'_>>) -> bool {
    match parsed {
        Parsed::One(message, _) => message.kind == Kind::Unclassified && message.defects.has(Defect::JsonrpcMember),
        Parsed::Batch(members) => !members.is_empty() && members.iter().all(|(_, member)| member.is_err()),
    }
}

fn beside<'a>(definition: &Definition, text: &'a str) -> Aside<'a> {
    let rules = &definition.payload;
    let wanted = [&rules.direction, &rules.time, &rules.from, &rules.to, &rules.start];
    if rules.pointer.is_whole() && wanted.iter().all(|pointer| pointer.is_none()) {
        return Aside::default();
    }
    let none = Pointer::default();
    let [direction, time, from, to, start] = wanted.map(|pointer| pointer.as_ref().unwrap_or(&none));
    let mut found = [None; 6];
    find_all(text, &[&rules.pointer, direction, time, from, to, start], &mut found);
    let [message, direction, time, from, to, start] = found;
    Aside { message, direction, time, from, to, start }
}
