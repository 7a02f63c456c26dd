//! A recorded session as replay and comparison see it: events in order, exchanges, and what the audit found.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use crate::capture::{Proof, Transport, Vantage};
use crate::json::lenient_string;
use crate::protocol::http::SUBPROTOCOL;
use crate::protocol::{Profile, Side};
use crate::replay::{message, splice};
use crate::wire::Framing;

/// One session.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The capture, as the user named it.
    pub name: String,
    /// Its format.
    pub format: String,
    /// Its connections, in the order in which they were opened.
    pub connections: Vec<Connection>,
    /// What was passed over in its file, and is in no connection.
    pub unread: Vec<Unread>,
}

/// Lines of a recording that were not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// Where, and what stands there, in words.
    pub words: String,
    /// True if it is something like messages.
    pub is_message: bool,
}

/// One connection.
#[derive(Clone, Debug)]
pub struct Connection {
    /// Its key.
    pub key: String,
    /// What is spoken.
    pub profile: &'static Profile,
    /// Whether order holds over all, or only within a stream.
    pub transport: Transport,
    /// Where it was taken.
    pub vantage: Vantage,
    /// What the capture can prove.
    pub proof: Proof,
    /// How its messages were told apart on the wire, where the capture shows it.
    pub framing: Option<Framing>,
    /// True if the capture starts with the first message.
    pub complete_head: bool,
    /// True if it shows how the connection ended.
    pub complete_tail: bool,
    /// What happened, in the order of the capture.
    pub events: Vec<Event>,
    /// The requests of both sides, in the order of their events.
    pub exchanges: Vec<Exchange>,
    /// What the audit found.
    pub faults: Faults,
    /// Over HTTP, by the stream of a GET that goes on with an earlier stream, that one.
    pub resumed: BTreeMap<u32, u32>,
}

/// What the audit found on a connection: first what belongs to no exchange, then exchange by exchange, in the order of the findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults(Vec<Fault>);

/// One thing that happened.
#[derive(Clone, Debug)]
pub struct Event {
    /// Frame id in the database that it came from.
    pub frame: i64,
    /// Line of the capture, from 1.
    pub line: u64,
    /// Microseconds since the epoch, where the capture has a time.
    pub at_us: Option<i64>,
    /// Who sent a message; who opened or closed a stream, where known.
    pub side: Option<Side>,
    /// HTTP stream.
    pub stream: Option<u32>,
    /// What it was.
    pub what: EventKind,
    /// The text as captured, or its JSON where the format is not JSON; of a batch, the whole array. Lossy for bytes that are not UTF-8.
    pub text: String,
}

/// What an event was. Numbers are places in [`Connection::exchanges`] and [`Connection::events`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A request, which opens an exchange.
    Request(usize),
    /// A response, and the exchange it settles; `None` where it settles none. A second answer to the same request names it too.
    Response(Option<usize>),
    /// A cancel (a notification, a `tasks/cancel` or `session/cancel`, or the close of a stream where that is one).
    /// A cancel that is a request is a `Request` and is listed in [`Exchange::cancels`] of its target all the same.
    Cancel(Option<usize>),
    /// Progress, a partial result or an update, and the exchange it is about.
    Progress(Option<usize>),
    /// Any other notification.
    Notification,
    /// An array of messages; its members are the events that follow, in this range. They are sent with it, never alone.
    Batch(Range<usize>),
    /// Bytes that should have been a message.
    Malformed,
    /// A stream or the connection was opened.
    Open,
    /// A stream or the connection was closed.
    Close,
    /// The head of an HTTP request or response: the text is `{"method":"POST","status":200,"headers":{...}}`, either member where it
    /// applies.
    Http,
    /// The server process ended, with this code.
    Exit(Option<i64>),
    /// A line of stderr.
    Stderr,
    /// The recorder lost messages.
    Gap,
}

/// One request with all that refers to it. Numbers are places in [`Connection::events`] but for `parent`.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// Its request.
    pub request: usize,
    /// Who asked.
    pub issuer: Side,
    /// The id as JSON text, as it was spelled.
    pub rpc_id: String,
    /// The method.
    pub method: String,
    /// Tool or command, where there is one.
    pub name: Option<String>,
    /// The exchange that it served, where it is a nested one.
    pub parent: Option<usize>,
    /// Its answer.
    pub response: Option<usize>,
    /// Later answers to the same request.
    pub late: Vec<usize>,
    /// Cancels that hit it, in order.
    pub cancels: Vec<usize>,
    /// Progress, partial results, updates of its turn, in order.
    pub progress: Vec<usize>,
    /// How it ended, in one word of DESIGN.md: `result`, `error`, `cancelled`, `silent`, `unanswered`, `superseded`.
    pub outcome: String,
    /// Error code of the answer.
    pub error_code: Option<i64>,
    /// Microseconds from the request to the answer.
    pub latency_us: Option<i64>,
}

/// What the audit found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Code of the rule, `CAN010`.
    pub code: String,
    /// Its slug, `response-after-cancel`.
    pub rule: String,
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// `violation`, `race` or `undecidable`.
    pub certainty: String,
    /// What the certainty of one that needed an argument rests on: `content`, `causal`, `vantage` or `rtt`.
    pub basis: Option<String>,
    /// The exchange it is about: a place in [`Connection::exchanges`].
    pub exchange: Option<usize>,
    /// The event that a finding points at.
    pub event: Option<usize>,
    /// One sentence.
    pub summary: String,
}

impl Faults {
    /// Those of an exchange; of none, with `None`.
    pub fn of(&self, exchange: Option<usize>) -> &[Fault] {
        let from = self.0.partition_point(|fault| fault.exchange < exchange);
        let length = self.0[from..].partition_point(|fault| fault.exchange == exchange);
        &self.0[from..from + length]
    }

    #[cfg(test)]
    pub(crate) fn push(&mut self, fault: Fault) {
        let place = self.0.partition_point(|other| other.exchange <= fault.exchange);
        self.0.insert(place, fault);
    }

    #[cfg(test)]
    pub(crate) fn first_mut(&mut self) -> &mut Fault {
        &mut self.0[0]
    }
}

impl FromIterator<Fault> for Faults {
    fn from_iter<I: IntoIterator<Item = Fault>>(faults: I) -> Faults {
        let mut all: Vec<Fault> = faults.into_iter().collect();
        all.sort_by_key(|fault| fault.exchange);
        Faults(all)
    }
}

impl std::ops::Deref for Faults {
    type Target = [Fault];

    fn deref(&self) -> &[Fault] {
        &self.0
    }
}

impl Exchange {
    /// `#7`, `#"abc"`, or `s5` for a request of the server: how people name it.
    pub fn label(&self) -> String {
        self.issuer.label(&self.rpc_id)
    }
}

impl Connection {
    /// The text of an exchange's request.
    pub fn request(&self, exchange: &Exchange) -> &str {
        &self.events[exchange.request].text
    }

    /// The exchange that an event asked for.
    pub fn asked_at(&self, event: usize) -> Option<&Exchange> {
        match self.events.get(event)?.what {
            EventKind::Request(place) => self.exchanges.get(place),
            _ => None,
        }
    }

    /// The place of a message in the array in which it was sent; `None` for one that was sent alone.
    pub fn place_in_array(&self, event: usize) -> Option<usize> {
        let line = self.events.get(event)?.line;
        let near = self.events[..event].iter().rev().take_while(|other| other.line == line);
        near.into_iter().find_map(|other| match &other.what {
            EventKind::Batch(members) => members.contains(&event).then(|| event - members.start),
            _ => None,
        })
    }

    /// The event by which the client ended the connection: it closed it, or told the server to exit.
    pub fn left_at(&self) -> Option<usize> {
        let exit = self.profile.opening.exit;
        let leaves = |event: &Event| match event.what {
            EventKind::Close => event.stream.is_none(),
            EventKind::Notification => exit.is_some() && message::method(&event.text).as_deref() == exit,
            _ => false,
        };
        self.events.iter().position(|event| event.side == Some(Side::Client) && leaves(event))
    }

    /// Where the server ended by itself, and its status where that is known: not because its client had left.
    pub fn own_end(&self) -> Option<(usize, Option<i64>)> {
        let ends = |event: &Event| match event.what {
            EventKind::Exit(code) => Some(code),
            EventKind::Close if event.side == Some(Side::Server) => Some(None),
            _ => None,
        };
        let events = self.events.iter().enumerate().filter(|(_, event)| event.stream.is_none());
        let mut ends = events.filter_map(|(at, event)| Some((at, ends(event)?)));
        let first = ends.next().filter(|(at, _)| self.left_at().is_none_or(|left| left > *at))?;
        Some(ends.next_back().unwrap_or(first))
    }

    /// True if an answer that is not here never came: the capture has the messages of both sides, or other answers of the server.
    pub fn keeps_answers(&self) -> bool {
        let answers = |event: &Event| event.side == Some(Side::Server) && matches!(event.what, EventKind::Response(_));
        self.proof.covers(Proof::BOTH_SIDES) || self.events.iter().any(answers)
    }

    /// True for a request that is open where the capture stops: its answer may have come behind that, and no stream that ended says that
    /// it did not. One that stays open by design does so for as long as it is seen.
    pub fn is_cut_off(&self, exchange: &Exchange) -> bool {
        let (stream, open) = (self.events[exchange.request].stream, exchange.response.is_none());
        let ends =
            |event: &Event| matches!(event.what, EventKind::Close | EventKind::Cancel(_)) && event.text.is_empty();
        let mut behind = self.events[exchange.request..].iter();
        let ended = stream.is_some() && behind.any(|event| event.stream == stream && ends(event));
        open && !self.complete_tail && !ended && !self.profile.stays_open(&exchange.method)
    }

    /// The stream that one goes on with, from the first on; itself for one that goes on with none.
    pub fn first_stream(&self, stream: u32) -> u32 {
        // One that goes on has a lost one before it: the way back ends.
        let mut first = stream;
        for _ in 0..self.resumed.len() {
            first = self.resumed.get(&first).copied().unwrap_or(first);
        }
        first
    }

    /// True if the client came back for a stream after it had ended.
    pub fn is_resumed(&self, stream: Option<u32>) -> bool {
        stream.is_some_and(|stream| self.resumed.values().any(|lost| *lost == stream))
    }

    /// Over HTTP, by stream, the status of its response where the capture shows one.
    pub fn statuses(&self) -> HashMap<u32, u16> {
        let status = |event: &Event| Some((event.stream?, splice::at(&event.text, "/status")?.parse().ok()?));
        self.responses().filter_map(status).collect()
    }

    /// The sub-protocol that the server chose when a WebSocket was opened.
    pub fn subprotocol(&self) -> Option<String> {
        let at = format!("/headers/{SUBPROTOCOL}");
        let mut chosen = self.responses().filter_map(|event| splice::at(&event.text, &at));
        chosen.next().map(|name| lenient_string(name).into_owned())
    }

    /// The heads of the server's responses.
    fn responses(&self) -> impl Iterator<Item = &Event> {
        self.events.iter().filter(|event| event.what == EventKind::Http && event.side == Some(Side::Server))
    }

    /// The text of its answer.
    pub fn response(&self, exchange: &Exchange) -> Option<&str> {
        exchange.response.map(|event| self.events[event].text.as_str())
    }

    /// True if an error that has no code here had none on the wire.
    pub fn keeps_error_codes(&self) -> bool {
        self.proof.covers(Proof::ENVELOPE.and(Proof::ERROR_CODE))
    }
}
