//! One record to one frame: decoding, place, message.

use std::sync::Arc;

use regex::CaptureLocations;

use super::clock;
use super::compile::{Definition, Key, Meaning, Roles};
use super::condition::Term;
use super::decode::{self, Decoded};
use super::pointer::{Found, Pointer, find_all};
use super::schema::{Encoding, broken};
use crate::capture::out::{Channels, Out, Place, body, in_words};
use crate::capture::scan::unquoted;
use crate::capture::words::{self, Word};
use crate::capture::{Body, Captured, Channel, Direction, Skip, Vantage};
use crate::error::Result;
use crate::jsonrpc::{Defect, Kind, Parsed, parse_at};
use crate::protocol::{Facts, Side};

/// The start of a record, with the groups of the expression that found it.
#[derive(Clone, Copy)]
pub(super) struct Head<'a> {
    pub(super) text: &'a str,
    pub(super) ranges: &'a CaptureLocations,
    pub(super) roles: &'a Roles,
}

impl<'a> Head<'a> {
    /// The text of a group that took part in the match.
    pub(super) fn get(&self, group: Option<usize>) -> Option<&'a str> {
        let (start, end) = self.ranges.get(group?)?;
        self.text.get(start..end)
    }

    fn named(&self, name: &str) -> Option<&'a str> {
        let (_, group) = self.roles.names.iter().find(|(known, _)| known == name)?;
        self.get(Some(*group))
    }
}

/// Where a record stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a> {
    pub(super) line: u64,
    /// Byte offset of the payload.
    pub(super) offset: u64,
    /// True if nothing follows it in the log.
    pub(super) log_ends: bool,
    /// True if it was put together from several lines.
    pub(super) joined: bool,
    /// The time of the layer around it.
    pub(super) outer_ts: Option<&'a str>,
}

/// Makes frames of records.
pub(super) struct Emitter {
    definition: Arc<Definition>,
    vantage: Vantage,
    keys: Option<Vec<Key>>,
    channels: Channels,
    count: u32,
    clock: clock::Reader,
    scratch: String,
    inner: String,
    bytes: Vec<u8>,
    name: String,
}

/// What stands in a payload beside the message.
#[derive(Default)]
struct Aside<'a> {
    message: Found<'a>,
    direction: Found<'a>,
    time: Found<'a>,
}

impl Emitter {
    pub(super) fn new(definition: Arc<Definition>, vantage: Vantage) -> Emitter {
        Emitter {
            definition,
            vantage,
            keys: None,
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
    pub(super) fn record(&mut self, head: &Head<'_>, payload: &str, at: &At<'_>, out: &mut Out<'_>) -> Result<()> {
        let definition = Arc::clone(&self.definition);
        let mut scratch = std::mem::take(&mut self.scratch);
        let decoded = decode::decode(&definition, head, payload, &mut scratch, &mut self.bytes);
        let done = match decoded {
            Ok(decoded) => self.decoded(&definition, head, payload, &decoded, at, out),
            Err(fault) => self.fault(head, payload, fault.cut, &fault.reason, at, out),
        };
        self.scratch = scratch;
        done
    }

    fn decoded(
        &mut self,
        definition: &Definition,
        head: &Head<'_>,
        payload: &str,
        decoded: &Decoded<'_>,
        at: &At<'_>,
        out: &mut Out<'_>,
    ) -> Result<()> {
        let text = decoded.text;
        let aside = beside(definition, text);
        if !definition.payload.pointer.is_whole() && aside.message.is_none() {
            let cut = at.log_ends && crate::capture::scan::value_end(text.as_bytes(), 0).is_none();
            out.skip(at.line, if cut { Skip::CutOff } else { Skip::NotAMessage });
            return Ok(());
        }
        let direction = match self.meaning(head, aside.direction) {
            Meaning::Frame(direction) => direction,
            Meaning::Skip => {
                out.skip(at.line, Skip::Header);
                return Ok(());
            }
            Meaning::Stderr => {
                let place = self.place(head, text, aside.time, Direction::By(Side::Server), at, out)?;
                return out.put(&place, Body::Stderr { text: payload.trim_end() });
            }
        };
        let mut place = self.place(head, text, aside.time, direction, at, out)?;
        match aside.message {
            // A message in a string of its own.
            Some((value, _)) if value.starts_with('"') => {
                let mut inner = std::mem::take(&mut self.inner);
                crate::capture::scan::unescape(value, 1, &mut inner);
                let whole = Decoded { text: &inner, start: 0, exact: false, native: true };
                let done = self.message(definition, head, payload, &whole, text, &mut place, at, out);
                self.inner = inner;
                done
            }
            Some((_, start)) => {
                let part = Decoded { start, ..*decoded };
                self.message(definition, head, payload, &part, text, &mut place, at, out)
            }
            None => self.message(definition, head, payload, decoded, text, &mut place, at, out),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn message(
        &mut self,
        definition: &Definition,
        head: &Head<'_>,
        payload: &str,
        decoded: &Decoded<'_>,
        around: &str,
        place: &mut Place,
        at: &At<'_>,
        out: &mut Out<'_>,
    ) -> Result<()> {
        let rules = &definition.payload;
        match parse_at::<Facts<'_>>(decoded.text, decoded.start) {
            Err(fault) => self.fault(head, payload, fault.cut, &in_words(&fault), at, out),
            Ok((parsed, _)) if self.dropped(definition, head, around, &parsed) => {
                out.skip(at.line, Skip::Duplicate);
                Ok(())
            }
            Ok((parsed, _)) if is_foreign(&parsed) => {
                out.skip(at.line, Skip::NotAMessage);
                Ok(())
            }
            Ok((_, end))
                if !rules.allow_trailing && rules.pointer.is_whole() && !decoded.text[end..].trim().is_empty() =>
            {
                out.malformed(place, payload.as_bytes(), "more text after the message")
            }
            Ok((parsed, end)) => {
                let start = crate::capture::scan::skip_white(decoded.text.as_bytes(), decoded.start);
                if decoded.exact {
                    place.byte_offset += start as u64;
                }
                match parsed {
                    Parsed::One(message, facts) if !decoded.native => {
                        let json = Some(&decoded.text[start..end]);
                        out.put(place, Body::Message(Captured { text: payload, json, message, facts }))
                    }
                    parsed => out.put(place, body(decoded.text, start..end, parsed)),
                }
            }
        }
    }

    /// A payload that is no message. One that was cut, or put together from lines, may be the log's own fault.
    fn fault(
        &mut self,
        head: &Head<'_>,
        payload: &str,
        cut: bool,
        why: &str,
        at: &At<'_>,
        out: &mut Out<'_>,
    ) -> Result<()> {
        if cut && at.log_ends {
            out.skip(at.line, Skip::CutOff);
            return Ok(());
        }
        let promised = payload.trim_start().starts_with(['{', '['])
            && matches!(self.definition.payload.encoding, Encoding::Json | Encoding::JsonPretty);
        if !promised && !cut {
            out.skip(at.line, Skip::NotAMessage);
            return Ok(());
        }
        if at.joined || !promised || cut && self.definition.payload.may_be_cut {
            out.skip(at.line, if cut { Skip::CutOff } else { Skip::NotAMessage });
            return self.gap(head, at, out);
        }
        let direction = match self.meaning(head, None) {
            Meaning::Frame(direction) => direction,
            _ => Direction::Unknown,
        };
        let place = self.place(head, payload, None, direction, at, out)?;
        out.malformed(&place, payload.as_bytes(), why)
    }

    /// A record whose payload never came: what its header says is a message all the same. Of a message that is nothing
    /// without its parameters (`$/cancelRequest`) only the place is kept.
    pub(super) fn header_only(&mut self, head: &Head<'_>, at: &At<'_>, out: &mut Out<'_>) -> Result<()> {
        if head.get(head.roles.method).is_none_or(|method| method.starts_with("$/") || method.contains("cancel")) {
            return self.gap(head, at, out);
        }
        let definition = Arc::clone(&self.definition);
        let mut scratch = std::mem::take(&mut self.scratch);
        decode::synthesise(&definition, head, &mut scratch);
        let decoded = Decoded { text: &scratch, start: 0, exact: false, native: false };
        let done = self.decoded(&definition, head, head.text, &decoded, at, out);
        self.scratch = scratch;
        done
    }

    /// A message that the log lost here.
    pub(super) fn gap(&mut self, head: &Head<'_>, at: &At<'_>, out: &mut Out<'_>) -> Result<()> {
        let place = self.place(head, "", None, Direction::Unknown, at, out)?;
        out.put(&place, Body::Gap { lost: Some(1) })
    }

    /// Bytes that are not text where a message should be.
    pub(super) fn not_text(&mut self, head: &Head<'_>, bytes: &[u8], at: &At<'_>, out: &mut Out<'_>) -> Result<()> {
        let direction = match self.meaning(head, None) {
            Meaning::Frame(direction) => direction,
            _ => Direction::Unknown,
        };
        let place = self.place(head, "", None, direction, at, out)?;
        out.malformed(&place, bytes, "the text is not UTF-8")
    }

    /// A line of stderr, found by its own expression.
    pub(super) fn stderr(&mut self, head: &Head<'_>, at: &At<'_>, out: &mut Out<'_>) -> Result<()> {
        let place = self.place(head, "", None, Direction::By(Side::Server), at, out)?;
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

    fn dropped(&self, definition: &Definition, head: &Head<'_>, text: &str, parsed: &Parsed<'_, Facts<'_>>) -> bool {
        let Some(condition) = &definition.payload.drop_if else { return false };
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

    fn meaning(&self, head: &Head<'_>, aside: Found<'_>) -> Meaning {
        let word = head.get(head.roles.dir).or(aside.map(|(value, _)| unquoted(value)));
        let Some(word) = word else { return self.definition.direction_default };
        let known = self.definition.directions.iter().find(|(known, _)| known == word);
        let meaning = match known {
            Some((_, meaning)) => *meaning,
            None => match words::direction("", word) {
                Some(Word::Direction(direction)) => Meaning::Frame(direction),
                Some(Word::Stderr) => Meaning::Stderr,
                None => self.definition.direction_default,
            },
        };
        let logger = head.get(head.roles.logger).map(str::to_ascii_lowercase);
        let logger = match logger.as_deref() {
            Some("client") => Side::Client,
            Some("server") => Side::Server,
            _ => return meaning,
        };
        match meaning {
            Meaning::Frame(Direction::Sent) => Meaning::Frame(Direction::By(logger)),
            Meaning::Frame(Direction::Received) => Meaning::Frame(Direction::By(logger.peer())),
            other => other,
        }
    }

    fn place(
        &mut self,
        head: &Head<'_>,
        text: &str,
        aside_ts: Found<'_>,
        direction: Direction,
        at: &At<'_>,
        out: &mut Out<'_>,
    ) -> Result<Place> {
        let ts = aside_ts.map(|(value, _)| unquoted(value)).or(head.get(head.roles.ts)).or(at.outer_ts);
        let definition = Arc::clone(&self.definition);
        let at_us = ts.and_then(|ts| self.clock.read(ts, &definition.times, out.zoning()));
        let channel = self.channel(head, text, ts, out)?;
        if let Some(ts) = ts.filter(|_| at_us.is_some()) {
            out.said(ts);
        }
        Ok(Place { line: at.line, byte_offset: at.offset, channel, at_us, direction, stream: None, taps: None })
    }

    fn channel(&mut self, head: &Head<'_>, text: &str, ts: Option<&str>, out: &mut Out<'_>) -> Result<u32> {
        if self.keys.is_none() {
            self.keys = Some(self.wanted_keys(out)?);
        }
        let mut name = std::mem::take(&mut self.name);
        name.clear();
        for key in self.keys.iter().flatten() {
            let value = match key {
                Key::Groups(names) => names.iter().find_map(|name| head.named(name)),
                Key::Pointer(pointer) => pointer.find(text).map(|(value, _)| unquoted(value)),
            };
            if let Some(value) = value.filter(|value| !value.is_empty() && *value != "null") {
                if !name.is_empty() {
                    name.push('/');
                }
                name.push_str(value);
            }
        }
        let definition = Arc::clone(&self.definition);
        let (vantage, clock) = (self.vantage, &mut self.clock);
        let channel = self.channels.get(&name, out, || Channel {
            name: (!name.is_empty()).then(|| name.clone()),
            vantage,
            transport: definition.transport,
            proof: definition.proof,
            resolution_us: ts
                .and_then(|ts| clock.time(ts, &definition.times.rule))
                .map_or(1, |time| time.resolution_us),
            ..Channel::default()
        });
        self.name = name;
        let channel = channel?;
        self.count = self.count.max(channel + 1);
        Ok(channel)
    }

    fn wanted_keys(&self, out: &Out<'_>) -> Result<Vec<Key>> {
        let Some(asked) = out.connection_key() else { return Ok(self.definition.keys.clone()) };
        let names = &self.definition.start.roles.names;
        let mut keys = Vec::new();
        for text in asked {
            let key = Key::parse(text).map_err(|what| broken(self.definition.name, &what))?;
            if let Key::Groups(groups) = &key
                && let Some(unknown) = groups.iter().find(|name| !names.iter().any(|(known, _)| known == *name))
            {
                let fields: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
                let what = format!("{} has no field {unknown}", self.definition.name);
                let hint =
                    format!("its fields are {}; a JSON pointer (/a/b) looks into the message", fields.join(", "));
                return Err(crate::error::Error::new(crate::error::ErrorKind::Usage, what).hint(hint));
            }
            keys.push(key);
        }
        Ok(keys)
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
    if rules.pointer.is_whole() && rules.direction.is_none() && rules.time.is_none() {
        return Aside::default();
    }
    let none = Pointer::default();
    let pointers = [&rules.pointer, rules.direction.as_ref().unwrap_or(&none), rules.time.as_ref().unwrap_or(&none)];
    let mut found = [None; 3];
    find_all(text, &pointers, &mut found);
    Aside { message: found[0], direction: found[1], time: found[2] }
}
