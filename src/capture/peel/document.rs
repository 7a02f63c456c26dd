//! Exports of cloud services: `aws logs filter-log-events` and Datadog's log search.
//!
//! `{"events":[{"logStreamName":..,"timestamp":..,"message":".."}]}`, and `{"id":..,"type":"log","attributes":{..}}`, one
//! a line, in a list or under `data`. Both come in any order, Datadog's newest first: the document is read whole and
//! put in the order of its times; of equal times the order is that of the file, turned round where the file is.

use super::nested::{Peeled, Readers};
use super::{DEPTH, chain, inner};
use crate::capture::format::{Format, Match, Reader, WholeReader};
use crate::capture::out::Out;
use crate::capture::sample::Sample;
use crate::capture::scan::{MemberText, Members, members, skip_white, unescape, unquoted};
use crate::capture::{Skip, time};
use crate::error::Result;

/// A kind of export.
pub(crate) struct Document {
    name: &'static str,
    about: &'static str,
    event: fn(&str) -> (Option<Event<'_>>, Option<usize>),
}

/// CloudWatch Logs.
pub(crate) static CLOUDWATCH: Document = Document {
    name: "cloudwatch",
    about: "aws logs filter-log-events and get-log-events, around a log in any other format",
    event: cloudwatch,
};

/// Datadog.
pub(crate) static DATADOG: Document =
    Document { name: "datadog", about: "logs exported from Datadog, around a log in any other format", event: datadog };

/// One event, its parts as written.
#[derive(Default)]
struct Event<'a> {
    stream: &'a str,
    time: &'a str,
    /// Where the content of the message's string starts in the event.
    message: usize,
}

fn message_at(member: &MemberText<'_>) -> Option<usize> {
    member.value.starts_with('"').then_some(member.at + 1)
}

/// The event at the start of a text, and the byte after it.
fn cloudwatch(text: &str) -> (Option<Event<'_>>, Option<usize>) {
    let mut all = members(text);
    let event = cloudwatch_event(&mut all);
    all.by_ref().for_each(drop);
    (event, all.end())
}

fn cloudwatch_event<'a>(all: &mut Members<'a>) -> Option<Event<'a>> {
    let (mut event, mut found) = (Event::default(), 0);
    for member in all {
        match member.key {
            "logStreamName" => event.stream = unquoted(member.value),
            "timestamp" => event.time = member.value,
            "message" => event.message = message_at(&member)?,
            "ingestionTime" | "eventId" => {}
            _ => continue,
        }
        found += 1;
    }
    (found >= 3 && event.message > 0 && !event.time.is_empty()).then_some(event)
}

/// The same.
fn datadog(text: &str) -> (Option<Event<'_>>, Option<usize>) {
    let mut all = members(text);
    let event = datadog_event(&mut all);
    all.by_ref().for_each(drop);
    (event, all.end())
}

fn datadog_event<'a>(all: &mut Members<'a>) -> Option<Event<'a>> {
    let attributes = all.find(|member| matches!(member.key, "attributes" | "content"))?;
    let mut event = Event::default();
    for member in members(attributes.value) {
        match member.key {
            "service" => event.stream = unquoted(member.value),
            "timestamp" => event.time = unquoted(member.value),
            "message" => event.message = attributes.at + message_at(&member)?,
            _ => {}
        }
    }
    (event.message > 0 && !event.time.is_empty()).then_some(event)
}

/// Calls `each` with every object and the byte at which it starts: in the array of the document, or one after the other.
/// What `each` gives is where the object ends.
fn elements<'t>(text: &'t str, mut each: impl FnMut(&'t str, usize) -> Option<usize>) {
    let bytes = text.as_bytes();
    let start = skip_white(bytes, 0);
    let mut at = match bytes.get(start) {
        Some(b'[') => start + 1,
        _ => list_in(text, start).unwrap_or(start),
    };
    loop {
        at = skip_white(bytes, at);
        if bytes.get(at) == Some(&b',') {
            at = skip_white(bytes, at + 1);
        }
        if bytes.get(at) != Some(&b'{') {
            return;
        }
        let Some(length) = each(&text[at..], at) else { return };
        at += length;
    }
}

/// The byte after the bracket of the list that an object keeps its events in; the list may be cut off.
fn list_in(text: &str, start: usize) -> Option<usize> {
    if text.as_bytes().get(start) != Some(&b'{') {
        return None;
    }
    ["\"events\"", "\"data\""].iter().find_map(|key| {
        let key_at = text[start..].find(key)? + start;
        let colon = skip_white(text.as_bytes(), key_at + key.len());
        let open = skip_white(text.as_bytes(), colon + 1);
        let is_first = text[start + 1..key_at].bytes().all(|byte| byte.is_ascii_whitespace());
        let opens = text.as_bytes().get(colon) == Some(&b':') && text.as_bytes().get(open) == Some(&b'[');
        (opens && (is_first || !text[start..key_at].contains('['))).then_some(open + 1)
    })
}

impl Document {
    fn peel(&self, sample: &Sample) -> Sample {
        let (mut all, mut message) = (String::new(), String::new());
        elements(sample.text(), |text, _| {
            let (event, end) = (self.event)(text);
            if let Some(event) = event.filter(|_| end.is_some()) {
                unescape(text, event.message, &mut message);
                all.push_str(message.trim_end_matches('\n'));
                all.push('\n');
            }
            end
        });
        Sample::peeled(all.as_bytes(), sample)
    }
}

impl Format for Document {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn chain(&self, sample: &Sample) -> String {
        chain(self.name, &self.peel(sample))
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let mut is_event = false;
        elements(sample.text(), |text, _| {
            is_event = matches!((self.event)(text), (Some(_), Some(_)));
            None
        });
        if !is_event || sample.depth >= DEPTH {
            return None;
        }
        let (_, found) = inner(&self.peel(sample))?;
        Match::new(95, format!("it is a {} export; inside, {}", self.name, found.reason))
    }

    fn reader(&self, sample: &Sample) -> Reader {
        Reader::Whole(Box::new(DocumentReader { event: self.event, readers: Readers::new(self.peel(sample)) }))
    }
}

struct DocumentReader {
    event: fn(&str) -> (Option<Event<'_>>, Option<usize>),
    readers: Readers,
}

/// An event and where it stands.
struct Placed<'a> {
    event: Event<'a>,
    text: &'a str,
    number: u64,
    offset: u64,
    at_us: i64,
}

impl WholeReader for DocumentReader {
    fn read(&mut self, text: &str, base: u64, out: &mut Out<'_>) -> Result<()> {
        let (mut line, mut counted) = (1, 0);
        let mut events: Vec<Placed<'_>> = Vec::new();
        elements(text, |rest, at| {
            line += memchr::memchr_iter(b'\n', &text.as_bytes()[counted..at]).count() as u64;
            counted = at;
            let (event, end) = (self.event)(rest);
            match event.filter(|_| end.is_some()) {
                None => out.skip(line, if end.is_some() { Skip::NotAMessage } else { Skip::CutOff }),
                Some(event) => {
                    let at_us = time::parse(event.time).map_or(i64::MIN, |time| time.us);
                    let offset = base + (at + event.message) as u64;
                    events.push(Placed { event, text: rest, number: line, offset, at_us });
                }
            }
            end
        });
        if events.first().zip(events.last()).is_some_and(|(first, last)| first.at_us > last.at_us) {
            events.reverse();
        }
        events.sort_by_key(|event| event.at_us);
        let mut message = String::new();
        for placed in &events {
            unescape(placed.text, placed.event.message, &mut message);
            let Placed { event, number, offset, .. } = placed;
            let (key, time, number, offset) = (event.stream, event.time, *number, *offset);
            let whole = Peeled { key, number, offset, time, bytes: message.as_bytes(), ended: true };
            super::container::lines(&whole, &mut |peeled| self.readers.give(peeled, out))?;
        }
        self.readers.end(out)
    }
}
