//! Our own recordings, `rec/1`: a header line, then one event a line, appended as it happens.
//!
//! Written by the recorder and by `export --as rec`. Messages are kept exactly: as text in `b`, or as base64 in `b64` where they are no
//! UTF-8. `export --as jsonl` writes the same with other names of members, for other programs (`ts`, `dir`, `conn`, `raw`): both have an
//! event that says what is known of a connection (`chan`, `connection`), before its first frame, so that a log that went through either
//! gives the findings of the original. Unknown members and unknown kinds of events are passed over, a torn last line is tolerated, and
//! lines are valid without the header (the output of a `grep` is still a recording).

mod chain;
mod facts;
mod left;
mod line;
mod newest;
mod opaque;
mod prune;
mod rest;
#[cfg(test)]
mod tampering;
mod tree;
mod verify;
mod writer;

pub use crate::base64::encode as base64_of;
pub use chain::Link;
pub use facts::{read as channel_of, write as channel_facts};
pub use prune::prune;
pub use verify::{End, Fault, Verified, end_signature_of, signature_of, verify};
pub use writer::{RecDetail, RecEvent, RecHeader, RecLive, RecWriter};

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::capture::format::{Format, LineReader, Match, Reader};
use crate::capture::lines::Line;
use crate::capture::out::{Channels, Out};
use crate::capture::place::Place;
use crate::capture::recorded::RecordedPart;
use crate::capture::sample::Sample;
use crate::capture::time;
use crate::capture::{Body, Channel, Direction, Exit, Missing, Proof, Skip, Transport, Vantage, Why};
use crate::error::Result;
use crate::json::scan::{members, skip_white};
use crate::protocol;
use crate::wire::Framing;
use line::Event;
use newest::Newest;
use rest::{ON_ITS_WAY, Waiting, may_become_message};

/// The format.
pub(crate) struct Rec;

impl Format for Rec {
    fn name(&self) -> &'static str {
        "rec"
    }

    fn about(&self) -> &'static str {
        "rpctape's own recordings and exports: a header line {\"rec\":1,...}, then one event a line"
    }

    fn is_verbatim(&self) -> bool {
        true
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let first = sample.lines().next()?;
        if members(first).any(|member| member.key == "rec" && member.value == "1") {
            return Match::new(100, "its first line is the header of a recording, {\"rec\":1,...}");
        }
        let is_export = |line: &str| {
            let event = Event::read(line);
            event.is_some_and(|event| event.kind == "connection" && event.facts.and_then(facts::read).is_some())
        };
        if is_export(first) {
            return Match::new(
                99,
                "its first line says what is known of a connection, as `export --as jsonl` writes it",
            );
        }
        let is_event = |line: &str| {
            let keys: Vec<_> = members(line).map(|member| member.key).collect();
            ["q", "k", "t"].iter().all(|key| keys.contains(key))
        };
        sample
            .lines()
            .take(5)
            .all(is_event)
            .then(|| Match::new(90, "every line is an event of a recording, with \"q\", \"t\" and \"k\""))
            .flatten()
    }

    fn part(&self, sample: &Sample) -> Option<RecordedPart> {
        RecordedPart::of_lines(sample.lines())
    }

    fn reader(&self, sample: &Sample) -> Reader {
        let mut header = sample.lines().next().map(Header::read).unwrap_or_default();
        header.framing = match header.frame.as_deref() {
            Some("auto") => framing(sample),
            stated => stated.and_then(Framing::from_name),
        };
        Reader::Lines(Box::new(RecReader::new(header)))
    }
}

/// What the first message shows of the framing, where the recorder could not know it beforehand: one of a header block has that
/// beside it.
fn framing(sample: &Sample) -> Option<Framing> {
    let first = sample.lines().filter_map(Event::read).find(|event| event.kind == "msg" && event.head.is_none())?;
    Some(if first.block { Framing::ContentLength } else { Framing::Lines })
}

/// What is wanted of the header line.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(default)]
struct Header {
    rec: u32,
    session: Option<String>,
    part: Option<u32>,
    t0: Option<String>,
    proto: Option<String>,
    revision: Option<String>,
    transport: Option<String>,
    vantage: Option<String>,
    replay_of: Option<String>,
    frame: Option<String>,
    /// Only a recorder has one: what it writes has an end, unless somebody took that away.
    clock: Option<String>,
    #[serde(skip)]
    framing: Option<Framing>,
}

impl Header {
    fn read(line: &str) -> Header {
        serde_json::from_str(line).unwrap_or_default()
    }

    fn is_http(&self) -> bool {
        self.transport.as_deref().is_some_and(|transport| transport.contains("http") || transport == "sse")
    }

    /// A recorder sits between the sides; a log that was exported keeps the vantage it had.
    fn vantage(&self) -> Vantage {
        self.vantage.as_deref().and_then(Vantage::from_name).unwrap_or(Vantage::Proxy)
    }

    fn proof(&self) -> Proof {
        let full = match self.is_http() {
            // A client's own record has one client, and a replay is the client itself.
            true if self.vantage() == Vantage::Client => Proof::FULL.and(Proof::STREAMS),
            true => Proof::FULL.and(Proof::STREAMS).without(Proof::CLIENT),
            false => Proof::FULL,
        };
        if self.clock.is_some() { full.and(Proof::COUNTED).and(Proof::WHOLE) } else { full }
    }

    fn channel(&self, connection: &str, complete_head: Option<bool>) -> Channel {
        let session = self.session.clone();
        let name = session.as_ref().map_or_else(|| connection.to_string(), |session| format!("{session}/{connection}"));
        let profile = self.proto.as_deref().and_then(|name| match self.revision.as_deref() {
            Some(revision) => protocol::by_name(name, Some(revision)),
            None => protocol::by_name_alone(name),
        });
        Channel {
            name: Some(name),
            session,
            replay_of: self.replay_of.clone(),
            profile,
            vantage: self.vantage(),
            transport: if self.is_http() { Transport::Http } else { Transport::Ordered },
            complete_head,
            one_connection: true,
            shown_whole: false,
            by_time: false,
            counts_ids: false,
            sends_late: false,
            proof: self.proof(),
            midway: Proof::NONE,
            resolution_us: 1,
            framing: self.framing.filter(|_| !self.is_http()),
        }
    }
}

struct RecReader {
    header: Header,
    t0_us: i64,
    channels: Channels,
    /// What the recording says of its connections.
    stated: FxHashMap<Box<str>, Channel>,
    clock: time::Clock,
    /// Connections whose opening was read before any of their messages.
    opened: FxHashSet<Box<str>>,
    /// Connections that were met.
    met: Vec<Box<str>>,
    /// The number that the next event should have.
    next: Option<u64>,
    /// The newest events: one that stands in the recording again was delivered twice, or its file was put behind itself.
    newest: Newest,
    /// Bytes that are no message, until the next line tells whether their end had come.
    waiting: Waiting,
    /// True once a line was read.
    started: bool,
    /// The last line that was read.
    last: u64,
    /// True once the recorder said that this is all.
    ended: bool,
    /// True once the first number of the part was read.
    counts: bool,
}

impl RecReader {
    fn new(header: Header) -> RecReader {
        let t0_us = header.t0.as_deref().and_then(time::parse).map_or(0, |time| time.us);
        // A recording whose header is gone may have lost more of its beginning.
        let next = (header.part.unwrap_or(1) == 1).then_some(1);
        let (opened, met) = (FxHashSet::default(), Vec::new());
        let (channels, stated) = (Channels::default(), FxHashMap::default());
        let clock = time::Clock::default();
        let (newest, waiting) = (Newest::default(), Waiting::default());
        let (started, ended) = (false, false);
        RecReader {
            header,
            t0_us,
            channels,
            stated,
            clock,
            opened,
            met,
            next,
            newest,
            waiting,
            started,
            last: 0,
            ended,
            counts: false,
        }
    }
}

impl LineReader for RecReader {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        // Reading goes on where it ended before: the numbers of the lines before are none that are missing.
        if !std::mem::replace(&mut self.started, true) && line.number > 1 {
            (self.next, self.counts) = (None, true);
        }
        self.last = line.number;
        let Ok(text) = std::str::from_utf8(line.bytes) else {
            out.skip(line.number, Skip::NotAMessage);
            return Ok(());
        };
        if skip_white(line.bytes, 0) == text.len() {
            out.skip(line.number, Skip::Blank);
            return Ok(());
        }
        let event = Event::read(text);
        self.release(event.as_ref(), out)?;
        match event {
            Some(event) if self.is_again(&event, line) => {
                out.skip(line.number, Skip::Duplicate);
                Ok(())
            }
            Some(event) => self.event(&event, line, out),
            None if line.number == 1 && members(text).any(|member| member.key == "rec") => {
                out.skip(line.number, Skip::Header);
                Ok(())
            }
            None => {
                let torn = !line.ended && text.trim_start().starts_with('{') && !complete(text);
                out.skip(line.number, if torn { Skip::CutOff } else { Skip::NotAMessage });
                Ok(())
            }
        }
    }

    fn oversized(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        out.skip_oversized(line);
        let text = line.text();
        let event = Event::beginning(&text);
        self.release(Some(&event), out)?;
        self.count(&event, line, out)?;
        let place = self.place(&event, line, out)?;
        out.put(&place, Body::gap(Some(1)))
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<()> {
        self.release(None, out)?;
        if self.header.clock.is_some() && !self.ended && self.last > 0 {
            out.skip(self.last, Skip::Unended);
        }
        if let Some(part) = out.part() {
            part.next = self.next;
        }
        Ok(())
    }
}

fn complete(text: &str) -> bool {
    let mut all = members(text);
    all.by_ref().for_each(drop);
    all.end().is_some()
}

impl RecReader {
    fn place(&mut self, event: &Event<'_>, line: &Line<'_>, out: &mut Out<'_>) -> Result<Place> {
        let connection = event.connection.unwrap_or("1");
        let first = self.header.part.unwrap_or(1) == 1 && self.opened.contains(connection);
        let header = &self.header;
        let stated = self.stated.get(connection);
        let channel = self.channels.get(connection, out, || match stated {
            Some(stated) => stated.clone(),
            None => header.channel(connection, first.then_some(true)),
        })?;
        let at = event.at.and_then(|at| self.clock.read_in(at, out.zoning()));
        if let Some(text) = event.at.filter(|_| at.is_some()) {
            out.said(text);
        }
        Ok(Place {
            line: line.number,
            byte_offset: line.offset + event.body_at as u64,
            channel,
            at_us: event.t_us.map(|t| self.t0_us.saturating_add(t)).or(at),
            direction: event.direction.unwrap_or(Direction::Unknown),
            stream: event.stream,
            taps: event.taps(),
        })
    }

    /// True for an event that was read before, number, time and length. A recorder gives each number once.
    fn is_again(&mut self, event: &Event<'_>, line: &Line<'_>) -> bool {
        let Some(number) = event.number else { return false };
        self.newest.knows(number, (event.t_us.unwrap_or(i64::MIN), line.bytes.len()))
    }

    /// Numbers that are missing are lines that are missing, whoever took them away. Any connection may have lost by it.
    fn count(&mut self, event: &Event<'_>, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let Some(number) = event.number else { return Ok(()) };
        if !std::mem::replace(&mut self.counts, true)
            && let Some(hole) = out.hole()
        {
            // What stood in a part that was not read any connection may have lost.
            out.missing_anywhere(line.number, Direction::Unknown, hole.missing())?;
        }
        let lost = self.next.map_or(0, |next| number.saturating_sub(next));
        self.next = number.checked_add(1);
        if let Some(connection) = event.connection
            && !self.met.iter().any(|met| **met == *connection)
        {
            self.met.push(connection.into());
        }
        if lost > 0 {
            for (at, connection) in std::mem::take(&mut self.met).into_iter().enumerate() {
                let place = Event::at(&connection, event.t_us);
                let lost = if at == 0 { lost } else { 0 };
                self.put(&place, line, Body::gap(Some(lost)), out)?;
                self.met.push(connection);
            }
        }
        Ok(())
    }

    fn event(&mut self, event: &Event<'_>, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        self.count(event, line, out)?;
        self.ended |= matches!(event.kind, "end" | "rotate");
        if let Some(part) = out.part().filter(|_| event.kind == "rotate") {
            part.rotated_at = Some(line.number);
        }
        match event.kind {
            "chan" | "connection" => {
                if let (Some(connection), Some(channel)) = (event.connection, event.facts.and_then(facts::read)) {
                    self.stated.insert(connection.into(), channel);
                }
                out.skip(line.number, Skip::Header);
                Ok(())
            }
            // Whoever took an extract left these lines out: none of them is missing.
            "left" => {
                self.next = self.next.map(|next| next.saturating_add(event.lines.unwrap_or(0)));
                out.skip(line.number, Skip::Header);
                Ok(())
            }
            "http" => self.put(event, line, Body::Http { head: event.head.unwrap_or("{}") }, out),
            "sse" => self.put(event, line, Body::Sse { event: event.sse.unwrap_or("{}") }, out),
            // What the recorder closed when it was stopped says nothing about either side.
            "close" if event.by_recorder => {
                out.skip(line.number, Skip::Header);
                Ok(())
            }
            // A message without a text is what harm has left of one.
            "msg" if event.text.is_none() && event.base64.is_none() && event.sse.is_none() => {
                out.skip(line.number, Skip::NotAMessage);
                self.put(event, line, Body::gap(Some(1)), out)
            }
            "msg" if event.truncated => {
                out.skip(line.number, Skip::Oversized);
                self.put(event, line, Body::gap(Some(1)), out)
            }
            "msg" => self.message(event, line, out),
            "raw" if event.encoding.is_some() => self.opaque(event, line, out),
            "raw" if self.waits(event) => {
                self.waiting.hold(event, line);
                Ok(())
            }
            "raw" => self.raw(event, line, out),
            "open" => {
                if event.stream.is_none() {
                    self.opened.insert(event.connection.unwrap_or("1").into());
                }
                self.put(event, line, Body::Open { by: event.by }, out)
            }
            "close" => self.put(event, line, Body::Close { by: event.by }, out),
            "exit" => self.put(event, line, Body::Exit(Exit::new(event.code, event.signal)), out),
            "gap" => self.missing(event, line, out),
            "err" => {
                let bytes = event.bytes();
                self.put(event, line, Body::Stderr { text: &String::from_utf8_lossy(&bytes) }, out)
            }
            "end" if event.unsaid.is_some_and(|lost| lost > 0) => {
                let words = "the recorder could not write";
                let missing = Missing { lost: event.unsaid, words, ..Missing::new(Why::Gap) };
                out.missing_anywhere(line.number, Direction::Unknown, missing)
            }
            _ => {
                out.skip(line.number, Skip::Header);
                Ok(())
            }
        }
    }

    /// True for bytes of which an older recorder does not say whether their end had come. A frame of a WebSocket has come whole.
    fn waits(&self, event: &Event<'_>) -> bool {
        let is_export = if self.header.rec == 1 { self.header.clock.is_none() } else { !self.stated.is_empty() };
        event.kind == "raw" && event.cut.is_none() && !is_export && self.header.transport.as_deref() != Some("ws")
    }

    /// Reads the lines that wait for this one.
    fn release(&mut self, next: Option<&Event<'_>>, out: &mut Out<'_>) -> Result<()> {
        let stays = |event: &Event<'_>| self.waits(event) && self.waiting.has_room_for(event);
        if self.waiting.is_empty() || next.is_some_and(stays) {
            return Ok(());
        }
        for held in self.waiting.release() {
            if let Some(event) = held.event(next) {
                self.raw(&event, &held.line(), out)?;
            }
        }
        Ok(())
    }

    /// Bytes that are no message. What may have become one was on its way when they ended: it is lost, and no fault of its sender.
    fn raw(&mut self, event: &Event<'_>, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let (place, bytes) = (self.place(event, line, out)?, event.bytes());
        if event.cut == Some(true) && may_become_message(&bytes) {
            let lost = Missing { lost: Some(1), words: ON_ITS_WAY, ..Missing::new(Why::Gap) };
            return out.put(&place, Body::Missing(lost));
        }
        out.malformed(&place, &bytes, "the recorder found no message in these bytes")
    }

    fn put(&mut self, event: &Event<'_>, line: &Line<'_>, body: Body<'_>, out: &mut Out<'_>) -> Result<()> {
        let place = self.place(event, line, out)?;
        out.put(&place, body)
    }

    /// What the recorder says is missing; without a connection any of them may miss it.
    fn missing(&mut self, event: &Event<'_>, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let known = event.why.and_then(Why::from_name);
        let said = event.words();
        let words = event.why.filter(|_| known.is_none() && said.is_empty()).unwrap_or(&said);
        let missing = Missing { lost: event.lost, words, ..Missing::new(known.unwrap_or(Why::Gap)) };
        if event.connection.is_none() {
            let direction = event.direction.unwrap_or(Direction::Unknown);
            return out.missing_anywhere(line.number, direction, missing);
        }
        self.put(event, line, Body::Missing(missing), out)
    }

    /// A body that was recorded in its encoding. What cannot be undone is lost to an audit, and no fault of anybody.
    fn opaque(&mut self, event: &Event<'_>, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let place = self.place(event, line, out)?;
        let Some(text) = opaque::unpacked(&event.bytes(), event.encoding.unwrap_or_default()) else {
            return out.put(&place, Body::gap(None));
        };
        for message in opaque::messages(&text) {
            out.promised(&place, &message, false)?;
        }
        Ok(())
    }

    fn message(&mut self, event: &Event<'_>, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let place = self.place(event, line, out)?;
        if let Some(sse) = event.sse {
            out.put(&place, Body::Sse { event: sse })?;
        }
        let bytes = event.bytes();
        let text: Cow<'_, str> = match &bytes {
            Cow::Borrowed(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => Cow::Borrowed(text),
                Err(_) => return out.malformed(&place, bytes, "the text is not UTF-8"),
            },
            Cow::Owned(bytes) => match String::from_utf8(bytes.clone()) {
                Ok(text) => Cow::Owned(text),
                Err(_) => return out.malformed(&place, bytes, "the text is not UTF-8"),
            },
        };
        out.promised(&place, &text, false)
    }
}

#[cfg(test)]
mod tests;
