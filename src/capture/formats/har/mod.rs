//! HAR documents: HTTP traffic as browsers, mitmproxy and other proxies export it.
//!
//! MCP over HTTP in all its forms: a POST and its answer as JSON or event stream, streams that a GET opens, sessions by
//! header or by URL, WebSockets. An entry is one stream; entries are put in the order of time, for documents list them
//! by start or by end. Messages within an event stream have no time of their own, but for the answer that ends it.

mod body;
mod document;
mod exchange;
mod order;
#[cfg(test)]
mod tests;

use rustc_hash::{FxHashMap, FxHashSet};

use self::document::{Creator, Entry};
use self::exchange::{Step, What, steps};
use super::document::{Elements, Lines, offset_in, value_of};
use crate::capture::format::{Format, Match, Reader, WholeReader};
use crate::capture::out::{Out, Place};
use crate::capture::sample::Sample;
use crate::capture::scan::value_end;
use crate::capture::{Body, Channel, Direction, Proof, Skip, Transport, Vantage};
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
        let head = &text[..text.len().min(4096)].trim_start();
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

/// An entry with its place in the document.
struct Listed<'a> {
    entry: Entry<'a>,
    line: u64,
    offset: usize,
}

/// A step with its entry.
struct Placed<'a> {
    step: Step<'a>,
    stream: u32,
    line: u64,
    channel: Key,
    /// When its entry started, as written.
    started: &'a str,
    /// True if it came on a stream that a GET opened, and has no time of its own.
    adrift: bool,
}

/// What tells connections apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Session(String),
    /// Without sessions: one server is one connection.
    Url(String),
    WebSocket(u32),
}

impl WholeReader for HarReader {
    fn read(&mut self, text: &str, base: u64, out: &mut Out<'_>) -> Result<()> {
        let log = value_of(text, 0, &["log"]);
        let vantage = log.and_then(|log| vantage(text, log)).unwrap_or(Vantage::Unknown);
        let mut list = Elements::new(text, log.and_then(|log| value_of(text, log, &["entries"])), "list of entries")?;
        let (mut entries, mut lines): (Vec<Listed<'_>>, _) = (Vec::new(), Lines::new(text));
        for (offset, raw) in list.by_ref() {
            let line = lines.of(offset);
            match serde_json::from_str(raw) {
                Ok(entry) => entries.push(Listed { entry, line, offset }),
                Err(_) => out.skip(line, Skip::NotAMessage),
            }
        }
        if let Some(cut) = list.cut {
            out.skip(lines.of(cut), Skip::CutOff);
        }
        let resolution_us =
            entries.iter().filter_map(|listed| listed.entry.started()).map(|(_, r)| r).min().unwrap_or(1);
        let mut placed = place_all(&entries, text, out);
        placed.sort_by_key(|placed| placed.step.order_us);
        let (placed, unordered) = order::after_their_causes(placed);
        let mut channels = Channels { by_key: FxHashMap::default(), unordered, vantage, resolution_us };
        let timed = entries.iter().any(|listed| listed.entry.started().is_some());
        for placed in &placed {
            let channel = channels.get(&placed.channel, out)?;
            let socket = matches!(placed.channel, Key::WebSocket(_));
            hand_on(placed, channel, (!socket).then_some(placed.stream), timed, base, out)?;
        }
        Ok(())
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

/// The steps of all entries; an entry without any is passed over.
fn place_all<'e>(entries: &'e [Listed<'_>], text: &str, out: &mut Out<'_>) -> Vec<Placed<'e>> {
    let mut found = Vec::new();
    let mut streams = 0;
    for Listed { entry, line, offset } in entries {
        let steps = steps(entry, *offset, |part| offset_in(text, part));
        if steps.is_empty() {
            out.skip(*line, Skip::NotAMessage);
            continue;
        }
        streams += 1;
        let (channel, get) = (key(entry, streams), entry.request.method == "GET" && entry.web_socket.is_empty());
        found.extend(steps.into_iter().map(|step| {
            let adrift = get && !step.timed;
            let started = entry.started_date_time.as_str();
            Placed { step, stream: streams, line: *line, channel: channel.clone(), started, adrift }
        }));
    }
    found
}

fn key(entry: &Entry<'_>, stream: u32) -> Key {
    if !entry.web_socket.is_empty() {
        return Key::WebSocket(stream);
    }
    if let Some(session) = entry.session() {
        return Key::Session(session.to_string());
    }
    let (path, query) = entry.request.url.split_once('?').unwrap_or((&entry.request.url, ""));
    let named = query.split('&').filter_map(|pair| pair.split_once('='));
    // The transport of 2024-11-05 names the session in the URL that it posts to.
    let session = named.into_iter().find(|(name, _)| matches!(*name, "sessionId" | "session_id")).map(|(_, id)| id);
    let announced = || body_session(entry);
    match session.map(str::to_string).or_else(announced) {
        Some(session) => Key::Session(session),
        None => Key::Url(path.to_string()),
    }
}

/// The session that the first event of an old event stream announces: `event: endpoint`, `data: /messages?sessionId=...`.
fn body_session(entry: &Entry<'_>) -> Option<String> {
    let content = entry.response.content.as_ref().filter(|_| entry.request.method == "GET")?;
    let body = content.body()?;
    let (name, data) = body::events(&body).into_iter().next()?;
    let (_, query) = data.split_once('?').filter(|_| name == Some("endpoint"))?;
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(name, _)| matches!(*name, "sessionId" | "session_id")).map(|(_, id)| id.to_string())
}

struct Channels {
    by_key: FxHashMap<Key, u32>,
    /// Connections with answers of which nobody knows whether they came before a cancel or after it.
    unordered: FxHashSet<Key>,
    vantage: Vantage,
    resolution_us: i64,
}

impl Channels {
    fn get(&mut self, key: &Key, out: &mut Out<'_>) -> Result<u32> {
        if let Some(channel) = self.by_key.get(key) {
            return Ok(*channel);
        }
        let http = !matches!(key, Key::WebSocket(_));
        let mut proof = if http { Proof::FULL.and(Proof::STREAMS) } else { Proof::FULL };
        if self.unordered.contains(key) {
            proof = proof.without(Proof::CANCEL_TARGET);
        }
        let channel = out.channel(Channel {
            name: match key {
                Key::Session(session) => Some(session.clone()),
                _ => None,
            },
            vantage: self.vantage,
            transport: if http { Transport::Http } else { Transport::Ordered },
            proof,
            resolution_us: self.resolution_us,
            ..Channel::default()
        })?;
        self.by_key.insert(key.clone(), channel);
        Ok(channel)
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
    out.said(placed.started);
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
        What::Missing => out.put(&place, Body::Gap { lost: None }),
    }
}
