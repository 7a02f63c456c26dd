//! The queue between traffic and disk: bounded in bytes, and it never waits.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{Pipe, TapeEvent};
use crate::capture::Frame;
use crate::protocol::Side;

/// What one event takes beside its bytes.
const OVERHEAD: usize = 128;

/// One event and where it belongs.
#[derive(Debug)]
pub(super) struct Item {
    pub at_us: i64,
    pub connection: u32,
    pub stream: Option<u32>,
    pub event: TapeEvent,
    /// For a gap in a stream of chunks: which one, and whether the gap ends in the middle of a line.
    pub resync: Option<(Pipe, bool)>,
}

/// What was lost of one side of one connection.
#[derive(Clone, Debug)]
pub(super) struct Loss {
    pub at_us: i64,
    pub connection: u32,
    /// Messages, at least.
    pub lost: u64,
    /// Lines that are no messages: heads of HTTP, what event streams say beside their data, raw text, stderr.
    others: u64,
    pub bytes: u64,
    from: Option<Side>,
    pipe: Option<Pipe>,
    mid_line: bool,
}

/// How many losses are told one by one; more are added up, whatever connection they are of.
const TOLD: usize = 8;

/// Adds an event to what was lost of a connection, and how many messages it is.
pub(super) fn lose(losses: &mut Vec<Loss>, connection: u32, item: &Item, messages: u64) {
    let (pipe, mid_line) = match &item.event {
        TapeEvent::Chunk { from, bytes } => (Some(*from), bytes.last().is_some_and(|last| *last != b'\n')),
        TapeEvent::Stderr { .. } => (Some(Pipe::Stderr), false),
        _ => (None, false),
    };
    let bytes = match &item.event {
        TapeEvent::Gap { bytes, .. } => *bytes,
        event => event.droppable().unwrap_or(0) as u64,
    };
    let (lost, others) = match (&item.event, pipe) {
        (_, Some(Pipe::Stderr)) => (0, messages.max(1)),
        (TapeEvent::Gap { .. } | TapeEvent::Chunk { .. }, _) => (messages, 0),
        _ => (messages, u64::from(messages == 0)),
    };
    let (at_us, from) = (item.at_us, item.event.from());
    let loss = Loss { at_us, connection, lost, others, bytes, from, pipe, mid_line };
    match losses.iter_mut().find(|old| old.connection == connection && old.is_like(&loss)) {
        Some(old) => old.add(&loss),
        None => losses.push(loss),
    }
}

/// How many messages are lost with an event, as far as a look at its beginning tells. Of a chunk the ends of lines are counted,
/// which is what messages in lines end with.
fn messages(event: &TapeEvent) -> u64 {
    match event {
        TapeEvent::Chunk { bytes, .. } => memchr::memchr_iter(b'\n', bytes).count() as u64,
        TapeEvent::Message { bytes, head, .. } => {
            let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
            u64::from(head.is_some() || matches!(first, Some(b'{' | b'[')))
        }
        event => event.messages(),
    }
}

/// Adds up what is too much to be told one by one, side by side.
pub(super) fn add_up(losses: &mut Vec<Loss>) {
    if losses.len() <= TOLD {
        return;
    }
    let mut sums: Vec<Loss> = Vec::new();
    for loss in losses.drain(..) {
        match sums.iter_mut().find(|sum| sum.is_like(&loss)) {
            Some(sum) => sum.add(&loss),
            None => sums.push(Loss { connection: Frame::WHOLE_SOURCE, ..loss }),
        }
    }
    *losses = sums;
}

impl Loss {
    /// True for a loss of the same side's.
    fn is_like(&self, other: &Loss) -> bool {
        self.from == other.from && self.pipe == other.pipe
    }

    fn add(&mut self, other: &Loss) {
        self.lost += other.lost;
        self.others += other.others;
        self.bytes += other.bytes;
        self.mid_line = other.mid_line;
    }

    /// How many messages: lines of stderr are none.
    pub(super) fn messages(&self) -> u64 {
        if self.pipe == Some(Pipe::Stderr) { 0 } else { self.lost + u64::from(self.mid_line) }
    }

    /// How many lines that are no messages, and that the event which says so does not tell.
    pub(super) fn untold(&self) -> u64 {
        if self.pipe == Some(Pipe::Stderr) { 0 } else { self.others }
    }

    /// The event that says so. Lost lines of stderr are no gap between messages.
    pub(super) fn item(self, why: &'static str) -> Item {
        let lost = self.messages();
        let Loss { at_us, connection, others, bytes, from, pipe, mid_line, .. } = self;
        let event = match pipe {
            Some(Pipe::Stderr) => TapeEvent::Note { text: format!("{why}: {others} lines of stderr were lost") },
            _ => TapeEvent::Gap { from, lost: Some(lost), bytes, why },
        };
        Item { at_us, connection, stream: None, event, resync: pipe.map(|pipe| (pipe, mid_line)) }
    }
}

/// What comes out of the queue.
pub(super) enum Popped {
    /// The next event.
    Item(Item),
    /// Nothing for the time that was given.
    Idle,
    /// Nothing ever again: the session ended at this time.
    Closed(i64),
}

/// The queue.
pub(super) struct Queue {
    state: Mutex<State>,
    filled: Condvar,
    limit: usize,
}

#[derive(Default)]
struct State {
    items: VecDeque<Item>,
    bytes: usize,
    losses: Vec<Loss>,
    closed: Option<i64>,
    last_us: i64,
}

impl State {
    /// Two threads may have looked at the clock in another order than they came here: times never run backwards.
    fn put(&mut self, mut item: Item) {
        item.at_us = item.at_us.max(self.last_us);
        self.last_us = item.at_us;
        self.bytes += weight(&item);
        self.items.push_back(item);
    }

    /// What was lost stands before what comes next.
    fn put_losses(&mut self) {
        for loss in std::mem::take(&mut self.losses) {
            self.put(loss.item("queue-full"));
        }
    }
}

fn weight(item: &Item) -> usize {
    item.event.droppable().unwrap_or(0) + OVERHEAD
}

impl Queue {
    pub(super) fn new(limit: usize) -> Queue {
        Queue { state: Mutex::default(), filled: Condvar::new(), limit }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an event, or counts it as lost.
    pub(super) fn push(&self, item: Item) {
        let mut state = self.lock();
        if state.closed.is_some() {
            return;
        }
        // Once something is lost, it goes on until half of the queue is free: one wide gap says more than many narrow ones.
        let limit = if state.losses.is_empty() { self.limit } else { self.limit / 2 };
        if item.event.droppable().is_some() && state.bytes + weight(&item) > limit {
            return lose(&mut state.losses, item.connection, &item, messages(&item.event));
        }
        state.put_losses();
        state.put(item);
        drop(state);
        self.filled.notify_one();
    }

    /// Nothing more will come.
    pub(super) fn close(&self, at_us: i64) {
        let mut state = self.lock();
        state.put_losses();
        state.closed.get_or_insert(at_us);
        drop(state);
        self.filled.notify_all();
    }

    /// How many events wait for the disk.
    pub(super) fn left(&self) -> usize {
        self.lock().items.len()
    }

    /// The next event. Without `patience` it waits for one.
    pub(super) fn pop(&self, patience: Option<Duration>) -> Popped {
        let mut state = self.lock();
        loop {
            if let Some(item) = state.items.pop_front() {
                state.bytes -= weight(&item);
                return Popped::Item(item);
            }
            if let Some(at_us) = state.closed {
                return Popped::Closed(at_us);
            }
            state = match patience {
                None => self.filled.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(patience) => {
                    let (state, timeout) =
                        self.filled.wait_timeout(state, patience).unwrap_or_else(PoisonError::into_inner);
                    if timeout.timed_out() && state.items.is_empty() && state.closed.is_none() {
                        return Popped::Idle;
                    }
                    state
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(from: Side, length: usize) -> Item {
        let event = TapeEvent::Message { from, bytes: vec![b'['; length], head: None };
        Item { at_us: 7, connection: 1, stream: None, event, resync: None }
    }

    fn drain(queue: &Queue) -> Vec<TapeEvent> {
        let mut events = Vec::new();
        while let Popped::Item(item) = queue.pop(Some(Duration::ZERO)) {
            events.push(item.event);
        }
        events
    }

    #[test]
    fn what_does_not_fit_is_counted_and_said_before_what_comes_next() {
        let queue = Queue::new(1000);
        queue.push(message(Side::Client, 500));
        queue.push(message(Side::Server, 900));
        queue.push(message(Side::Server, 1));
        assert!(matches!(queue.pop(None), Popped::Item(_)));
        queue.push(message(Side::Client, 10));
        let events = drain(&queue);
        assert_eq!(
            events[0],
            TapeEvent::Gap { from: Some(Side::Server), lost: Some(2), bytes: 901, why: "queue-full" },
            "losing goes on until half of the queue is free"
        );
        assert!(matches!(events[1], TapeEvent::Message { from: Side::Client, .. }));
        assert_eq!(events.len(), 2);
    }

    #[test]
    fn losses_of_many_connections_are_added_up_side_by_side() {
        let mut losses = Vec::new();
        for connection in 1..=1000 {
            let on = |from| Item { connection, ..message(from, 10) };
            lose(&mut losses, connection, &on(Side::Client), 1);
            lose(&mut losses, connection, &on(Side::Server), 0);
            add_up(&mut losses);
            assert!(losses.len() <= TOLD, "{}", losses.len());
        }
        let all = |count: fn(&Loss) -> u64| losses.iter().map(count).sum::<u64>();
        assert_eq!((all(Loss::messages), all(|loss| loss.others), all(|loss| loss.bytes)), (1000, 1000, 20_000));
        let of = |from| losses.iter().filter(|loss| loss.from == Some(from)).map(Loss::messages).sum::<u64>();
        assert_eq!((of(Side::Client), of(Side::Server)), (1000, 0));
    }

    #[test]
    fn the_end_is_never_dropped() {
        let queue = Queue::new(200);
        queue.push(message(Side::Server, 500));
        queue.push(Item { event: TapeEvent::Exit { code: Some(0), signal: None }, ..message(Side::Server, 0) });
        queue.close(9);
        queue.push(message(Side::Client, 1));
        let events = drain(&queue);
        assert!(matches!(events[..], [TapeEvent::Gap { lost: Some(1), .. }, TapeEvent::Exit { .. }]), "{events:?}");
        assert!(matches!(queue.pop(None), Popped::Closed(9)));
    }
}
