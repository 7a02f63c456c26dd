//! Messages of a stream that a GET opened have no time. They are put where they can first have come: an answer after
//! its request, progress after the request that has its token, all of one stream in their order. Where the log does not tell when the
//! stream was opened, that alone places them.

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

/// When nothing more comes: what waits is let go.
const LAST_US: i64 = i64::MAX;

/// Of one connection: what was asked so far, what will be asked at all, and what waits.
#[derive(Default)]
struct Connection<'a> {
    asked: FxHashSet<Link>,
    ever: FxHashSet<Link>,
    waiting: FxHashMap<u32, VecDeque<Vec<Placed<'a>>>>,
}

impl<'a> Connection<'a> {
    fn is_ready(&self, together: &[Placed<'_>]) -> bool {
        let mut causes = together.iter().flat_map(|placed| placed.step.told.causes());
        causes.all(|cause| self.asked.contains(&cause) || !self.ever.contains(&cause))
    }

    /// True for what comes behind something that the log shows.
    fn waits(&self, placed: &Placed<'_>) -> bool {
        placed.adrift && placed.step.told.causes().any(|cause| self.ever.contains(&cause))
    }

    /// Takes what no longer waits, or for which it is time, stream by stream.
    fn release(&mut self, now_us: i64, done: &mut Vec<Placed<'a>>) {
        let mut streams: Vec<u32> = self.waiting.keys().copied().collect();
        streams.sort_unstable();
        for stream in streams {
            let Some(mut queue) = self.waiting.remove(&stream) else { continue };
            while queue.front().is_some_and(|together| now_us == LAST_US || self.is_ready(together)) {
                done.extend(queue.pop_front().into_iter().flatten());
            }
            if let Some(together) = queue.front_mut() {
                let due = |placed: &&Placed<'_>| placed.step.order_us <= now_us && !self.waits(placed);
                let due = together.iter().take_while(due).count();
                done.extend(together.drain(..due));
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

/// Brings steps that are in the order of time, and those without a time, into one order. Times are `told` where it is known when
/// streams were opened.
pub(super) fn after_their_causes(steps: Vec<Placed<'_>>, told: bool) -> (Vec<Placed<'_>>, Untold) {
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
    let adrift = steps.iter().filter(|placed| placed.adrift && placed.step.told.answers);
    untold.untimed.extend(adrift.map(|placed| placed.connection));
    let steps = if told { steps } else { waiting_from_the_first(steps, &mut connections) };
    for placed in steps {
        let (connection, now_us) = (connections.entry(placed.connection).or_default(), placed.step.order_us);
        if !told {
            connection.release(now_us, &mut done);
        }
        if placed.adrift {
            connection.waiting.entry(placed.stream).or_default().push_back(vec![placed]);
        } else {
            if placed.step.side == Side::Client {
                connection.asked.extend(placed.step.told.effects());
            }
            done.push(placed);
        }
        connection.release(now_us, &mut done);
    }
    let mut rest: Vec<_> = connections.into_iter().collect();
    rest.sort_by_key(|(_, connection)| connection.waiting.keys().min().copied());
    for (_, mut connection) in rest {
        connection.release(LAST_US, &mut done);
    }
    untold.unordered.extend(untold.untimed.intersection(&sensitive));
    (done, untold)
}

/// What comes behind something of the log waits for that from the first, with what stands before it on its stream; the other steps.
fn waiting_from_the_first<'a>(
    steps: Vec<Placed<'a>>,
    connections: &mut FxHashMap<u32, Connection<'a>>,
) -> Vec<Placed<'a>> {
    let waits = |placed: &Placed<'_>| connections.get(&placed.connection).is_some_and(|of| of.waits(placed));
    let waiting = steps.iter().enumerate().filter(|(_, placed)| waits(placed));
    let last: FxHashMap<u32, usize> = waiting.map(|(at, placed)| (placed.stream, at)).collect();
    let (mut others, mut before) = (Vec::new(), FxHashMap::<u32, Vec<Placed<'_>>>::default());
    for (at, placed) in steps.into_iter().enumerate() {
        if !placed.adrift || last.get(&placed.stream).is_none_or(|last| at > *last) {
            others.push(placed);
            continue;
        }
        let connection = connections.entry(placed.connection).or_default();
        let (stream, waits) = (placed.stream, connection.waits(&placed));
        let together = before.entry(stream).or_default();
        together.push(placed);
        if waits {
            connection.waiting.entry(stream).or_default().push_back(std::mem::take(together));
        }
    }
    others
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
