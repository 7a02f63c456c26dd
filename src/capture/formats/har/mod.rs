//! HAR documents: HTTP traffic as browsers, mitmproxy and other proxies export it.
//!
//! MCP over HTTP in all its forms: a POST and its answer as JSON or event stream, streams that a GET opens, sessions by
//! header or by URL, WebSockets. An entry is one stream; entries are put in the order of time, for documents list them
//! by start or by end. Messages within an event stream have no time of their own, but for the answer that ends it.

mod body;
mod connection;
mod document;
mod exchange;
mod order;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use self::connection::Connections;
use self::document::{Creator, Entry};
use self::exchange::{Step, What, steps};
use super::document::{Elements, Lines, offset_in, value_of};
use crate::capture::format::{Format, Match, Reader, WholeReader};
use crate::capture::out::{Out, Place};
use crate::capture::sample::Sample;
use crate::capture::scan::value_end;
use crate::capture::{Body, Direction, Skip, Vantage};
use crate::error::Result;
use crate::protocol::Side;

/// The format.
pub(crate) struct Har;

impl Format for Har {
    fn name(&self) -> &'static str {
        "har"
    }

    fn about(&self) -> &'static str {
        "HAR: HTTP traffic exported by a browser, mitmproxy or another proxy"
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let text = sample.text();
        let end = (0..=text.len().min(4096)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let head = text[..end].trim_start();
        let document = head.starts_with('{') && head.contains("\"log\"");
        let entries = text.contains("\"entries\"") && text.contains("\"startedDateTime\"");
        // A long list of pages may stand before the entries.
        let creator = text.contains("\"creator\"") && text.contains("\"version\"") && text.contains("\"pages\"");
        (document && (entries || creator)).then(|| Match::new(88, "it is a JSON document with `log.entries`"))?
    }

    fn reader(&self, _: &Sample) -> Reader {
        Reader::Whole(Box::new(HarReader))
    }
}

struct HarReader;

/// A step with its entry.
struct Placed<'a> {
    step: Step<'a>,
    stream: u32,
    line: u64,
    /// Which of [`Connections`] it belongs to.
    connection: u32,
    /// When its entry started, as written.
    started: Cow<'a, str>,
    /// True if it came on a stream that a GET opened, and has no time of its own.
    adrift: bool,
}

impl WholeReader for HarReader {
    fn read(&mut self, text: &str, base: u64, out: &mut Out<'_>) -> Result<()> {
        let log = value_of(text, 0, &["log"]);
        let vantage = log.and_then(|log| vantage(text, log)).unwrap_or(Vantage::Unknown);
        let list = Elements::new(text, log.and_then(|log| value_of(text, log, &["entries"])), "list of entries")?;
        let mut found = Found::default();
        found.take(text, list, out);
        let Found { mut placed, mut connections, resolution_us, .. } = found;
        placed.sort_by_key(|placed| placed.step.order_us);
        let (placed, unordered) = order::after_their_causes(placed);
        for placed in &placed {
            let unordered = unordered.contains(&placed.connection);
            let channel = connections.channel(placed.connection, unordered, vantage, resolution_us, out)?;
            let stream = (!connections.is_socket(placed.connection)).then_some(placed.stream);
            hand_on(placed, channel, stream, resolution_us.is_some(), base, out)?;
        }
        Ok(())
    }
}

/// What the entries hold. An entry is taken apart and let go: a document may be large.
#[derive(Default)]
struct Found<'a> {
    placed: Vec<Placed<'a>>,
    connections: Connections,
    streams: u32,
    /// Resolution of the clock; `None` where no entry has a time.
    resolution_us: Option<i64>,
}

impl<'a> Found<'a> {
    fn take(&mut self, text: &'a str, mut list: Elements<'a>, out: &mut Out<'_>) {
        let mut lines = Lines::new(text);
        for (offset, raw) in list.by_ref() {
            let line = lines.of(offset);
            let steps =
                serde_json::from_str::<Entry<'a>>(raw).ok().and_then(|entry| self.entry(text, entry, offset, line));
            if steps.is_none() {
                out.skip(line, Skip::NotAMessage);
            }
        }
        if let Some(cut) = list.cut {
            out.skip(lines.of(cut), Skip::CutOff);
        }
    }

    /// The steps of one entry; `None` for other traffic.
    fn entry(&mut self, text: &'a str, entry: Entry<'a>, offset: usize, line: u64) -> Option<()> {
        if let Some((_, resolution)) = entry.started() {
            self.resolution_us = Some(self.resolution_us.map_or(resolution, |least| least.min(resolution)));
        }
        let steps = steps(&entry, offset, |part| offset_in(text, part));
        (!steps.is_empty()).then_some(())?;
        self.streams += 1;
        let connection = self.connections.of(&entry, self.streams);
        let get = entry.request.method == "GET" && entry.web_socket.is_empty();
        for step in steps {
            let (stream, started, adrift) = (self.streams, entry.started_date_time.clone(), get && !step.timed);
            self.placed.push(Placed { step, stream, line, connection, started, adrift });
        }
        Some(())
    }
}

/// Where the program sits that wrote the log at `log`; it names itself before the entries.
fn vantage(text: &str, log: usize) -> Option<Vantage> {
    let found = value_of(text, log, &["creator", "entries"])?;
    let creator = &text[found..value_end(text.as_bytes(), found).filter(|_| text[found..].starts_with('{'))?];
    let name = serde_json::from_str::<Creator>(creator).ok()?.name.to_lowercase();
    let is = |names: &[&str]| names.iter().any(|known| name.contains(known));
    if is(&["mitmproxy", "charles", "fiddler", "proxy", "burp", "zap", "mcpsnoop"]) {
        Some(Vantage::Proxy)
    } else if is(&["inspector", "firefox", "browser", "playwright", "puppeteer", "chrome", "webkit"]) {
        Some(Vantage::Client)
    } else {
        None
    }
}

fn hand_on(
    placed: &Placed<'_>,
    channel: u32,
    stream: Option<u32>,
    timed: bool,
    base: u64,
    out: &mut Out<'_>,
) -> Result<()> {
    let step = &placed.step;
    out.said(&placed.started);
    let place = Place {
        line: placed.line,
        byte_offset: base + step.offset as u64,
        channel,
        at_us: (timed && step.timed).then_some(step.order_us),
        direction: Direction::By(step.side),
        stream,
        taps: None,
    };
    match &step.what {
        What::Text(text) => out.promised(&place, text, false),
        What::StreamClosed(by) => {
            let direction = Direction::Unknown;
            out.put(&Place { direction, ..place }, Body::Close { by: *by })
        }
        What::Ended => out.put(&Place { stream: None, ..place }, Body::Close { by: Some(Side::Client) }),
        What::Missing => out.put(&place, Body::gap(None)),
    }
}
