//! The fold: frames in, events out.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::connection::{End, Opened};
use super::detail::Batch;
use super::missing::{NO_CONNECTION, Shelf, Stretch, shelve};
use super::oracle::{Asked, Nobody, Oracle};
use super::seen::{FrameId, Seen};
use super::settings::Settings;
use super::sink::Sink;
use super::state::{Conn, MessagePlace, Methods, Pending, PendingText, Step};
use super::window::Settled;
use crate::capture::{Body, Frame, Member, Missing, Proof, Why, may_hold_message};
use crate::jsonrpc::{Kind, Message};
use crate::protocol::{Facts, Side};

/// The fold over an ordered stream of frames. It does not care whether they come from a capture or from the store.
pub struct Session {
    settings: Settings,
    connections: FxHashMap<u32, Box<Conn>>,
    settled: Settled,
    methods: Methods,
    /// Connections that were closed, and the frame that did it: they end when nothing has followed for a while.
    closed: VecDeque<(u32, FrameId)>,
    /// What whole sources miss.
    shelf: Shelf,
    /// Source and line of the last guess about a whole source.
    guessed: Option<(u32, u64)>,
}

/// How many frames of other connections may pass before a closed connection is ended.
const AFTER_CLOSE: u64 = 4096;

/// What a step needs beside the connection, lent field by field: connections stand in another field of the same fold.
macro_rules! step {
    ($fold:expr, $sink:expr) => {
        Step {
            settings: &$fold.settings,
            sink: $sink,
            settled: &mut $fold.settled,
            methods: &mut $fold.methods,
            shelf: &$fold.shelf,
        }
    };
}

impl Session {
    /// A fold that has seen nothing.
    pub fn new(settings: Settings) -> Session {
        let settled = Settled::new(settings.window);
        Session {
            settings,
            connections: FxHashMap::default(),
            settled,
            methods: Methods::default(),
            closed: VecDeque::new(),
            shelf: Shelf::new(),
            guessed: None,
        }
    }

    /// Opens a connection; must come before its first frame.
    pub fn open(&mut self, opened: Opened) {
        self.connections.insert(opened.id, Box::new(Conn::new(opened)));
    }

    /// Takes one frame. The members of a batch have the numbers after `id`, in order.
    pub fn push(&mut self, id: FrameId, connection: u32, frame: &Frame<'_>, sink: &mut dyn Sink) {
        if connection == NO_CONNECTION {
            return self.source_misses(id, frame);
        }
        if self.guessed == Some((frame.source, frame.line))
            && let Some(stretches) = self.shelf.get_mut(&frame.source)
        {
            stretches.extend_guess(last_of(id, frame));
        }
        // Asked of the frames before this one, so that it does not matter which of them were of this fold.
        self.end_closed(id.saturating_sub(1), sink);
        let Some(conn) = self.connections.get_mut(&connection) else { return };
        let mut step = step!(self, sink);
        let open = conn.facts.closed.is_none();
        conn.frame(&mut step, id, frame);
        if open && conn.facts.closed.is_some() && !conn.outlives_close {
            self.closed.push_back((connection, id));
        }
        while let Some(place) = self.settled.overflow() {
            if let Some(conn) = self.connections.get_mut(&place.connection) {
                let mut step = step!(self, sink);
                conn.evict(&mut step, place);
            }
        }
    }

    fn source_misses(&mut self, id: FrameId, frame: &Frame<'_>) {
        shelve(&mut self.shelf, id, frame);
        if let Body::Missing(Missing { why: Why::Guessed, .. }) = frame.body {
            self.guessed = Some((frame.source, frame.line));
        }
    }

    /// A frame seems to hold a secret of this kind. Whoever reads payloads tells it: the fold and the rules do not.
    pub fn secret(&mut self, id: FrameId, connection: u32, at_us: Option<i64>, kind: &'static str) {
        if let Some(conn) = self.connections.get_mut(&connection) {
            conn.secret.get_or_insert_with(|| Box::new((Seen { frame: id, at_us }, kind)));
        }
    }

    /// Ends connections that were closed a while ago, unless the store has to be asked about them.
    fn end_closed(&mut self, now: FrameId, sink: &mut dyn Sink) {
        while self.closed.front().is_some_and(|(_, at)| now > at + AFTER_CLOSE) {
            let Some((connection, _)) = self.closed.pop_front() else { return };
            if self.connections.get(&connection).is_none_or(|conn| conn.has_questions()) {
                continue;
            }
            if let Some(mut conn) = self.connections.remove(&connection) {
                let mut step = step!(self, sink);
                conn.end(&mut step, &mut Nobody);
            }
        }
    }

    /// What an oracle will be asked at the end, as far as it is known before.
    pub fn asks(&self) -> Vec<Asked> {
        let mut asks: Vec<Asked> =
            self.connections.values().filter(|conn| conn.has_questions()).map(|conn| conn.asks()).collect();
        asks.sort_by_key(|asked| asked.connection);
        asks
    }

    /// Ends all connections and answers what was left open.
    pub fn finish(mut self, oracle: &mut dyn Oracle, sink: &mut dyn Sink) {
        let mut connections: Vec<_> = std::mem::take(&mut self.connections).into_iter().collect();
        connections.sort_unstable_by_key(|(id, _)| *id);
        for (_, mut conn) in connections {
            let mut step = step!(self, sink);
            conn.end(&mut step, oracle);
        }
    }
}

impl Conn {
    /// One frame of this connection.
    fn frame(&mut self, step: &mut Step<'_>, id: FrameId, frame: &Frame<'_>) {
        let seen = Seen { frame: id, at_us: frame.at_us };
        self.whence(id, frame);
        self.tick(step, seen);
        let place = MessagePlace {
            seen,
            line: frame.line,
            direction: frame.direction,
            stream: frame.stream,
            batch: None,
            taps: frame.taps,
        };
        match &frame.body {
            Body::Message(captured) => {
                let text = captured.json.unwrap_or(captured.text);
                self.take(step, place, text, &captured.message, &captured.facts);
            }
            Body::Malformed { reason, .. } if self.ready(frame.direction) => self.malformed(step, place, reason),
            Body::Malformed { reason, .. } => self.wait(place, PendingText::Malformed(reason.clone())),
            Body::Batch { text, members } => self.take_batch(step, place, text, members),
            Body::Close { by } => match frame.stream {
                Some(stream) => {
                    self.http_closed(stream);
                    self.stream_closed(step, seen, stream, by.or(self.stated(frame.direction)));
                }
                None => self.close(seen, by.or(self.stated(frame.direction))),
            },
            Body::Exit(exit) => {
                self.close(seen, Some(Side::Server));
                self.facts.exit.get_or_insert((seen, *exit));
            }
            Body::Stderr { text } => self.stderr.say(seen, text),
            // A session is one client's.
            Body::Http { head } => {
                if names_session(head) {
                    self.facts.proof = self.facts.proof.and(Proof::CLIENT);
                }
                self.head(step, seen, frame.stream, self.stated(frame.direction), head);
            }
            Body::Sse { event } => self.sse(frame.stream, event),
            Body::Missing(missing) => self.misses(id, frame, missing),
            Body::Open { .. } if frame.stream.is_none() && self.facts.messages == 0 => self.facts.missing.begin(id),
            Body::Open { .. } => {}
        }
    }

    /// The source of a frame, and whether it is what was guessed about.
    fn whence(&mut self, id: FrameId, frame: &Frame<'_>) {
        if self.facts.sources.last() != Some(&frame.source) && !self.facts.sources.contains(&frame.source) {
            self.facts.sources.push(frame.source);
            self.behind(id, frame);
        }
        self.catch_up(id, frame);
        if self.guessed == Some((frame.source, frame.line)) {
            self.facts.missing.extend_guess(last_of(id, frame));
        }
        // What could not be read may have been anything that its sender seems not to have sent.
        if let Body::Malformed { bytes, .. } = frame.body
            && may_hold_message(bytes)
        {
            self.misses(id, frame, &Missing::new(Why::Unread));
        }
    }

    /// A file that begins before the end of the one before it: which of them shows what came first is not known, until it is where
    /// that one was.
    fn behind(&mut self, id: FrameId, frame: &Frame<'_>) {
        if let (Some(now), Some(before)) = (frame.at_us, self.clock.last_us)
            && self.facts.sources.len() > 1
            && now < before
        {
            self.facts.missing.go_back(id, frame.line, now);
            self.behind_us = self.behind_us.max(Some(before));
        }
    }

    fn catch_up(&mut self, id: FrameId, frame: &Frame<'_>) {
        if self.behind_us.is_some() && frame.at_us > self.behind_us {
            self.facts.missing.catch_up(id);
            self.behind_us = None;
        }
    }

    fn misses(&mut self, id: FrameId, frame: &Frame<'_>, missing: &Missing<'_>) {
        let side = self.stated(frame.direction);
        if missing.why == Why::Twice {
            let (frames, lines) = ((id + 1, id + 1), (frame.line, frame.line));
            let again = Stretch { why: Why::Twice, side, frames, lines, notifies: false };
            return self.facts.doubtful.get_or_insert_default().note(again);
        }
        if matches!(missing.why, Why::Unordered | Why::Untimed) {
            let (frames, lines) = ((id + 1, id + 1), (frame.line, frame.line));
            return self.facts.missing.note(Stretch { why: missing.why, side, frames, lines, notifies: false });
        }
        self.facts.missing.note_missing(id, frame, missing, side);
        if let Some(stream) = frame.stream {
            // What a stream lacks may have come at any time while it was open.
            self.facts.missing.extend_back(self.opened(stream).unwrap_or(0));
        }
        if missing.why == Why::Mixed {
            self.facts.proof = self.facts.proof.without(Proof::PAIRING);
        }
        if missing.why == Why::Guessed {
            self.guessed = Some((frame.source, frame.line));
        }
    }

    fn tick(&mut self, step: &Step<'_>, seen: Seen) {
        self.facts.first.get_or_insert(seen);
        self.facts.last = Some(seen);
        let Some(now) = seen.at_us else { return };
        let (started, last) = self.facts.times.get_or_insert((now, now));
        *last = now;
        let started = *started;
        self.facts.timed |= now != started;
        let begins_file = self.clock.last_us > Some(now) && self.facts.missing.goes_back_at(seen.frame);
        if self.clock.tick(seen, step.settings.slack_us + self.resolution_us, begins_file).is_some() {
            self.doubt_times(now);
        }
    }

    fn close(&mut self, seen: Seen, by: Option<Side>) {
        if self.facts.closed.is_none() {
            self.facts.end = End::Closed(by);
            self.facts.closed = Some(seen.frame);
            self.closed_at = seen.at_us;
        }
    }

    /// A message: taken at once where protocol and sides are known, else kept until they are.
    fn take(&mut self, step: &mut Step<'_>, place: MessagePlace, text: &str, message: &Message<'_>, facts: &Facts<'_>) {
        self.learn(message, facts, place.direction);
        self.learn_by_answer(step, &place, message);
        if self.ready(place.direction) {
            return self.message(step, place, message, facts);
        }
        self.wait(place, PendingText::Message(text.to_string()));
        let sided = self.logger.is_some() || !self.pending.iter().any(Pending::is_relative);
        if self.profile_known && sided {
            self.drain(step);
        } else if self.waited_enough() {
            self.settle_for(step);
        }
    }

    fn wait(&mut self, place: MessagePlace, text: PendingText) {
        self.pending.push(Pending { place, text });
    }

    fn take_batch(&mut self, step: &mut Step<'_>, place: MessagePlace, text: &str, members: &[Member<'_>]) {
        let batch = survey(members);
        if batch.has_initialize {
            // It tells the revision by which the array it stands in is judged.
            for (message, facts) in members.iter().filter_map(|(_, member)| member.as_ref().ok()) {
                self.learn(message, facts, place.direction);
            }
        }
        if self.ready(place.direction) {
            self.batch(step, place, batch);
        } else {
            self.wait(place, PendingText::Batch(batch));
        }
        for (number, (range, member)) in members.iter().enumerate() {
            let seen = Seen { frame: place.seen.frame + 1 + number as u64, at_us: place.seen.at_us };
            let member_place = MessagePlace { seen, batch: Some(place.seen.frame), ..place };
            match member {
                Ok((message, facts)) => self.take(step, member_place, &text[range.clone()], message, facts),
                Err(reason) if self.ready(place.direction) => self.malformed(step, member_place, reason),
                Err(reason) => self.wait(member_place, PendingText::Malformed(reason.clone())),
            }
        }
    }
}

/// The last number that a frame has: its own, or that of the last member of an array.
fn last_of(id: FrameId, frame: &Frame<'_>) -> FrameId {
    match &frame.body {
        Body::Batch { members, .. } => id + members.len() as FrameId,
        _ => id,
    }
}

/// True if the head of an HTTP request or response has the header that names an MCP session.
fn names_session(head: &str) -> bool {
    const NAME: &[u8] = b"\"mcp-session-id\"";
    head.as_bytes().windows(NAME.len()).any(|part| part.eq_ignore_ascii_case(NAME))
}

fn survey(members: &[Member<'_>]) -> Batch {
    let mut batch = Batch { members: members.len() as u32, ..Batch::default() };
    for (message, _) in members.iter().filter_map(|(_, member)| member.as_ref().ok()) {
        let method = message.method();
        batch.requests += u32::from(message.kind == Kind::Request);
        batch.responses += u32::from(message.kind.is_response());
        batch.has_initialize |= message.kind == Kind::Request && method == "initialize";
        batch.has_lifecycle |= crate::protocol::is_lifecycle(method);
    }
    batch
}
