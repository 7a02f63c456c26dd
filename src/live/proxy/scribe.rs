//! Reads the copies and writes events: heads, messages, what event streams say, and who closed what.
//!
//! One thread, in the order in which things passed. Which connection an exchange belongs to is sometimes known only after
//! its request was read; until then its events are held.

use std::collections::HashMap;

use serde_json::{Map, json};

use super::copy::{Copies, Copy, Passing};
use super::numbers::{Number, Numbers};
use super::stream::{Look, Reading, Stream, Whole};
use super::tapped::EOF;
use super::way::Way;
use super::{endpoint, heads};
use crate::live::tape::{Tape, TapeEvent, is_message};
use crate::protocol::Side;
use crate::wire::SseEvent;

mod elsewhere;
pub(super) use elsewhere::Signposts;

/// How much of a refusal in plain text is noted, in characters.
const NOTED: usize = 500;

/// The state of the recording.
pub(super) struct Scribe {
    tape: Tape,
    /// True where every GET is a connection of HTTP+SSE.
    legacy: bool,
    numbers: Numbers,
    streams: HashMap<u32, Stream>,
    signposts: Signposts,
    /// Requests that carry no messages: method and path.
    others: HashMap<u32, String>,
    /// Time never runs backwards in a recording; two connections may hand over in another order than they looked at the clock.
    now_us: i64,
}

impl Scribe {
    pub(super) fn new(tape: Tape, legacy: bool, signposts: Signposts) -> Scribe {
        let (numbers, streams, others) = (Numbers::default(), HashMap::new(), HashMap::new());
        Scribe { tape, legacy, numbers, streams, signposts, others, now_us: 0 }
    }

    /// Works until the recorder stops.
    pub(super) fn run(mut self, copies: &Copies) {
        while let Some(copy) = copies.next() {
            if matches!(copy.what, Passing::Stop) {
                break;
            }
            self.take(copy);
        }
        let mut open: Vec<u32> = self.streams.keys().copied().collect();
        open.sort_unstable();
        for stream in open {
            self.end(stream, None, "stopped");
        }
    }

    fn take(&mut self, copy: Copy) {
        let Copy { at_us, stream, what } = copy;
        self.now_us = self.now_us.max(at_us);
        match what {
            Passing::Request { peer, method, target, endpoint, headers } => {
                let mut state = Stream::new(stream, peer, method, target, &headers);
                state.elsewhere = !self.is_wanted(&state, endpoint);
                match (state.method.as_str(), state.elsewhere) {
                    ("POST" | "GET", _) | ("DELETE", false) => self.request(stream, state, &headers),
                    _ => {
                        self.streams.insert(stream, state);
                        self.leave(stream);
                    }
                }
            }
            Passing::Body { from, bytes } => self.body(stream, from, &bytes),
            Passing::Lost { from, bytes } => self.lost(stream, from, bytes),
            Passing::RequestEnd => self.request_end(stream),
            Passing::Response { status, headers, past } => match self.others.remove(&stream) {
                Some(asked) => self.note(0, format!("{asked}: {status}")),
                None => self.response(stream, status, &headers, past.as_deref()),
            },
            Passing::ResponseEnd { how } => self.response_end(stream, how),
            Passing::ClientGone { how } => self.end(stream, Some(Side::Client), how),
            Passing::NoAnswer { how, why } => self.no_answer(stream, how, why),
            Passing::HungUp { peer } => self.numbers.hung_up(peer),
            Passing::Stop => {}
        }
    }

    /// An event of an exchange; held back while its connection is not known.
    fn put(&mut self, stream: u32, event: TapeEvent) {
        self.put_on(stream, stream, event);
    }

    /// The same, told as one of another stream.
    fn put_on(&mut self, stream: u32, carrier: u32, event: TapeEvent) {
        let Some(state) = self.streams.get_mut(&stream) else { return };
        match state.connection {
            Some(connection) => self.tape.event(self.now_us, connection, Some(carrier), event),
            None => state.held.push((carrier, event)),
        }
    }

    fn note(&mut self, connection: u32, text: String) {
        self.tape.event(self.now_us, connection, None, TapeEvent::Note { text });
    }

    /// Settles which connection an exchange belongs to.
    fn assign(&mut self, stream: u32, number: Number, begins: bool) {
        if number.new && begins {
            self.tape.event(self.now_us, number.number, None, TapeEvent::Open { by: Some(Side::Client) });
        }
        let Some(state) = self.streams.get_mut(&stream) else { return };
        state.connection = Some(number.number);
        for (carrier, event) in std::mem::take(&mut state.held) {
            self.tape.event(self.now_us, number.number, Some(carrier), event);
        }
    }

    /// The same for a client that names no session, by what it asks.
    fn assign_by(&mut self, stream: u32, look: &Look) {
        let unknown = |state: &&Stream| state.connection.is_none() && !state.elsewhere;
        let Some(state) = self.streams.get(&stream).filter(unknown) else { return };
        let peer = state.peer;
        let number = if look.starts { self.numbers.begin(peer) } else { self.numbers.of_client(peer) };
        // Another client of that host, which counts its requests from the same number.
        let another = look.stateless && !self.numbers.knows(peer) && self.in_flight(number.number, look);
        let number = if another { self.numbers.begin(peer) } else { number };
        self.assign(stream, number, look.starts || look.stateless);
    }

    /// True if a request under one of these ids has no answer yet.
    fn in_flight(&self, connection: u32, look: &Look) -> bool {
        let open = |state: &&Stream| state.connection == Some(connection) && !state.answered;
        self.streams.values().filter(open).any(|state| state.asked.iter().any(|id| look.asked.contains(id)))
    }

    fn request(&mut self, stream: u32, state: Stream, headers: &hyper::HeaderMap) {
        let head = heads::request(&state.method, &heads::kept(headers));
        let elsewhere = state.elsewhere;
        self.streams.insert(stream, state);
        if !elsewhere {
            self.place(stream);
        }
        self.put(stream, TapeEvent::Open { by: Some(Side::Client) });
        self.put(stream, TapeEvent::Http { from: Side::Client, head });
    }

    /// Which connection an exchange belongs to, where its head tells.
    fn place(&mut self, stream: u32) {
        let Some(state) = self.streams.get_mut(&stream) else { return };
        let posted = self.numbers.of_endpoint(&state.target);
        if let Some((_, carrier)) = posted {
            state.carrier = carrier;
        }
        state.is_connection = self.legacy && state.method == "GET";
        let begins = state.is_connection;
        let number = match (state.session.as_deref(), posted) {
            (_, Some((number, _))) => Some(Number { number, new: false }),
            (Some(id), None) => Some(self.numbers.of_session(id)),
            (None, None) if begins => Some(self.numbers.begin(state.peer)),
            (None, None) => None,
        };
        if let Some(number) = number {
            self.assign(stream, number, begins);
        }
    }

    fn body(&mut self, stream: u32, from: Side, bytes: &[u8]) {
        let Some(state) = self.streams.get_mut(&stream) else { return };
        let reading = if from == Side::Client { &mut state.request } else { &mut state.response };
        let read = match reading {
            Reading::Nothing => return,
            Reading::Whole(whole) | Reading::Opaque(whole, _) => return whole.push(bytes),
            Reading::Events(events) => events.push(bytes),
        };
        for length in read.too_long {
            self.gap(stream, from, length);
        }
        for event in read.events {
            self.event(stream, event);
        }
    }

    /// A message that is too long to be read.
    fn gap(&mut self, stream: u32, from: Side, bytes: usize) {
        let gap = TapeEvent::Gap { from: Some(from), lost: Some(1), bytes: bytes as u64, why: "too-long" };
        let carrier = self.carrier(stream);
        self.put_on(stream, carrier, gap);
    }

    fn connection(&self, stream: u32) -> Option<u32> {
        self.streams.get(&stream)?.connection
    }

    fn carrier(&self, stream: u32) -> u32 {
        self.streams.get(&stream).map_or(stream, |state| state.carrier)
    }

    /// A piece was not copied: what it belonged to cannot be read.
    fn lost(&mut self, stream: u32, from: Side, bytes: usize) {
        let Some(state) = self.streams.get_mut(&stream) else { return };
        let reading = if from == Side::Client { &mut state.request } else { &mut state.response };
        let messages = match reading {
            // However many pieces of it are missing.
            Reading::Whole(whole) | Reading::Opaque(whole, _) => {
                Some(u64::from(!std::mem::replace(&mut whole.lost, true)))
            }
            // The block that was hit is spoilt; what follows it is not.
            Reading::Events(_) => None,
            Reading::Nothing => Some(0),
        };
        let gap = TapeEvent::Gap { from: Some(from), lost: messages, bytes: bytes as u64, why: "queue-full" };
        let carrier = self.carrier(stream);
        self.put_on(stream, carrier, gap);
    }

    fn request_end(&mut self, stream: u32) {
        let Some(state) = self.streams.get_mut(&stream) else { return };
        let request = std::mem::replace(&mut state.request, Reading::Nothing);
        let Reading::Whole(whole) = request else { return self.finish(stream, Side::Client, request, EOF) };
        if whole.length == 0 && state.method == "GET" {
            // It may yet turn out to be the GET of HTTP+SSE.
            return;
        }
        let look = Look::at(&whole.bytes);
        if self.is_elsewhere(stream) && !self.posted_elsewhere(stream, &whole, &look) {
            return;
        }
        self.assign_by(stream, &look);
        if let Some(state) = self.streams.get_mut(&stream) {
            state.asks = !look.asked.is_empty() || whole.is_cut() || whole.lost;
            state.asked = look.asked;
        }
        self.finish(stream, Side::Client, Reading::Whole(whole), EOF);
    }

    fn response(&mut self, stream: u32, status: u16, headers: &hyper::HeaderMap, past: Option<&str>) {
        let Some(state) = self.streams.get_mut(&stream) else { return };
        state.status = status;
        state.response = Reading::of(headers, true);
        if state.elsewhere && state.method == "GET" && !matches!(state.response, Reading::Events(_)) {
            return self.leave(stream);
        }
        let undecided = state.method == "GET" && matches!(state.response, Reading::Events(_));
        if !undecided {
            self.assign_by(stream, &Look::default());
        }
        let connection = self.streams.get(&stream).and_then(|state| state.connection);
        if let (Some(id), Some(number)) = (heads::text(headers, heads::SESSION), connection) {
            self.numbers.learn(id, number);
        }
        let head = heads::response(status, &heads::kept(headers));
        self.put(stream, TapeEvent::Http { from: Side::Server, head });
        if let (Some(place), Some(number)) = (past, connection) {
            self.past(number, &format!("an answer of status {status}"), place);
        }
    }

    /// One block of an event stream.
    fn event(&mut self, stream: u32, event: SseEvent) {
        if self.is_elsewhere(stream) && !self.said_elsewhere(stream, &event) {
            return;
        }
        let name = event.name.as_deref().unwrap_or("message");
        let mut said = Map::new();
        if name == "endpoint" {
            if let Some(data) = &event.data {
                self.announced(stream, &String::from_utf8_lossy(data));
            }
        } else {
            self.assign_by(stream, &Look::default());
        }
        if let Some(id) = event.id {
            said.insert("id".to_string(), id.into());
        }
        if let Some(retry) = event.retry_ms {
            said.insert("retry".to_string(), retry.into());
        }
        if !event.comments.is_empty() {
            said.insert("comment".to_string(), event.comments.join("\n").into());
        }
        let data = event.data.filter(|data| !data.is_empty() && name != "endpoint");
        if name != "message" || !said.is_empty() || data.is_none() {
            if name != "message" {
                said.insert("event".to_string(), name.into());
            }
            self.put(stream, TapeEvent::Sse { from: Side::Server, event: json!(said).to_string() });
        }
        let Some(bytes) = data else { return };
        let look = Look::at(&bytes);
        if let Some(state) = self.streams.get_mut(&stream) {
            state.answered |= look.answers;
        }
        if name == "message" || look.is_message {
            self.put(stream, TapeEvent::Message { from: Side::Server, bytes, head: None });
        }
    }

    /// HTTP+SSE: the server says where to post to. That place is not recorded: it is the key to the session.
    fn announced(&mut self, stream: u32, announced: &str) {
        let Some(state) = self.streams.get_mut(&stream) else { return };
        let target = endpoint::target(announced, &state.target);
        if state.connection.is_none() {
            state.is_connection = true;
            let number = self.numbers.begin(state.peer);
            self.assign(stream, number, true);
        }
        if let Some(number) = self.streams.get(&stream).and_then(|state| state.connection) {
            self.numbers.announce(target, number, stream);
            if let Some(place) = self.leads_past(announced) {
                self.past(number, "the event `endpoint`", &place);
            }
        }
    }

    /// A body has come to its end, or broke off, as `how` says.
    fn finish(&mut self, stream: u32, from: Side, reading: Reading, how: &str) {
        match reading {
            Reading::Nothing => {}
            Reading::Whole(whole) => self.whole(stream, from, whole, how),
            Reading::Events(events) => {
                if let Some(connection) = self.connection(stream).filter(|_| events.is_within()) {
                    let text = "closed in the middle of an event, which has not come then".to_string();
                    self.tape.event(self.now_us, connection, Some(stream), TapeEvent::Note { text });
                }
            }
            Reading::Opaque(whole, _) if whole.length == 0 || whole.lost => {}
            Reading::Opaque(whole, _) if whole.is_cut() => {
                self.gap(stream, from, usize::try_from(whole.length).unwrap_or(usize::MAX));
            }
            Reading::Opaque(whole, encoding) => {
                self.assign_by(stream, &Look::default());
                let carrier = self.carrier(stream);
                self.put_on(stream, carrier, TapeEvent::Opaque { from, bytes: whole.bytes, encoding });
            }
        }
    }

    fn whole(&mut self, stream: u32, from: Side, whole: Whole, how: &str) {
        let blank = whole.bytes.iter().all(u8::is_ascii_whitespace);
        if whole.lost || blank && !whole.is_cut() {
            return;
        }
        let Some(state) = self.streams.get_mut(&stream) else { return };
        let carrier = state.carrier;
        let look = if from == Side::Server { Look::at(&whole.bytes) } else { Look::default() };
        // What is too long to look into is taken for what was due.
        state.answered |= look.answers || from == Side::Server && whole.is_cut() && state.promises_messages();
        let promised = from == Side::Client || look.is_message || state.promises_messages();
        let event = match (promised, whole.is_cut()) {
            (true, true) => TapeEvent::Cut { from, bytes: whole.bytes, wire_bytes: whole.length, head: None },
            (true, false) if how == EOF || is_message(&whole.bytes) => {
                TapeEvent::Message { from, bytes: whole.bytes, head: None }
            }
            (true, false) => TapeEvent::Raw { from, bytes: whole.bytes, cut: true },
            (false, _) => {
                let text = String::from_utf8_lossy(&whole.bytes).chars().take(NOTED).collect();
                TapeEvent::Note { text }
            }
        };
        self.put_on(stream, carrier, event);
    }

    fn response_end(&mut self, stream: u32, how: &'static str) {
        let Some(state) = self.streams.get_mut(&stream) else { return };
        let response = std::mem::replace(&mut state.response, Reading::Nothing);
        let over = state.method == "DELETE" && (200..300).contains(&state.status);
        let connection = state.connection;
        self.finish(stream, Side::Server, response, how);
        self.end(stream, Some(Side::Server), how);
        if let (true, Some(connection)) = (over, connection) {
            let how = "delete".to_string();
            self.tape.event(self.now_us, connection, None, TapeEvent::Close { by: Some(Side::Client), how });
        }
    }

    /// An exchange is over. What had come of a body that did not end is nothing that either side has said.
    fn end(&mut self, stream: u32, by: Option<Side>, how: &str) {
        if self.is_elsewhere(stream) {
            self.leave(stream);
        }
        self.others.remove(&stream);
        self.assign_by(stream, &Look::default());
        let Some(state) = self.streams.get(&stream) else { return };
        let (answered, is_connection, connection) = (state.answered, state.is_connection, state.connection);
        for (from, reading) in [(Side::Client, &state.request), (Side::Server, &state.response)] {
            if let (Reading::Whole(whole) | Reading::Opaque(whole, _), Some(connection)) = (reading, connection)
                && whole.length > 0
            {
                let text = format!("closed after {} bytes of the {}'s body", whole.length, from.as_str());
                self.tape.event(self.now_us, connection, Some(stream), TapeEvent::Note { text });
            }
        }
        self.put(stream, TapeEvent::StreamEnd { by, how: how.to_string(), answered });
        self.streams.remove(&stream);
        if let (true, Some(connection)) = (is_connection, connection) {
            self.tape.event(self.now_us, connection, None, TapeEvent::Close { by, how: how.to_string() });
        }
    }

    /// The server could not be reached, or broke off before it answered: the client got status 502 from the recorder.
    fn no_answer(&mut self, stream: u32, how: &'static str, why: String) {
        if self.is_elsewhere(stream) {
            self.leave(stream);
        }
        if let Some(asked) = self.others.remove(&stream) {
            return self.note(0, format!("{asked}: {why}"));
        }
        self.assign_by(stream, &Look::default());
        self.put(stream, TapeEvent::Http { from: Side::Server, head: heads::own_response(502) });
        self.put(stream, TapeEvent::Note { text: why });
        self.end(stream, Some(Side::Server), how);
    }
}
