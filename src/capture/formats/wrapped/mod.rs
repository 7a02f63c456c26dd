//! Wrapped messages, one JSON object a line: `{"ts":...,"dir":"c2s","session":...,"msg":{...}}` and its many relatives.
//!
//! Home-made loggers of every kind write this. Where a line keeps its message (as an object, as a string, or spread
//! over the wrapper), its direction, time and session is learned from the head of the log; the words that are
//! understood stand in `words`. `in`, `out` and the like are relative to whoever wrote the log, and are handed on as
//! such. The wrapper promises a message: what stands in its place and is none is malformed traffic.

mod candidates;
mod envelope;
mod example;
mod layout;
mod minted;
mod proven;
mod quoting;

use self::minted::Minted;
use self::quoting::quotes;
pub(crate) use envelope::{Envelope, Fault, Slot};
pub(crate) use layout::Layout;
use layout::NANOS;
pub(crate) use proven::{LONGEST, VALUES};

use crate::capture::encoded::{is_encoded, undone};
use crate::capture::events::is_event_stream;
use crate::capture::format::{Format, LineReader, Match, Reader};
use crate::capture::harm::is_spliced;
use crate::capture::lines::{Line, utf8};
use crate::capture::out::{Channels, Out, body, in_words};
use crate::capture::place::Place;
use crate::capture::sample::{Sample, looks_like_message};
use crate::capture::time;
use crate::capture::words::{self, Word};
use crate::capture::{Body, Channel, Direction, Proof, Skip};
use crate::error::Result;
use crate::json::scan::{members, skip_white, unquoted};
use crate::json::unescape;
use crate::jsonrpc::{Kind, Parsed};
use crate::protocol::{Facts, Sender, Side, sender_of};

/// The format.
pub(crate) struct Wrapped;

impl Format for Wrapped {
    fn name(&self) -> &'static str {
        "jsonl-wrapped"
    }

    fn about(&self) -> &'static str {
        "one JSON object a line with a message in it, and its direction, time or session beside it"
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let layout = Layout::of(sample);
        let lines = layout.examined;
        let cut = lines == 1 && layout.hits == 0 && !sample.whole && sample.lines().all(cut_wrapper);
        if cut {
            return Match::new(45, "the one line of its head is an object with a JSON-RPC message in it");
        }
        if !layout.is_wrapper() || layout.is_doubtful() || layout.hits * 20 < lines {
            return None;
        }
        let which = if layout.hits == lines {
            "every line is".to_string()
        } else {
            format!("{} of the first {lines} lines are", layout.hits)
        };
        let mut keys: Vec<String> =
            [&layout.time_key, &layout.direction_key].into_iter().flatten().map(|key| format!("{key:?}")).collect();
        keys.extend(layout.paths.iter().map(|path| format!("{:?}", path.trim_start_matches('/'))));
        let last = keys.pop().unwrap_or_default();
        let keys = if keys.is_empty() { last } else { format!("{} and {last}", keys.join(", ")) };
        let told = layout.told().map_or(String::new(), |told| format!("; {told}"));
        Match::new(60, format!("{which} a JSON object with {keys}{told}"))
    }

    /// A part that is too short to show who sent its messages has that from the part before.
    fn goes_on(&self, sample: &Sample, before: &Sample) -> Option<Sample> {
        let (own, known) = (Layout::of(sample), Layout::of(before));
        let is_short = own.direction_key.is_none() && known.direction_key.is_some();
        (is_short && known.reads_as_well(&own)).then(|| sample.taught(known))
    }

    fn reader(&self, sample: &Sample) -> Reader {
        let layout = Layout::of(sample);
        let minted = Minted::of(&layout, sample.text().lines());
        Reader::Lines(Box::new(WrappedReader {
            unwrap: Unwrapper { minted, ..Unwrapper::new(Layout::clone(&layout)) },
        }))
    }
}

/// Nanoseconds of a second, in microseconds.
#[cold]
fn micros_of(nanos: &str) -> i64 {
    nanos.parse().ok().filter(|nanos| (0..NANOS as i64).contains(nanos)).unwrap_or(0) / 1_000
}

/// A first line too long for the sample: an object in which a message begins.
fn cut_wrapper(line: &str) -> bool {
    let start = ["{\"jsonrpc\"", "{ \"jsonrpc\"", "{\\\"jsonrpc\\\""].iter().filter_map(|sign| line.find(sign)).min();
    line.starts_with('{')
        && start.is_some_and(|at| at > 0 && (line[at..].starts_with("{\\") || looks_like_message(&line[at..])))
}

struct WrappedReader {
    unwrap: Unwrapper,
}

impl LineReader for WrappedReader {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        match utf8(line.bytes) {
            Some(text) => self.unwrap.wrapper(text, line.number, line.offset, !line.ended, out),
            None => self.unwrap.foreign(line, out),
        }
    }

    fn oversized(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        out.skip_oversized(line);
        if self.unwrap.layout.hits == 0 {
            return Ok(());
        }
        // Its beginning may tell which connection lost a message here.
        let text = line.text();
        let mut found = Envelope::default();
        let _ = envelope::read(&text, 0, &self.unwrap.layout.root, &mut found);
        let place = self.unwrap.place(&found, &text, (line.number, line.offset), out)?;
        out.put(&place, Body::gap(Some(1)))
    }
}

/// Takes messages out of wrappers of one layout.
pub(crate) struct Unwrapper {
    layout: Layout,
    channels: Channels,
    /// The message of a string, unescaped.
    unescaped: String,
    name: String,
    clock: time::Clock,
    /// True once the user was asked what tells connections apart.
    keyed: bool,
    /// The user named what tells connections apart.
    asked: bool,
    /// True once a message has shown that the words that the others proved are no direction.
    mistrusted: bool,
    minted: Minted,
}

impl Unwrapper {
    pub(crate) fn new(layout: Layout) -> Unwrapper {
        Unwrapper {
            layout,
            channels: Channels::default(),
            unescaped: String::new(),
            name: String::new(),
            clock: time::Clock::default(),
            keyed: false,
            asked: false,
            mistrusted: false,
            minted: Minted::default(),
        }
    }

    /// One wrapper; `offset` is where `text` starts, `log_ends` that nothing follows it, not even a line's end.
    pub(crate) fn wrapper(
        &mut self,
        text: &str,
        line: u64,
        offset: u64,
        log_ends: bool,
        out: &mut Out<'_>,
    ) -> Result<()> {
        if skip_white(text.as_bytes(), 0) == text.len() {
            out.skip(line, Skip::Blank);
            return Ok(());
        }
        if !self.keyed {
            self.keyed = true;
            if let Some(keys) = out.connection_key() {
                self.asked = true;
                self.layout.rekey(&keys)?;
            }
        }
        let mut found = Envelope::default();
        let read = if self.layout.spread {
            self.spread(text, &mut found)
        } else {
            envelope::read(text, 0, &self.layout.root, &mut found)
        };
        match read {
            Ok(_) => {}
            Err(Fault::NoObject) => {
                out.skip(line, Skip::NotAMessage);
                return Ok(());
            }
            Err(Fault::Cut) if log_ends => {
                out.skip(line, Skip::CutOff);
                return Ok(());
            }
            Err(_) if matches!(found.message, Slot::None) => {
                out.skip(line, Skip::NotAMessage);
                return Ok(());
            }
            // What is left of a record does not even say whose it was.
            Err(_) if !found.is_whole(text) => {
                out.skip(line, Skip::NotAMessage);
                return Ok(());
            }
            Err(_) => {}
        }
        self.emit(text, found, line, offset, out)
    }

    /// One record of a document: a wrapper, or a batch.
    pub(crate) fn record(&mut self, text: &str, line: u64, offset: u64, out: &mut Out<'_>) -> Result<()> {
        if !text.starts_with('[') {
            return self.wrapper(text, line, offset, false, out);
        }
        let place = self.place(&Envelope::default(), text, (line, offset), out)?;
        out.promised(&place, text, false)
    }

    /// The wrapper is the message, with members of its own beside those of the envelope.
    fn spread<'a>(&self, text: &'a str, found: &mut Envelope<'a>) -> std::result::Result<usize, Fault> {
        let end = envelope::read(text, 0, &self.layout.root, found)?;
        let start = skip_white(text.as_bytes(), 0);
        if looks_like_message(&text[start..]) || self.is_directed(&text[start..], found.direction) {
            found.message = match crate::jsonrpc::parse_at(text, start) {
                Ok((parsed, end)) => Slot::Parsed(parsed, start..end),
                Err(fault) => Slot::Broken(fault, start..end),
            };
        }
        Ok(end)
    }

    /// True for what says who sent it and asks, tells or answers, in a log whose messages name no version.
    fn is_directed(&self, text: &str, direction: Option<&str>) -> bool {
        let (mut method, mut id, mut answer) = (false, false, false);
        for member in members(text).filter(|_| self.layout.unversioned) {
            match member.key {
                "method" => method = true,
                "id" => id = true,
                "result" | "error" => answer = true,
                _ => {}
            }
        }
        (method || id && answer) && matches!(self.word(direction), Some(Word::Direction(_)))
    }

    #[inline(always)]
    fn emit(&mut self, text: &str, found: Envelope<'_>, line: u64, offset: u64, out: &mut Out<'_>) -> Result<()> {
        if matches!(found.message, Slot::None | Slot::Other) {
            return self.without_message(text, &found, line, offset, out);
        }
        let mut place = self.place(&found, text, (line, offset), out)?;
        match found.message {
            Slot::Parsed(parsed, _) if self.is_remark(found.direction, &parsed) => {
                out.skip(line, Skip::Header);
                Ok(())
            }
            Slot::Parsed(parsed, range) if self.is_unsaid(&place) && out.has_heard(text, &range, &parsed) => {
                out.skip(line, Skip::Duplicate);
                Ok(())
            }
            Slot::Parsed(parsed, range) => {
                self.doubt(&text[range.clone()], &mut place, out)?;
                place.byte_offset += range.start as u64;
                out.put(&place, body(text, range, parsed))
            }
            Slot::Broken(fault, range) => {
                place.byte_offset += range.start as u64;
                let bytes = &text.as_bytes()[range];
                match is_spliced(bytes) {
                    true => out.put(&place, Body::gap(Some(1))),
                    false => out.malformed(&place, bytes, &in_words(&fault)),
                }
            }
            Slot::Text(range) => {
                place.byte_offset += range.start as u64;
                let mut unescaped = std::mem::take(&mut self.unescaped);
                unescape(text, range.start, &mut unescaped);
                // What is written anew is not seen on the line, and where it stood tells what stands beside it.
                out.read_to_end_of(&text[range.start..range.end + 1]);
                self.doubt(&unescaped, &mut place, out)?;
                let done = self.text(&unescaped, found.direction, &place, out);
                self.unescaped = unescaped;
                done
            }
            Slot::None | Slot::Other => Ok(()),
        }
    }

    /// True for a record that does not say who sent its message, where others do.
    #[inline]
    fn is_unsaid(&self, place: &Place) -> bool {
        place.direction == Direction::Unknown && self.layout.direction_key.is_some() && !self.mistrusted
    }

    /// Words whose meaning the first messages prove are no direction where a later one proves the contrary: a program may be the client
    /// of one connection and the server of another. Or its sender is at fault: who sent that one is not told.
    fn doubt(&mut self, text: &str, place: &mut Place, out: &mut Out<'_>) -> Result<()> {
        if !self.layout.proven || self.mistrusted {
            return Ok(());
        }
        let method = members(text).find(|member| member.key == "method").map(|member| unquoted(member.value));
        let sender = match method.and_then(sender_of) {
            Some(Sender::Client) => Side::Client,
            Some(Sender::Server) => Side::Server,
            _ => return Ok(()),
        };
        if place.direction == Direction::By(sender.peer()) {
            (self.mistrusted, place.direction) = (true, Direction::Unknown);
            return out.sender_is_guessed(place);
        }
        Ok(())
    }

    /// A string where the message is kept: a message, a line of stderr, or what should have been a message.
    fn text(&self, text: &str, direction: Option<&str>, place: &Place, out: &mut Out<'_>) -> Result<()> {
        if self.word(direction) == Some(Word::Stderr) {
            return out.put(place, Body::Stderr { text: text.trim_end_matches(['\n', '\r']) });
        }
        if let Some(undone) = undone(text) {
            return out.put_undone(place, text, &undone);
        }
        let json = text.trim_start().starts_with(['{', '[']);
        if is_event_stream(text) {
            return out.put_events(place, text);
        }
        // A logger that keeps its own texts under the same key promises nothing by it, and nothing is sent by an empty one.
        if !json && (self.word(direction).is_none() || text.trim_ascii().is_empty()) && !is_encoded(text) {
            let quotes = self.is_unsaid(place) && quotes(text, out);
            out.skip(place.line, if quotes { Skip::Duplicate } else { Skip::NotAMessage });
            return Ok(());
        }
        out.promised_or(place, text, |out, fault| {
            let is_lost = is_spliced(text.as_bytes()) || fault.cut && out.is_longest(text);
            is_lost.then(|| out.put(place, Body::gap(Some(1))))
        })
    }

    #[cold]
    fn without_message(
        &mut self,
        text: &str,
        found: &Envelope<'_>,
        line: u64,
        offset: u64,
        out: &mut Out<'_>,
    ) -> Result<()> {
        let may_hold_one = text.contains("jsonrpc") || text.contains("\"method");
        if may_hold_one && matches!(found.message, Slot::None) && self.layout.extend(text) {
            return self.wrapper(text, line, offset, false, out);
        }
        out.skip(line, Skip::NotAMessage);
        Ok(())
    }

    /// A line that is not UTF-8: a message that could not be read, or none.
    #[cold]
    fn foreign(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let text = line.text();
        let mut found = Envelope::default();
        let read = envelope::read(&text, 0, &self.layout.root, &mut found);
        if read.is_err() || !self.layout.spread && matches!(found.message, Slot::None | Slot::Other) {
            out.skip(line.number, Skip::NotAMessage);
            return Ok(());
        }
        out.not_utf8(line.number, line.bytes)
    }

    /// True for what the logger itself says under the message's key, with a word of its own for the direction.
    fn is_remark(&self, direction: Option<&str>, parsed: &Parsed<'_, Facts<'_>>) -> bool {
        let Parsed::One(message, _) = parsed else { return false };
        message.kind == Kind::Unclassified && self.layout.direction_key.is_some() && self.word(direction).is_none()
    }

    fn word(&self, direction: Option<&str>) -> Option<Word> {
        let word = direction?;
        if let Some((_, known)) = self.layout.words.iter().find(|(known, _)| **known == *word) {
            return Some(*known);
        }
        words::direction(self.layout.direction_key.as_deref().unwrap_or(""), word)
    }

    fn place(
        &mut self,
        found: &Envelope<'_>,
        text: &str,
        (line, offset): (u64, u64),
        out: &mut Out<'_>,
    ) -> Result<Place> {
        let channel = self.channel(found, text, out)?;
        let direction = match self.word(found.direction) {
            Some(Word::Direction(direction)) if !self.mistrusted => direction,
            _ => Direction::Unknown,
        };
        let at_us = found.time.and_then(|text| self.clock.read_in(text, out.zoning()));
        let at_us = at_us.map(|us| us + found.nanos.map_or(0, micros_of));
        if let Some(time) = found.time.filter(|_| at_us.is_some()) {
            out.said(time);
        }
        Ok(Place { line, byte_offset: offset, channel, at_us, direction, stream: None, taps: None })
    }

    fn channel(&mut self, found: &Envelope<'_>, text: &str, out: &mut Out<'_>) -> Result<u32> {
        let layout = &self.layout;
        if self.asked {
            out.key_is_told(found.session.or(found.connection).is_some());
        }
        let name = match (found.session, found.connection) {
            (Some(session), None) => session,
            (None, Some(connection)) => connection,
            (None, None) => "",
            (Some(session), Some(connection)) => {
                self.name.clear();
                self.name.extend([session, "/", connection]);
                &self.name
            }
        };
        let channel = |name: &str| {
            let proof =
                if layout.direction_key.is_some() { Proof::FULL } else { Proof::FULL.without(Proof::DIRECTION) };
            let name = (!name.is_empty()).then(|| crate::json::lenient_string(name).into_owned());
            Channel { name, proof, resolution_us: layout.resolution_us, ..Channel::default() }
        };
        match self.minted.handshake(name, text) {
            // No name of a log has such a character.
            Some(handshake) => self.channels.get(&format!("\0{handshake}"), out, || channel("")),
            None => self.channels.get(name, out, || channel(name)),
        }
    }
}

#[cfg(test)]
mod tests;
