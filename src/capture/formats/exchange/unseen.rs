//! What passed in exchanges of which a log has no record, or only the beginning.
//!
//! A record is written when its exchange ends. What a stream carries that is still open is not in the log, though it was
//! heard: a client answers a request of the server which no record shows, or cancels a call whose own record was never
//! written. Of a stream that was cut, any part after its beginning may be missing.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashSet, FxHasher};

use super::order::Placed;
use super::steps::StepKind;
use super::told::Link;
use crate::protocol::Side;

/// A stream of the server of which the log knows when it was open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) connection: u32,
    pub(super) stream: u32,
    pub(super) from_us: i64,
    pub(super) to_us: i64,
}

impl Span {
    fn covers(&self, placed: &Placed<'_>) -> bool {
        let beside = self.connection == placed.connection && self.stream != placed.stream;
        beside && (self.from_us..=self.to_us).contains(&placed.step.order_us)
    }
}

/// What is known of the records read so far.
#[derive(Default)]
pub(super) struct Unseen {
    /// Streams with all that a server said while they were open, which are there to their end: those of HTTP+SSE. Elsewhere it may have
    /// said something on the stream of a POST, of which there is no record while it is open.
    pub(super) heard: Vec<Span>,
    /// Event streams that were cut.
    pub(super) torn: Vec<Span>,
    /// What each side has asked, by connection: a hash of each. Of very many the earlier ones are forgotten, which only
    /// takes proof away.
    asked: FxHashSet<u64>,
    /// True if the user says that each exchange has its record.
    pub(super) whole: bool,
}

/// How much is remembered of what was asked.
const ASKED: usize = 1 << 16;

fn key(connection: u32, side: Side, link: Link) -> u64 {
    let mut hasher = FxHasher::default();
    (connection, side == Side::Client, link).hash(&mut hasher);
    hasher.finish()
}

impl Unseen {
    /// Brings the spans to the numbers that connections have in the end, which a stream and what is known of it give.
    pub(super) fn renumber(&mut self, mut number: impl FnMut(u32, u32) -> u32) {
        for span in self.heard.iter_mut().chain(&mut self.torn) {
            span.connection = number(span.stream, span.connection);
        }
    }

    /// Whose messages may be missing right before this one.
    pub(super) fn before(&mut self, placed: &Placed<'_>) -> Option<Side> {
        let StepKind::Text(_) = placed.step.what else { return None };
        let (connection, side, told) = (placed.connection, placed.step.side, &placed.step.told);
        if self.asked.len() > ASKED {
            self.asked.clear();
        }
        self.asked.extend(told.effects().map(|effect| key(connection, side, effect)));
        let torn = self.torn.iter().any(|span| span.covers(placed));
        match side {
            Side::Client if torn || !self.whole && self.is_strange(placed) => Some(Side::Server),
            Side::Client => {
                let shown = |target: &Link| self.asked.contains(&key(connection, side, *target));
                (!self.whole && !told.cancelled().all(|link| shown(&link))).then_some(Side::Client)
            }
            // A request of the server may stand behind an answer that is not there.
            Side::Server if torn && told.requests().next().is_some() => Some(Side::Server),
            Side::Server if placed.on_get && !self.whole => self.is_about_another(placed),
            Side::Server => None,
        }
    }

    /// Whose request no record shows, where what comes on a stream that a GET opened cancels it or reports on it: the stream of the
    /// POST that carried it may still be open. What comes with a POST is about that one.
    fn is_about_another(&self, placed: &Placed<'_>) -> Option<Side> {
        let shown = |side: Side, link: Link| self.asked.contains(&key(placed.connection, side, link));
        let told = &placed.step.told;
        if !told.cancelled().all(|link| shown(Side::Server, link)) {
            return Some(Side::Server);
        }
        let reports = !told.answers && !told.causes().all(|link| shown(Side::Client, link));
        reports.then_some(Side::Client)
    }

    /// True for an answer to the server, or progress for it, of which no record shows the request, nor all that the server said.
    fn is_strange(&self, placed: &Placed<'_>) -> bool {
        let shown = |cause: &Link| self.asked.contains(&key(placed.connection, Side::Server, *cause));
        !placed.step.told.causes().all(|link| shown(&link)) && !self.heard.iter().any(|span| span.covers(placed))
    }
}
