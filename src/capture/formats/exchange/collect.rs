//! What the exchanges of a log hold, put into the order of time and handed on.

use std::rc::Rc;

use super::amid::amid;
use super::claim::announced;
use super::connection::Connections;
use super::order::{self, Placed};
use super::sequel;
use super::steps::{ExchangeStep, StepKind, steps};
use super::unseen::{Span, Unseen};
use super::untimed::Untimed;
use super::{Exchange, Part};
use crate::capture::events::is_event_stream;
use crate::capture::out::Out;
use crate::capture::place::Place;
use crate::capture::{Body, Direction, Missing, Proof, Vantage, Why};
use crate::error::Result;
use crate::protocol::Side;

/// How many bytes of messages of a log that is read line by line wait for what may belong before them.
const WAITING: usize = 32 << 20;

/// The connection of what was not given to one yet.
const UNSETTLED: u32 = u32::MAX;

/// A body that a record does not have, or not to its end.
const LEFT_OUT: Missing<'static> =
    Missing { words: "the record leaves out a body, or the end of one", ..Missing::new(Why::Gap) };

/// What the exchanges hold. An exchange is taken apart and let go: a document may be large.
pub(in crate::capture::formats) struct Collected<'a> {
    placed: Vec<Placed<'a>>,
    connections: Connections,
    streams: u32,
    vantage: Vantage,
    /// True where the end of an exchange is not known: an answer may have come before a cancel or after it.
    unordered: bool,
    /// Resolution of the clock; `None` where no exchange has a time.
    resolution_us: Option<i64>,
    bytes: usize,
    unseen: Unseen,
}

/// Nothing is known to be lost: it would be in a record that is not there.
const UNRECORDED: Missing<'static> =
    Missing { words: "an exchange that no record shows", lost: Some(0), ..Missing::new(Why::Unrecorded) };

/// Several handshakes named no session, and several sessions follow.
const WHOSE: Missing<'static> = Missing { words: "to which session it led", ..Missing::new(Why::Guessed) };

/// The clock is too coarse for the order of two messages.
const AT_ONCE: Missing<'static> =
    Missing { words: "its clock does not tell which of two messages came first", ..Missing::new(Why::Unordered) };

/// The record does not tell when its answer came, and a cancel may have come before it.
const WHEN: Missing<'static> = Missing { words: "when it was answered", ..Missing::new(Why::Untimed) };

impl<'a> Collected<'a> {
    /// Nothing yet. `sessions` where some exchanges may name a session.
    pub(in crate::capture::formats) fn new(vantage: Vantage, unordered: bool, sessions: bool) -> Collected<'a> {
        Collected {
            placed: Vec::new(),
            connections: Connections::new(sessions),
            streams: 0,
            vantage,
            unordered,
            resolution_us: None,
            bytes: 0,
            unseen: Unseen::default(),
        }
    }

    /// The steps of one exchange; false for other traffic.
    pub(in crate::capture::formats) fn take(&mut self, exchange: Exchange<'a>) -> bool {
        self.put(exchange, |step| step)
    }

    fn put<'x>(&mut self, mut exchange: Exchange<'x>, keep: impl Fn(ExchangeStep<'x>) -> ExchangeStep<'a>) -> bool {
        if let Some(resolution) = exchange.resolution_us {
            self.resolution_us = Some(self.resolution_us.map_or(resolution, |least| least.min(resolution)));
        }
        let steps = steps_in_turn(&mut exchange);
        let get = exchange.verb == "GET" && !exchange.socket;
        if steps.is_empty() {
            return false;
        }
        self.streams += 1;
        self.connections.note(&exchange, self.streams);
        let torn = steps.iter().any(|step| step.side == Side::Server && step.what == StepKind::Missing);
        self.note_span(&exchange, torn);
        let started: Rc<str> = Rc::from(&*exchange.said);
        // A time of its own says of one record when it began and ended; it is made no finer by when that was written.
        let written = match exchange.halves.is_some() || exchange.start_us.or(exchange.end_us).is_none() {
            true => written(&exchange, &steps),
            false => [None; 2],
        };
        for (place, step) in steps.into_iter().enumerate() {
            let written_us = written.iter().flatten().find(|(last, _)| *last == place).map(|(_, us)| *us);
            let (line, offset) = exchange.place(&step);
            let step = keep(ExchangeStep { offset, ..exchange.filled(step) });
            let is_head = matches!(step.what, StepKind::Head(_));
            let (stream, started, connection) = (self.streams, Rc::clone(&started), UNSETTLED);
            let (on_get, adrift) = (get, get && !step.timed && !is_head);
            self.bytes += match &step.what {
                StepKind::Text(text) => text.len(),
                StepKind::Head(head) => head.len(),
                _ => 0,
            };
            self.placed.push(Placed { step, stream, line, connection, written_us, started, on_get, adrift });
        }
        true
    }

    /// When a stream of the server was open, and whether all of it is there.
    fn note_span(&mut self, exchange: &Exchange<'_>, torn: bool) {
        let Part::Text { text, event_stream, .. } = &exchange.response else { return };
        let torn = (torn || exchange.in_pieces) && (*event_stream || is_event_stream(text));
        let hears = || torn || announced(exchange).is_some();
        let Some(from_us) = exchange.start_us.or(exchange.end_us).filter(|_| hears()) else { return };
        let to_us = exchange.end_us.unwrap_or(i64::MAX);
        let span = Span { connection: UNSETTLED, stream: self.streams, from_us, to_us };
        if torn { self.unseen.torn.push(span) } else { self.unseen.heard.push(span) }
    }

    /// Hands on what was collected, all of it or, in a log that goes on, the earlier half once much has come.
    pub(in crate::capture::formats) fn hand_on(&mut self, all: bool, base: u64, out: &mut Out<'_>) -> Result<()> {
        if !all && self.bytes < WAITING {
            return Ok(());
        }
        out.times_are_told(true);
        let done = self.hand_on_part(all, base, out);
        out.times_are_told(false);
        done
    }

    fn hand_on_part(&mut self, all: bool, base: u64, out: &mut Out<'_>) -> Result<()> {
        let settled = self.connections.settle();
        let number = |stream: u32, known: u32| settled.get(&stream).copied().unwrap_or(known);
        for placed in &mut self.placed {
            placed.connection = self.connections.home(number(placed.stream, placed.connection));
        }
        self.unseen.renumber(|stream, known| self.connections.home(number(stream, known)));
        sequel::before_their_sequels(&mut self.placed, |number| self.connections.is_named(number));
        self.placed.sort_by_cached_key(|placed| (placed.step.order_us, placed.rank()));
        let half = if all { self.placed.len() } else { self.placed.len() / 2 };
        let rest = self.placed.split_off(half);
        // Where starts and ends are not told apart, a stream may have been open before its time.
        let (placed, untold) = order::after_their_causes(std::mem::replace(&mut self.placed, rest), !self.unordered);
        self.bytes /= 2;
        let known = || placed.iter().chain(&self.placed);
        // What hangs on an answer of a log that goes on may still come, where nothing tells when it had come at the latest.
        let mut untimed = if all { Untimed::of(&placed) } else { Untimed::at_least(known()) };
        untimed.answers.extend(amid(known()));
        self.unseen.whole = out.is_said_whole();
        let not_told = order::not_told_apart(&placed, self.resolution_us.unwrap_or(1));
        for (at, placed) in placed.iter().enumerate() {
            let known = [&untimed.connections, &untold.untimed];
            let unknown = self.unordered || known.iter().any(|set| set.contains(&placed.connection));
            let lost = match (untold.unordered.contains(&placed.connection), unknown) {
                (true, _) => Proof::ORDER.and(Proof::CANCEL_TARGET).and(Proof::ANSWER_TIME),
                (false, true) => Proof::ANSWER_TIME,
                (false, false) => Proof::NONE,
            };
            let resolution = self.resolution_us;
            let channel = self.connections.channel(placed.connection, lost, self.vantage, resolution, out)?;
            let stream = (!self.connections.is_socket(placed.connection)).then_some(placed.stream);
            let mut say = |side: Side, missing: Missing<'_>| {
                let (line, direction) = (placed.line, Direction::By(side));
                let place = Place { line, channel, direction, stream, byte_offset: 0, at_us: None, taps: None };
                out.put(&place, Body::Missing(missing))
            };
            if let Some(side) = stream.and_then(|_| self.unseen.before(placed)) {
                say(side, UNRECORDED)?;
            }
            if self.connections.is_guessed(placed.stream) {
                say(placed.step.side, WHOSE)?;
            }
            // Each is said of what comes next; where the order is not told, neither is the time.
            if not_told.contains(&at) {
                say(placed.step.side, AT_ONCE)?;
            } else if untimed.answers.contains(&at) {
                say(placed.step.side, WHEN)?;
            }
            hand_on(placed, channel, stream, resolution.is_some(), base, out)?;
        }
        Ok(())
    }
}

impl Collected<'static> {
    /// The same where the text of the exchange does not stay.
    pub(super) fn take_owned(&mut self, exchange: Exchange<'_>) -> bool {
        self.put(exchange, ExchangeStep::into_owned)
    }
}

/// The steps of an exchange. Where it has no times, but a record of its request and another of its response, these tell what came first.
fn steps_in_turn<'a>(exchange: &mut Exchange<'a>) -> Vec<ExchangeStep<'a>> {
    let untimed = exchange.start_us.or(exchange.first_byte_us).or(exchange.end_us).is_none();
    let Some([asked, answered]) = exchange.turns.filter(|_| untimed) else { return steps(exchange) };
    (exchange.start_us, exchange.end_us) = (Some(asked), Some(answered));
    let steps = steps(exchange);
    (exchange.start_us, exchange.end_us) = (None, None);
    steps.into_iter().map(|step| ExchangeStep { timed: false, since_us: None, ..step }).collect()
}

/// The last steps of an exchange of which wrappers tell when their records were written, with that time: the answer, or what wants none.
/// A record is written when all that it tells has happened.
fn written(exchange: &Exchange<'_>, steps: &[ExchangeStep<'_>]) -> [Option<(usize, i64)>; 2] {
    let [asked_us, answered_us] = exchange.written_us;
    let last = |side: Side| {
        let holds = |step: &ExchangeStep<'_>| matches!(step.what, StepKind::Text(_) | StepKind::Body);
        steps.iter().rposition(|step| step.side == side && holds(step))
    };
    let (asked, answered) = (last(Side::Client), last(Side::Server));
    let told = asked.filter(|place| answered.is_none() && steps[*place].told.requests().next().is_none());
    let told_us = asked_us.or(answered_us.filter(|_| told.is_some()));
    [asked.zip(told_us), answered.zip(answered_us)]
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
    if !placed.started.is_empty() {
        out.said(&placed.started);
    }
    let place = Place {
        line: placed.line,
        byte_offset: base + step.offset as u64,
        channel,
        at_us: match timed {
            true => out.refined(channel, placed.written_us, Some(step.order_us).filter(|_| step.timed)),
            false => placed.written_us,
        },
        direction: Direction::By(step.side),
        stream,
        taps: None,
    };
    match &step.what {
        // A limit of its size may have cut it where it looks whole.
        StepKind::Text(text) => {
            out.promised_or(&place, text, |out, fault| fault.cut.then(|| out.put(&place, Body::Missing(LEFT_OUT))))
        }
        StepKind::Head(head) => out.put(&place, Body::Http { head }),
        StepKind::StreamClosed(by) => {
            let direction = Direction::Unknown;
            out.put(&Place { direction, ..place }, Body::Close { by: *by })
        }
        StepKind::Ended => out.put(&Place { stream: None, ..place }, Body::Close { by: Some(Side::Client) }),
        StepKind::Missing => out.put(&place, Body::Missing(LEFT_OUT)),
        // Filled when it was taken.
        StepKind::Body => Ok(()),
    }
}
