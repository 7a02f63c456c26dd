//! What the server said on one channel is said in that order, at every speed: an answer that overtook another one, or a
//! cancel that it had outrun, would prove what never happened.
//!
//! A message that is due waits for those that stand before it and can still come. Whether one that hangs on the client
//! will come is not known: it is waited for as long as the recorded client took, and a little, and then passed over.

use std::sync::Arc;

use super::Mock;
use super::play::Timer;
use super::script::{Link, Script};
use crate::capture::Transport;
use crate::protocol::Side;
use crate::replay::recording::EventKind;

/// How much longer than the recorded client a live one may take for what others wait for, microseconds.
const PATIENCE_US: i64 = 500_000;

/// How long one waits at most for what the recorded client had before it asked: this client is ahead of it, microseconds.
const AHEAD_US: i64 = 500_000;

/// A message that was due and waits for those before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    timer: Timer,
    run: Option<usize>,
    since_us: i64,
}

/// Whether a message of the server is still to come.
enum Prospect {
    /// It is, whatever the client does.
    Comes,
    /// If the client does something, which it should have done by then.
    Until(i64),
    /// It never will.
    Never,
}

impl Mock {
    /// Something is due: it is sent, or waits for its turn.
    pub(super) fn fire(&mut self, timer: Timer, run: Option<usize>) {
        self.held.insert((timer.event, timer.due_us), Held { timer, run, since_us: timer.due_us });
        self.release(timer.due_us);
    }

    /// Sends what waits for nothing any more.
    pub(super) fn release(&mut self, now_us: i64) {
        while self.said < self.happened.len() && !self.is_open(self.said) {
            self.said += 1;
        }
        while !self.over
            && let Some((key, held)) =
                self.held.iter().map(|(key, held)| (*key, *held)).find(|(_, held)| {
                    self.waits_until(held.timer.event, held.since_us).is_none_or(|until| until <= now_us)
                })
        {
            self.pass_over(held.timer.event, held.since_us, now_us);
            self.held.remove(&key);
            self.play(Timer { due_us: now_us.max(held.timer.due_us), ..held.timer }, held.run);
        }
    }

    /// When the next message that waits is to be looked at again, at the latest.
    pub(super) fn held_until(&self) -> Option<i64> {
        let all = self.held.values().filter_map(|held| self.waits_until(held.timer.event, held.since_us));
        all.filter(|until| *until < i64::MAX).min()
    }

    /// Takes back what waits for its turn.
    pub(super) fn drop_held(&mut self, timer: Timer) {
        self.held.retain(|_, held| held.timer != timer);
    }

    /// Until when an event waits for those before it; `None` if it does not.
    fn waits_until(&self, event: usize, since_us: i64) -> Option<i64> {
        let owner = self.script.owner(event).map(|(exchange, _)| exchange);
        let asked = owner.map(|exchange| self.script.connection.exchanges[exchange].request);
        let crosses = owner.is_some_and(|exchange| self.script.may_have_crossed(exchange, event));
        let until = |before: usize| {
            let ahead = asked.is_some_and(|asked| before < asked);
            let until = match self.prospect(&self.script, before, event, since_us) {
                Prospect::Comes => i64::MAX,
                Prospect::Until(until) => until,
                Prospect::Never => return None,
            };
            Some(if ahead { until.min(since_us.saturating_add(AHEAD_US)) } else { until })
        };
        // Kept for what is late beyond doubt, and for what waits for that, what may have crossed its cancel would be late beyond
        // doubt, too: it waits for what stands before those.
        let late = |before: &usize| crosses && self.script.is_proven_late(*before);
        self.before(event).take_while(|before| !late(before)).filter_map(until).max()
    }

    /// What of the server stands before an event and has not been said.
    fn before(&self, event: usize) -> impl Iterator<Item = usize> {
        let ordered = self.script.connection.transport == Transport::Ordered && !self.happened[event];
        let from = if ordered { self.said.min(event) } else { event };
        (from..event).filter(|before| self.is_open(*before))
    }

    /// True for what the server has not said, and nobody has given up on.
    fn is_open(&self, event: usize) -> bool {
        let of_server = self.script.connection.events[event].side == Some(Side::Server);
        of_server && self.script.is_played(event) && !self.happened[event] && !self.passed.contains(&event)
    }

    /// What did not come in its time is waited for no longer, and neither is what never will.
    fn pass_over(&mut self, event: usize, since_us: i64, now_us: i64) {
        let script = Arc::clone(&self.script);
        let over: Vec<usize> = self
            .before(event)
            .filter(|before| match self.prospect(&script, *before, event, since_us) {
                Prospect::Comes => false,
                Prospect::Until(until) => until <= now_us,
                Prospect::Never => true,
            })
            .collect();
        self.passed.extend(over);
    }

    fn prospect(&self, script: &Script, event: usize, of: usize, since_us: i64) -> Prospect {
        let mut event = event;
        loop {
            let mut scheduled = self.timers.keys().chain(self.held.values().map(|held| &held.timer));
            if scheduled.any(|timer| timer.event == event) {
                return Prospect::Comes;
            }
            if let Some((exchange, link)) = script.owner(event) {
                return self.prospect_in_chain(script, exchange, link, of, since_us);
            }
            // What belongs to no request comes after what came before it.
            match script.predecessor(event) {
                Some(cause) if self.passed.contains(&cause) => return Prospect::Never,
                Some(cause) if script.connection.events[cause].side == Some(Side::Server) => event = cause,
                Some(cause) => return self.hangs_on(script, cause, of, since_us),
                None => return Prospect::Never,
            }
        }
    }

    fn prospect_in_chain(&self, script: &Script, exchange: usize, link: usize, of: usize, since_us: i64) -> Prospect {
        let Some(run) = self.runs.iter().rev().find(|run| run.exchange == exchange) else {
            return self.hangs_on(script, script.connection.exchanges[exchange].request, of, since_us);
        };
        let links = &script.chains[exchange].links;
        match links.get(run.at) {
            Some(_) if run.stopped || run.at > link => Prospect::Never,
            Some(Link::Send(_)) => Prospect::Comes,
            Some(Link::Await(event)) => {
                let before = run.at.checked_sub(1).and_then(|before| links.get(before));
                let before = before.map_or(script.connection.exchanges[exchange].request, |link| link.event());
                let took = script.gap_us(before, *event);
                Prospect::Until(run.base_us.saturating_add(took).saturating_add(PATIENCE_US))
            }
            None => Prospect::Never,
        }
    }

    /// What comes after something that the client has not done yet; `of` is what waits for it.
    fn hangs_on(&self, script: &Script, client: usize, of: usize, since_us: i64) -> Prospect {
        let batch = script.batches[client];
        let came_without = batch.is_some()
            && (0..script.batches.len()).any(|other| script.batches[other] == batch && self.happened[other]);
        let gone_on = match script.connection.events[client].what {
            // It may do other things before it answers.
            EventKind::Response(Some(place)) => !self.may_be_answered(script, place),
            _ => client < self.front,
        };
        if gone_on || came_without {
            // The client has gone on without it, or sent what it was sent with.
            return Prospect::Never;
        }
        let asked = script.owner(of).map(|(exchange, _)| script.connection.exchanges[exchange].request);
        let took = script.gap_us(asked.unwrap_or(client), client);
        Prospect::Until(since_us.saturating_add(took).saturating_add(PATIENCE_US))
    }

    /// True for a request of the server that the client has, or will have.
    fn may_be_answered(&self, script: &Script, place: usize) -> bool {
        let is_asked = self.asked.iter().any(|asked| asked.place == place);
        is_asked || self.is_open(script.connection.exchanges[place].request)
    }
}
