//! What the exchanges of a log hold, put into the order of time and handed on.

use std::borrow::Cow;

use super::Exchange;
use super::connection::Connections;
use super::order::{self, Placed};
use super::steps::{Step, What, steps};
use crate::capture::out::Out;
use crate::capture::place::Place;
use crate::capture::{Body, Direction, Missing, Proof, Vantage, Why};
use crate::error::Result;
use crate::protocol::Side;

/// How many bytes of messages of a log that is read line by line wait for what may belong before them.
const WAITING: usize = 32 << 20;

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
}

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
        }
    }

    /// The steps of one exchange; false for other traffic.
    pub(in crate::capture::formats) fn take(&mut self, exchange: &Exchange<'a>) -> bool {
        self.put(exchange, |step| step, Clone::clone)
    }

    fn put<'x>(
        &mut self,
        exchange: &Exchange<'x>,
        keep: impl Fn(Step<'x>) -> Step<'a>,
        said: impl Fn(&Cow<'x, str>) -> Cow<'a, str>,
    ) -> bool {
        if let Some(resolution) = exchange.resolution_us {
            self.resolution_us = Some(self.resolution_us.map_or(resolution, |least| least.min(resolution)));
        }
        let steps = steps(exchange);
        if steps.is_empty() {
            return false;
        }
        self.streams += 1;
        let connection = self.connections.of(exchange, self.streams);
        let get = exchange.verb == "GET" && !exchange.socket;
        for step in steps.into_iter().map(keep) {
            let (stream, started, adrift) = (self.streams, said(&exchange.said), get && !step.timed);
            if let What::Text(text) = &step.what {
                self.bytes += text.len();
            }
            self.placed.push(Placed { step, stream, line: exchange.line, connection, started, adrift });
        }
        true
    }

    /// Hands on what was collected, all of it or, in a log that goes on, the earlier half once much has come.
    pub(in crate::capture::formats) fn hand_on(&mut self, all: bool, base: u64, out: &mut Out<'_>) -> Result<()> {
        if !all && self.bytes < WAITING {
            return Ok(());
        }
        self.placed.sort_by_key(|placed| placed.step.order_us);
        let half = if all { self.placed.len() } else { self.placed.len() / 2 };
        let rest = self.placed.split_off(half);
        let (placed, unordered) = order::after_their_causes(std::mem::replace(&mut self.placed, rest));
        self.bytes /= 2;
        for placed in &placed {
            let lost = match (unordered.contains(&placed.connection), self.unordered) {
                (true, _) => Proof::ORDER.and(Proof::CANCEL_TARGET),
                (false, true) => Proof::CANCEL_TARGET,
                (false, false) => Proof::NONE,
            };
            let resolution = self.resolution_us;
            let channel = self.connections.channel(placed.connection, lost, self.vantage, resolution, out)?;
            let stream = (!self.connections.is_socket(placed.connection)).then_some(placed.stream);
            hand_on(placed, channel, stream, resolution.is_some(), base, out)?;
        }
        Ok(())
    }
}

impl Collected<'static> {
    /// The same where the text of the exchange does not stay.
    pub(super) fn take_owned(&mut self, exchange: &Exchange<'_>) -> bool {
        self.put(exchange, Step::into_owned, |said| Cow::Owned(said.to_string()))
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
    if !placed.started.is_empty() {
        out.said(&placed.started);
    }
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
        What::Missing => out.put(&place, Body::Missing(LEFT_OUT)),
    }
}
