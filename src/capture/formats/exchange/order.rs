//! Messages of a stream that a GET opened have no time. They are put where they can first have come: an answer after
//! its request, progress after the request that has its token, all of one stream in their order.

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::steps::{ExchangeStep, StepKind};
use super::told::Link;
use crate::protocol::Side;

/// A step with its exchange.
pub(super) struct Placed<'a> {
    pub(super) step: ExchangeStep<'a>,
    pub(super) stream: u32,
    pub(super) line: u64,
    /// Which of [`super::connection::Connections`] it belongs to.
    pub(super) connection: u32,
    /// When a wrapper says that its record was written, where nothing of it came later.
    pub(super) written_us: Option<i64>,
    /// When its exchange started, as written.
    pub(super) started: Rc<str>,
    /// True if it came on a stream that a GET opened.
    pub(super) on_get: bool,
    /// True if it did, and has no time of its own.
    pub(super) adrift: bool,
}

impl Placed<'_> {
    /// Order of what has one time: what may have come earlier, then the rest, then what a client says to something it was told.
    pub(super) fn rank(&self) -> u8 {
        match self.step.side {
            // A head comes before what it is the head of.
            _ if self.adrift || matches!(self.step.what, StepKind::Head(_)) => 0,
            Side::Client if self.step.told.causes().next().is_some() => 2,
            _ => 1,
        }
    }
}

/// Of one connection: what was asked so far, what will be asked at all, and what waits.
#[derive(Default)]
struct Connection<'a> {
    asked: FxHashSet<Link>,
    ever: FxHashSet<Link>,
    waiting: FxHashMap<u32, VecDeque<Placed<'a>>>,
}

impl<'a> Connection<'a> {
    fn is_ready(&self, placed: &Placed<'_>) -> bool {
        placed.step.told.causes().all(|cause| self.asked.contains(&cause) || !self.ever.contains(&cause))
    }

    /// Takes what no longer waits, stream by stream.
    fn release(&mut self, all: bool, done: &mut Vec<Placed<'a>>) {
        let mut streams: Vec<u32> = self.waiting.keys().copied().collect();
        streams.sort_unstable();
        for stream in streams {
            let Some(mut queue) = self.waiting.remove(&stream) else { continue };
            while queue.front().is_some_and(|placed| all || self.is_ready(placed)) {
                done.extend(queue.pop_front());
            }
            if !queue.is_empty() {
                self.waiting.insert(stream, queue);
            }
        }
    }
}

/// The connections of which a document does not tell everything.
#[derive(Default)]
pub(super) struct Untold {
    /// Those in which something hangs on an order that is not told: whether an answer came before a cancel or after it, or
    /// before its id was used again.
    pub(super) unordered: FxHashSet<u32>,
    /// Those with answers of which it is not told when they came.
    pub(super) untimed: FxHashSet<u32>,
}

/// Brings steps that are in the order of time, and those without a time, into one order.
pub(super) fn after_their_causes(steps: Vec<Placed<'_>>) -> (Vec<Placed<'_>>, Untold) {
    let mut untold = Untold { unordered: reused_without_time(&steps), ..Untold::default() };
    if !steps.iter().any(|placed| placed.adrift) {
        return (steps, untold);
    }
    let sensitive = hang_on_order(&steps);
    let mut connections: FxHashMap<u32, Connection<'_>> = FxHashMap::default();
    for placed in &steps {
        if placed.step.side == Side::Client {
            connections.entry(placed.connection).or_default().ever.extend(placed.step.told.effects());
        }
    }
    let mut done = Vec::with_capacity(steps.len());
    for placed in steps {
        let connection = connections.entry(placed.connection).or_default();
        if placed.adrift {
            if placed.step.told.answers {
                untold.untimed.insert(placed.connection);
            }
            connection.waiting.entry(placed.stream).or_default().push_back(placed);
        } else {
            if placed.step.side == Side::Client {
                connection.asked.extend(placed.step.told.effects());
            }
            done.push(placed);
        }
        connection.release(false, &mut done);
    }
    let mut rest: Vec<_> = connections.into_iter().collect();
    rest.sort_by_key(|(_, connection)| connection.waiting.keys().min().copied());
    for (_, mut connection) in rest {
        connection.release(true, &mut done);
    }
    untold.unordered.extend(untold.untimed.intersection(&sensitive));
    (done, untold)
}

/// Places of what a client sent so shortly before something came on another stream that the clock does not tell which was first, and of
/// what came: a time is cut off to the unit that it is written in, and an end may be finer than a beginning.
pub(super) fn not_told_apart(steps: &[Placed<'_>], resolution_us: i64) -> FxHashSet<usize> {
    let mut found = FxHashSet::default();
    let mut sent: FxHashMap<u32, VecDeque<usize>> = FxHashMap::default();
    for (place, placed) in steps.iter().enumerate().filter(|(_, placed)| placed.step.timed) {
        let (now, recent) = (placed.step.order_us, sent.entry(placed.connection).or_default());
        while recent.front().is_some_and(|first| steps[*first].step.order_us <= now.saturating_sub(resolution_us)) {
            recent.pop_front();
        }
        if placed.step.side == Side::Client {
            recent.push_back(place);
            continue;
        }
        let before = |at: &usize| steps[*at].stream != placed.stream && steps[*at].step.order_us < now;
        if recent.iter().any(before) {
            found.insert(place);
            found.extend(recent.drain(..).filter(before));
        }
    }
    found
}

/// The connections in which it matters when an answer came of which that is not told: its request is cancelled, or a client uses its
/// id again.
fn hang_on_order(steps: &[Placed<'_>]) -> FxHashSet<u32> {
    let adrift = steps.iter().filter(|placed| placed.adrift && placed.step.told.answers);
    let answered: FxHashSet<(u32, Link)> =
        adrift.flat_map(|placed| placed.step.told.causes().map(|id| (placed.connection, id))).collect();
    let mut asked: FxHashSet<(u32, Link)> = FxHashSet::default();
    let mut found = FxHashSet::default();
    for Placed { step, connection, .. } in steps.iter().filter(|placed| placed.step.side == Side::Client) {
        let is_answered = |id: &Link| answered.contains(&(*connection, *id));
        let mut again = step.told.requests().filter(is_answered);
        if again.any(|id| !asked.insert((*connection, id))) || step.told.cancelled().any(|id| is_answered(&id)) {
            found.insert(*connection);
        }
    }
    found
}

/// The connections in which the server uses an id again and nothing tells when.
fn reused_without_time(steps: &[Placed<'_>]) -> FxHashSet<u32> {
    let mut asked: FxHashMap<(u32, Link), bool> = FxHashMap::default();
    let mut unordered = FxHashSet::default();
    for placed in steps.iter().filter(|placed| placed.step.side == Side::Server) {
        for id in placed.step.told.requests() {
            let earlier = asked.insert((placed.connection, id), placed.step.timed);
            if earlier.is_some_and(|timed| !timed || !placed.step.timed) {
                unordered.insert(placed.connection);
            }
        }
    }
    unordered
}
