//! Records of exchanges: one JSON object a line, or a document of them.

use std::ops::Range;

use rustc_hash::FxHashSet;
use twox_hash::XxHash3_64;

use super::announced::{Announced, announces};
use super::learn::{Learned, learn};
use super::{Collected, Exchange, Layout, Slot};
use crate::capture::Skip;
use crate::capture::format::{Format, LineReader, Match, Reader, WholeReader};
use crate::capture::formats::elements::{elements, is_by_line};
use crate::capture::lines::Line;
use crate::capture::lines::LineNumbers;
use crate::capture::out::Out;
use crate::capture::sample::Sample;
use crate::capture::words::plain;
use crate::error::Result;
use crate::json::scan::{members, skip_white, value_end};

/// The format: records whose layout is learned.
pub(in crate::capture) struct Records;

impl Format for Records {
    fn name(&self) -> &'static str {
        "http-exchange"
    }

    fn about(&self) -> &'static str {
        "JSON records with an HTTP request and its response in each: gateways, proxies and their hooks, audits, monitors"
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let texts = texts(sample);
        let Learned { layout, hits, examined, bodies } = learn(texts.iter().copied())?;
        let of =
            if examined == 1 { "its record".to_string() } else { format!("{hits} of the first {examined} records") };
        let mut what = match &bodies[..] {
            [request, response] => format!("{of} hold an HTTP request with its response, at {request} and {response}"),
            _ => format!("{of} hold the body of an HTTP request, at {}", bodies.join(" ")),
        };
        if announces(&texts, &layout) {
            what.push_str("; requests stand in records of their own, and once more beside their answers");
        }
        // What spells out the types of its values is a record around one: its own times are within.
        let typed = bodies.iter().any(|path| path.contains("/kvlistValue/"));
        Match::new(if typed { 60 } else { 72 }, what)
    }

    fn reader(&self, sample: &Sample) -> Reader {
        reader(sample, learn(texts(sample).into_iter()).map(|learned| learned.layout))
    }
}

/// `knows_end` where more than one record tells it.
pub(super) fn collected<'a>(layout: &Layout, knows_end: bool) -> Collected<'a> {
    let knows_end = knows_end || layout.knows_end();
    Collected::new(layout.vantage, !knows_end, layout.paths(Slot::Session).next().is_some())
}

/// The records of a sample: those of a document, where it is one, else its lines and what is listed on them.
pub(in crate::capture) fn texts(sample: &Sample) -> Vec<&str> {
    document(sample).unwrap_or_else(|| sample.lines().flat_map(|line| listed(line).map(|range| &line[range])).collect())
}

/// Where the records of a line stand: loggers that send several at a time write a list of them.
fn listed(line: &str) -> impl Iterator<Item = Range<usize>> {
    let at = skip_white(line.as_bytes(), 0);
    let is_list = line[at..].starts_with('[') && line[at + 1..].trim_start().starts_with('{');
    let (one, several) = if is_list { (None, elements(line).ranges) } else { (Some(at..line.len()), Vec::new()) };
    one.into_iter().chain(several)
}

/// The records of a document; `None` where lines are the records. A record on one line may hold arrays of its own.
fn document(sample: &Sample) -> Option<Vec<&str>> {
    let text = sample.text();
    if !text.trim_start().starts_with(['{', '[']) || is_by_line(sample) {
        return None;
    }
    let records: Vec<&str> = elements(text).ranges.into_iter().map(|range| &text[range]).collect();
    let by_line = learn(records.iter().copied()).is_none() && learn(sample.lines()).is_some();
    (!by_line).then_some(records)
}

/// A reader for the text that the sample was taken from; without a layout it learns one of the first record that has one.
pub(in crate::capture) fn reader(sample: &Sample, layout: Option<Layout>) -> Reader {
    let is_on = layout.as_ref().is_some_and(|layout| announces(&texts(sample), layout));
    match document(sample) {
        None => Reader::Ordered(Box::new(ByLine::new(layout, is_on))),
        Some(_) => Reader::Whole(Box::new(Document { layout, is_on })),
    }
}

/// How many records are remembered.
const REMEMBERED: usize = 1 << 16;

/// Names of what is another one in each record.
const UNIQUE: [&str; 9] =
    ["eventid", "requestid", "insertid", "auditid", "flowid", "traceid", "spanid", "recordid", "uuid"];

/// The records that were read, to know one that was delivered twice.
#[derive(Default)]
pub(in crate::capture::formats) struct Delivered(FxHashSet<u64>);

impl Delivered {
    /// True for a record that was read before, byte for byte, with a time or a number that no other one has.
    pub(in crate::capture::formats) fn knows(
        &mut self,
        record: &str,
        exchanges: &[Exchange<'_>],
        out: &mut Out<'_>,
    ) -> bool {
        let fine = |exchange: &Exchange<'_>| {
            exchange.start_us.or(exchange.end_us).is_some() && exchange.resolution_us.is_some_and(|us| us < 1_000_000)
        };
        !self.is_new(record, out)
            && (exchanges.iter().any(fine) || members(record).any(|member| UNIQUE.contains(&&*plain(member.key))))
    }

    /// True for a record that was not read before, byte for byte, neither here nor in the part of the log before.
    pub(super) fn is_new(&mut self, record: &str, out: &mut Out<'_>) -> bool {
        let digest = XxHash3_64::oneshot(record.as_bytes());
        let delivered = out.was_delivered(digest);
        if self.0.len() >= REMEMBERED {
            self.0.clear();
        }
        self.0.insert(digest) && !delivered
    }
}

struct ByLine {
    layout: Option<Layout>,
    found: Option<Collected<'static>>,
    announced: Announced<'static>,
    seen: Delivered,
    /// Room for reading a record.
    room: Vec<u8>,
}

impl ByLine {
    fn new(layout: Option<Layout>, is_on: bool) -> ByLine {
        let announced = Announced::new(is_on);
        ByLine { layout, found: None, announced, seen: Delivered::default(), room: Vec::new() }
    }
}

impl LineReader for ByLine {
    fn reads_parts(&self) -> bool {
        true
    }

    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let text = line.text();
        let at = skip_white(text.as_bytes(), 0);
        if at == text.len() {
            out.skip(line.number, Skip::Blank);
            return Ok(());
        }
        let is_cut = || text[at..].starts_with('{') && value_end(text.as_bytes(), at).is_none();
        let cut = if line.ended { Skip::NotAMessage } else { Skip::CutOff };
        if self.layout.is_none() {
            let records = listed(&text).map(|range| &text[range]);
            self.layout = learn(records).map(|learned| learned.layout);
        }
        let Some(layout) = &self.layout else {
            out.skip(line.number, if is_cut() { cut } else { Skip::NotAMessage });
            return Ok(());
        };
        let found = self.found.get_or_insert_with(|| collected(layout, self.announced.is_on));
        let mut any = false;
        for range in listed(&text) {
            let offset = line.offset as usize + range.start;
            let (exchanges, ends) = layout.exchanges(&text[range.clone()], line.number, offset, out, &mut self.room);
            if !ends && is_cut() {
                out.skip(line.number, cut);
                return Ok(());
            }
            if self.seen.knows(&text[range], &exchanges, out) {
                out.skip(line.number, Skip::Duplicate);
                any = true;
                continue;
            }
            let written_us = [None, out.wrapper_time()];
            for exchange in exchanges {
                let exchange = Exchange { written_us, ..exchange };
                any |= match self.announced.is_on {
                    true => self.announced.take(exchange.into_owned(), &mut |exchange| found.take(exchange)),
                    false => found.take_owned(exchange),
                };
            }
        }
        if !any {
            out.skip(line.number, Skip::NotAMessage);
        }
        found.hand_on(false, 0, out)
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<()> {
        let Some(found) = &mut self.found else { return Ok(()) };
        self.announced.end(&mut |exchange| found.take(exchange));
        found.hand_on(true, 0, out)
    }
}

struct Document {
    layout: Option<Layout>,
    is_on: bool,
}

impl WholeReader for Document {
    fn read(&mut self, text: &str, base: u64, out: &mut Out<'_>) -> Result<()> {
        let records = elements(text);
        let mut lines = LineNumbers::new(text);
        let each = || records.ranges.iter().map(|range| &text[range.clone()]);
        if self.layout.is_none() {
            self.layout = learn(each()).map(|learned| learned.layout);
        }
        let mut found = self.layout.as_ref().map(|layout| collected(layout, self.is_on));
        let mut announced = Announced::new(self.is_on);
        let (mut seen, mut room) = (Delivered::default(), Vec::new());
        let mut strays = records.strays.iter().peekable();
        for range in &records.ranges {
            while let Some(stray) = strays.next_if(|stray| stray.range.start < range.start) {
                stray.pass(text, lines.of(stray.range.start), out)?;
            }
            let line = lines.of(range.start);
            let mut any = false;
            if let (Some(layout), Some(found)) = (&self.layout, &mut found) {
                let (exchanges, _) = layout.exchanges(&text[range.clone()], line, range.start, out, &mut room);
                if seen.knows(&text[range.clone()], &exchanges, out) {
                    out.skip(line, Skip::Duplicate);
                    continue;
                }
                for exchange in exchanges {
                    any |= announced.take(exchange, &mut |exchange| found.take(exchange));
                }
            }
            if !any {
                out.skip(line, Skip::NotAMessage);
            }
        }
        for stray in strays {
            stray.pass(text, lines.of(stray.range.start), out)?;
        }
        if let Some(at) = records.cut {
            out.skip(lines.of(at), Skip::CutOff);
        }
        let Some(mut found) = found else { return Ok(()) };
        announced.end(&mut |exchange| found.take(exchange));
        found.hand_on(true, base, out)
    }
}
