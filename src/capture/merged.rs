//! Two logs of one connection, taken at its client and at its server, read as one: each message that both have carries the
//! place and the time of both, so that who had received what when is no question of latency any more.
//!
//! The server's log is read first and hands on nothing; the client's then hands on what happened, in its own order.

use std::cell::RefCell;
use std::io::Read;
use std::rc::Rc;

use super::copies::{Key, pair};
use super::{
    Body, Captured, Channel, Direction, Exit, Frame, FrameSink, Missing, Overrides, Resume, Skip, Source, Stamp,
    Transport, Vantage, Why,
};
use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::{Parsed, parse};
use crate::protocol::{Facts, Side};

/// How much text of the two logs is held.
const HELD_BYTES: usize = 256 << 20;

/// How the messages of the two logs met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Met {
    /// Messages that are in both.
    pub both: u64,
    /// Messages that only the client's log has.
    pub client: u64,
    /// Messages that only the server's log has.
    pub server: u64,
}

/// The two logs, to be read in this order.
pub struct Merged {
    /// The server's, then the client's.
    pub sources: [Box<dyn Source>; 2],
    /// How they met, once both were read.
    pub met: Rc<RefCell<Met>>,
}

/// Opens a client's and a server's log of one connection.
pub fn merged(client: &str, server: &str, overrides: &Overrides) -> Result<Merged> {
    let at = |vantage| Overrides { vantage: Some(vantage), ..overrides.clone() };
    let shared = Rc::new(RefCell::new(Held::default()));
    let met = Rc::new(RefCell::new(Met::default()));
    let tap = |side, path: &str, vantage| -> Result<Box<dyn Source>> {
        let inner = super::open(path, &at(vantage))?;
        Ok(Box::new(Tap { side, inner, server: shared.clone(), met: met.clone() }))
    };
    let sources = [tap(Side::Server, server, Vantage::Server)?, tap(Side::Client, client, Vantage::Client)?];
    Ok(Merged { sources, met })
}

/// One of the two logs.
struct Tap {
    side: Side,
    inner: Box<dyn Source>,
    /// What the server's log holds.
    server: Rc<RefCell<Held>>,
    met: Rc<RefCell<Met>>,
}

impl Source for Tap {
    fn name(&self) -> &str {
        self.inner.name()
    }
    fn format(&self) -> &str {
        self.inner.format()
    }
    fn reason(&self) -> &str {
        self.inner.reason()
    }
    fn size(&self) -> Option<u64> {
        self.inner.size()
    }
    fn content(&self) -> Result<Option<Box<dyn Read>>> {
        self.inner.content()
    }
    fn can_resume(&self) -> bool {
        false
    }

    fn read(&mut self, source: u32, from: Resume, sink: &mut dyn FrameSink) -> Result<Resume> {
        let mut held = Held::default();
        let end = self.inner.read(source, from, &mut Collect { held: &mut held, side: self.side, sink: &mut *sink })?;
        if held.channels.len() > 1 {
            let message = format!("{} holds {} connections, and one is merged", self.name(), held.channels.len());
            return Err(Error::new(ErrorKind::Input, message).hint("`rpctape extract` makes a log of one connection"));
        }
        match self.side {
            Side::Server => *self.server.borrow_mut() = held,
            Side::Client => self.hand_on(held, sink)?,
        }
        Ok(end)
    }
}

impl Tap {
    fn hand_on(&self, client: Held, sink: &mut dyn FrameSink) -> Result<()> {
        let server = std::mem::take(&mut *self.server.borrow_mut());
        if let Some(channel) = channel(client.channels.first(), server.channels.first()) {
            sink.channel(0, channel)?;
        }
        let mut met = Met::default();
        for (event, copy) in pair(client.events, server.events, Event::key) {
            if matches!(event.what, What::Text(_)) {
                *match (&copy, event.tap) {
                    (Some(_), _) => &mut met.both,
                    (None, Side::Client) => &mut met.client,
                    (None, Side::Server) => &mut met.server,
                } += 1;
            }
            event.emit(copy.as_ref(), sink)?;
        }
        *self.met.borrow_mut() = met;
        if met.both == 0 {
            let message = format!("{} and the log it is merged with have no message in common", self.name());
            return Err(Error::new(ErrorKind::Input, message)
                .hint("name the client's log, then the server's, both of the same connection"));
        }
        Ok(())
    }
}

/// What both logs say of the connection: what only one of them proves is not proven.
fn channel(client: Option<&Channel>, server: Option<&Channel>) -> Option<Channel> {
    let (own, other) = (client.or(server)?, server.or(client)?);
    let http = own.transport == Transport::Http || other.transport == Transport::Http;
    Some(Channel {
        profile: own.profile.or(other.profile),
        vantage: Vantage::Merged,
        transport: if http { Transport::Http } else { own.transport },
        complete_head: [own, other]
            .iter()
            .find_map(|one| one.complete_head.filter(|whole| *whole))
            .or(own.complete_head),
        proof: own.proof.without(own.proof.without(other.proof)),
        resolution_us: own.resolution_us.max(other.resolution_us),
        ..own.clone()
    })
}

/// What a log holds.
#[derive(Default)]
struct Held {
    channels: Vec<Channel>,
    events: Vec<Event>,
    bytes: usize,
}

/// What is held of a frame.
enum What {
    /// The text of a message or a batch.
    Text(Box<str>),
    Malformed(Box<[u8]>, String),
    Open(Option<Side>),
    Close(Option<Side>),
    Exit(Exit),
    Stderr(Box<str>),
    Http(Box<str>),
    Sse(Box<str>),
    Missing {
        why: Why,
        to_line: Option<u64>,
        lost: Option<u64>,
        words: Box<str>,
    },
}

/// One frame of one of the logs.
struct Event {
    tap: Side,
    seq: u64,
    source: u32,
    line: u64,
    byte_offset: u64,
    channel: u32,
    at_us: Option<i64>,
    direction: Direction,
    stream: Option<u32>,
    what: What,
}

impl Event {
    fn key(&self) -> Key {
        let named = |name: &str| Key::event("", Direction::Unknown, name);
        match &self.what {
            What::Text(text) => Key::message("", self.direction, text),
            What::Malformed(bytes, _) => Key::raw("", self.direction, &String::from_utf8_lossy(bytes)),
            What::Close(by) if self.stream.is_none() => named(&format!("close {by:?}")),
            What::Exit(exit) => named(&exit.to_string()),
            What::Open(_) if self.stream.is_none() => named("open"),
            // Streams have numbers of their own in each log; the rest is each tap's own.
            _ => named(&format!("{:?} {} {}", self.tap, self.source, self.seq)),
        }
    }

    /// What only the server's log has beside messages says nothing that the client's order has a place for.
    fn counts(&self) -> bool {
        self.tap == Side::Client || matches!(self.what, What::Text(_) | What::Malformed(..) | What::Missing { .. })
    }

    fn stamp(&self) -> Stamp {
        Stamp { seq: self.seq, at_us: self.at_us }
    }

    fn emit(&self, copy: Option<&Event>, sink: &mut dyn FrameSink) -> Result<()> {
        if !self.counts() {
            return Ok(());
        }
        let (own, other) = (Some(self.stamp()), copy.map(Event::stamp));
        let client = self.tap == Side::Client;
        let body = match &self.what {
            What::Text(text) => match parse::<Facts<'_>>(text) {
                Ok(Parsed::One(message, facts)) => Body::Message(Captured { text, json: None, message, facts }),
                Ok(Parsed::Batch(members)) => Body::Batch {
                    text,
                    members: members.into_iter().map(|(at, one)| (at, one.map_err(|bad| bad.reason))).collect(),
                },
                Err(bad) => Body::Malformed { bytes: text.as_bytes(), reason: bad.reason },
            },
            What::Malformed(bytes, reason) => Body::Malformed { bytes, reason: reason.clone() },
            What::Open(by) => Body::Open { by: *by },
            What::Close(by) => Body::Close { by: *by },
            What::Exit(exit) => Body::Exit(*exit),
            What::Stderr(text) => Body::Stderr { text },
            What::Http(head) => Body::Http { head },
            What::Sse(event) => Body::Sse { event },
            What::Missing { why, to_line, lost, words } => {
                Body::Missing(Missing { why: *why, lost: *lost, to_line: *to_line, words })
            }
        };
        sink.frame(&Frame {
            source: self.source,
            line: self.line,
            byte_offset: self.byte_offset,
            channel: if self.channel == Frame::WHOLE_SOURCE { self.channel } else { 0 },
            at_us: self.at_us.filter(|_| client),
            direction: self.direction,
            stream: self.stream.filter(|_| client),
            taps: Some(if client { [own, other] } else { [None, own] }),
            in_file: false,
            body,
        })
    }
}

/// Takes frames as they are read, and passes on the rest.
struct Collect<'h> {
    held: &'h mut Held,
    side: Side,
    sink: &'h mut dyn FrameSink,
}

impl FrameSink for Collect<'_> {
    fn channel(&mut self, _: u32, channel: Channel) -> Result<()> {
        self.held.channels.push(channel);
        Ok(())
    }

    fn frame(&mut self, frame: &Frame<'_>) -> Result<()> {
        let what = match &frame.body {
            Body::Message(captured) => What::Text(captured.json.unwrap_or(captured.text).into()),
            Body::Batch { text, .. } => What::Text((*text).into()),
            Body::Malformed { bytes, reason } => What::Malformed((*bytes).into(), reason.clone()),
            Body::Open { by } => What::Open(*by),
            Body::Close { by } => What::Close(*by),
            Body::Exit(exit) => What::Exit(*exit),
            Body::Stderr { text } => What::Stderr((*text).into()),
            Body::Http { head } => What::Http((*head).into()),
            Body::Sse { event } => What::Sse((*event).into()),
            Body::Missing(missing) => {
                let Missing { why, to_line, lost, words } = *missing;
                What::Missing { why, to_line, lost, words: words.into() }
            }
        };
        if let What::Text(text) = &what {
            self.held.bytes += text.len();
        }
        if self.held.bytes > HELD_BYTES {
            return Err(Error::new(
                ErrorKind::Input,
                "logs that are merged are held whole, and this one is over 256 MiB",
            )
            .hint("`rpctape extract` makes a log of a part of it"));
        }
        let direction = match frame.direction {
            Direction::Sent => Direction::By(self.side),
            Direction::Received => Direction::By(self.side.peer()),
            stated => stated,
        };
        let seq = self.held.events.len() as u64;
        self.held.events.push(Event {
            tap: self.side,
            seq,
            source: frame.source,
            line: frame.line,
            byte_offset: frame.byte_offset,
            channel: frame.channel,
            at_us: frame.at_us,
            direction,
            stream: frame.stream,
            what,
        });
        Ok(())
    }

    fn skipped(&mut self, line: u64, why: Skip) {
        self.sink.skipped(line, why);
    }

    fn times(&mut self, first: &str, last: &str) {
        self.sink.times(first, last);
    }

    fn progress(&mut self, bytes: u64) {
        self.sink.progress(bytes);
    }
}
