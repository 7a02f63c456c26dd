//! How long things are waited for: stuck requests, horizons of cancels, and the end of the run.

use super::Engine;
use super::state::Phase;
use crate::live::link::Outgoing;
use crate::protocol::Side;
use crate::replay::plan::{Action, Step};
use crate::replay::recording::Exchange;
use crate::replay::run::{CancelStatus, Fate};

/// The least that is watched after a cancel where it is known how long the request takes by itself, microseconds.
const KNOWN_LINGER_US: i64 = 1_000_000;
/// How long a connection may take to be made, microseconds: a server that is not up yet is tried for five seconds.
const CONNECTING_US: i64 = 6_000_000;
/// What is still watched after the answer to a cancelled request came, microseconds.
const AFTER_ANSWER_US: i64 = 500_000;
/// How much longer than the recorded server a live one may take to end by itself, microseconds.
const OWN_END_US: i64 = 250_000;
/// The longest that a peer takes to end when it was asked to: 10 s, TERM, 5 s, KILL, and a little.
const ENDING_US: i64 = 17_000_000;

/// A known duration with what is allowed for a slower machine.
fn and_half(known_us: i64) -> i64 {
    known_us + known_us / 2
}

impl Engine {
    /// Gives up on requests that show no sign of life.
    pub(super) fn watch(&mut self) {
        if !matches!(self.phase, Phase::Playing | Phase::Closing) {
            return;
        }
        let over: Vec<usize> = self.flight.iter().copied().filter(|at| self.is_over(*at)).collect();
        for exchange in over {
            self.flight.remove(&exchange);
        }
        let stuck: Vec<usize> =
            self.flight.iter().copied().filter(|at| self.stuck_at(*at).is_some_and(|at| at <= self.heard_us)).collect();
        for exchange in stuck {
            self.log.exchanges[exchange].stuck_us = Some(self.now);
        }
        self.watch_reinit();
    }

    /// When a request is given up, at the earliest: what came before must have been told by then.
    pub fn gives_up_at(&self) -> Option<i64> {
        self.flight.iter().filter_map(|exchange| self.stuck_at(*exchange)).min()
    }

    /// True if nothing will be done about an exchange any more, whatever comes.
    fn is_over(&self, exchange: usize) -> bool {
        match self.recorded.exchanges[exchange].issuer {
            Side::Server => self.live[exchange].settled,
            Side::Client => {
                !self.given_up(exchange)
                    && !self.open(exchange)
                    && self.horizon(exchange).is_none_or(|until| until <= self.now)
            }
        }
    }

    fn open(&self, exchange: usize) -> bool {
        let run = &self.log.exchanges[exchange];
        self.recorded.exchanges[exchange].issuer == Side::Client
            && run.fate == Fate::Sent
            && run.answered_us.is_none()
            && !self.live[exchange].refused
            && (run.session_lost.is_none() || run.repeated)
    }

    fn landed(&self, exchange: usize) -> Option<i64> {
        let cancel = self.log.exchanges[exchange].cancel.as_ref()?;
        cancel.sent_us.filter(|_| cancel.status == CancelStatus::Landed)
    }

    /// When an open request is given up as stuck.
    fn stuck_at(&self, exchange: usize) -> Option<i64> {
        let run = &self.log.exchanges[exchange];
        let recorded = &self.recorded.exchanges[exchange];
        if !self.open(exchange) || run.stuck_us.is_some() || recorded.response.is_none() {
            return None;
        }
        if self.landed(exchange).is_some() {
            // An answer that is due after a cancel and does not come: stuck when it was watched for long enough.
            // So it is with one whose value a later request needs, whatever the protocol.
            let due = self.recorded.profile.answers_cancelled() || self.owed.contains(&exchange);
            return due.then(|| self.horizon(exchange)).flatten();
        }
        let ahead = self.phase == Phase::Playing && self.halted.is_none();
        if ahead && self.live[exchange].cancel_planned.is_some() && run.cancel.is_none() {
            return None;
        }
        self.owed_until(exchange)
    }

    /// Until when an answer that is due is waited for. A cancel that lands begins that time anew.
    fn owed_until(&self, exchange: usize) -> Option<i64> {
        let life = &self.options.life;
        let latency = self.recorded.exchanges[exchange].latency_us.unwrap_or(0).max(0);
        let silent = life.stuck_min_us.max((latency as f64 * life.stuck_factor) as i64);
        // What has not been handed to the transport waits for its connection, and not for an answer.
        let silent = if self.live[exchange].queued { silent + CONNECTING_US } else { silent };
        // What took longer than the limit in the recording is given twice as long.
        let since = self.landed(exchange).or(self.log.exchanges[exchange].sent_us)?;
        let whole = since + life.max_request_us.max(2 * latency);
        Some(match self.waits_for_us(exchange) {
            true => whole,
            false => whole.min(self.live[exchange].sign_us.max(since) + silent),
        })
    }

    /// Until when an answer to a landed cancel's target is watched for.
    fn horizon(&self, exchange: usize) -> Option<i64> {
        let sent = self.landed(exchange)?;
        if self.live[exchange].unobservable {
            return Some(sent);
        }
        let recorded = &self.recorded.exchanges[exchange];
        let kind = (recorded.method.clone(), recorded.name.clone());
        let natural = self.peer.natural.get(&kind).copied().max(self.peer.seen.get(&kind).copied());
        let known = natural.max(self.lasted(exchange)).unwrap_or(0);
        let life = &self.options.life;
        // Where it is known how long the work takes when it is left alone, watching past that is enough.
        let least = match self.peer.natural.contains_key(&kind) && !life.linger_given {
            true => life.linger_us.min(KNOWN_LINGER_US),
            false => life.linger_us,
        };
        let horizon = sent + least.max(and_half(known));
        Some(match self.log.exchanges[exchange].answered_us {
            Some(answered) => horizon.min((answered.max(sent) + self.after_answer(exchange)).max(self.asked_for(sent))),
            // Whoever owes an answer has the time for it that others have: to leave before would make us the cause of its absence.
            None if self.recorded.profile.answers_cancelled() && recorded.response.is_some() => {
                horizon.max(self.owed_until(exchange)?)
            }
            None => horizon,
        })
    }

    /// How long is still watched behind the answer to a cancelled request: longer where more came behind it in the recording.
    fn after_answer(&self, exchange: usize) -> i64 {
        let time = |event: usize| self.recorded.events[event].at_us;
        let (answer, last) = (self.recorded.exchanges[exchange].response, self.known.last[exchange]);
        let more = answer.and_then(time).zip(last.and_then(time)).map_or(0, |(answer, last)| last - answer);
        AFTER_ANSWER_US.max(and_half(more))
    }

    /// Until when somebody asked to watch, where no answer is due that would end it.
    fn asked_for(&self, cancelled_us: i64) -> i64 {
        let life = &self.options.life;
        let asked = life.linger_given && !self.recorded.profile.answers_cancelled();
        cancelled_us + if asked { life.linger_us } else { 0 }
    }

    /// Notes where the recording shows the last of each exchange.
    pub(super) fn find_last(&mut self) {
        let own = |exchange: &Exchange| {
            exchange.response.max(exchange.progress.last().copied()).max(exchange.late.last().copied())
        };
        let mut last: Vec<Option<usize>> = self.recorded.exchanges.iter().map(own).collect();
        for nested in self.recorded.exchanges.iter().filter(|nested| nested.issuer == Side::Server) {
            if let Some(served) = nested.parent.and_then(|parent| last.get_mut(parent)) {
                *served = (*served).max(Some(nested.request));
            }
        }
        self.known.last = last;
    }

    /// Until when something may still come of a request whose cancel landed, if it takes as long for it as in the recording.
    pub(super) fn lasting_until(&self, exchange: usize) -> Option<i64> {
        Some(self.landed(exchange)? + and_half(self.lasted(exchange)?))
    }

    /// How long after its cancel the last of a request was seen in the recording: as long, nothing of it can be missed.
    fn lasted(&self, exchange: usize) -> Option<i64> {
        let recorded = &self.recorded.exchanges[exchange];
        let last = self.known.last[exchange]?;
        let cancel = recorded.cancels.iter().rfind(|cancel| **cancel < last)?;
        let time = |event: usize| self.recorded.events[event].at_us;
        Some(time(last)? - time(*cancel)?)
    }

    /// True if nothing is left to do at this time but to see whether answers come that should not, or to wait for the peer's end.
    pub fn only_watches(&self, now_us: i64) -> bool {
        // Where a cancelled request is answered all the same, it is watched once its answer had the time that it took.
        let in_time = |exchange| {
            self.recorded.profile.answers_cancelled()
                && self.lasting_until(exchange).is_some_and(|until| until > now_us)
        };
        let watched = |exchange: &usize| {
            self.awaited_until(*exchange).is_none() || self.landed(*exchange).is_some() && !in_time(*exchange)
        };
        match self.phase {
            Phase::Connecting => false,
            Phase::Playing => self.only_ends() && self.http.reinit.is_none() && self.flight.iter().all(watched),
            Phase::Closing => {
                let said = self.tail_until().is_none_or(|until| until <= now_us);
                self.http.reinit.is_none() && self.flight.iter().all(watched) && said
            }
            Phase::Ending | Phase::Done => true,
        }
    }

    /// True if the session is all that is left to end, and that waits: for the watch of a cancel, or for the recorded pause.
    fn only_ends(&self) -> bool {
        let ends = |step: &Step| matches!(step.action, Action::CloseStream(_) | Action::EndSession);
        self.front.held || self.steps[self.cursor..].iter().all(ends)
    }

    /// True if a landed cancel was watched for as long as it should be.
    pub(super) fn watched_whole(&self, exchange: usize, end: i64) -> bool {
        self.horizon(exchange).is_none_or(|until| until <= end)
    }

    /// Until when what ends the session is held back for an exchange: an answer after its cancel is due, or would be seen.
    pub(super) fn due_until(&self, exchange: usize) -> Option<i64> {
        self.horizon(exchange).filter(|_| self.open(exchange) && self.log.exchanges[exchange].stuck_us.is_none())
    }

    /// Until when the end of the run waits for an exchange; `None` when it does not.
    pub(super) fn awaited_until(&self, exchange: usize) -> Option<i64> {
        let run = &self.log.exchanges[exchange];
        if let Some(horizon) = self.horizon(exchange) {
            return Some(horizon).filter(|until| *until > self.now && run.stuck_us.is_none());
        }
        if !self.open(exchange) || run.stuck_us.is_some() {
            return None;
        }
        let recorded = &self.recorded.exchanges[exchange];
        if recorded.response.is_some() {
            return self.stuck_at(exchange).or(Some(i64::MAX));
        }
        // Unanswered in the recording: watched as long as it was there, and given up before that only where nothing comes any more. One
        // that stays open by design never ends.
        let known = self.recorded.profile.method(&recorded.method);
        if known.is_some_and(|method| method.long_lived) {
            return None;
        }
        let time = |event: usize| self.recorded.events[event].at_us;
        let last = self.recorded.events.iter().rev().find_map(|event| event.at_us);
        let watched = last.zip(time(recorded.request)).map_or(0, |(last, asked)| (last - asked).max(0));
        let (sent, life) = (run.sent_us?, &self.options.life);
        let silent = self.live[exchange].sign_us.max(sent) + life.stuck_min_us;
        Some(silent.min(sent + watched.min(life.max_request_us))).filter(|until| *until > self.now)
    }

    /// Ends the run once nothing is waited for any more.
    pub(super) fn close(&mut self) {
        if self.phase == Phase::Ending && self.ending_until().is_some_and(|until| until <= self.now) {
            self.phase = Phase::Done;
        }
        if self.phase != Phase::Closing || self.http.reinit.is_some() {
            return;
        }
        while self.tail.last().is_some_and(|soft| self.has_come(soft.event)) {
            self.tail.pop();
        }
        if self.closing_until().is_some_and(|until| until > self.heard_us) {
            return;
        }
        self.out.push_back(Outgoing::Finish);
        self.end();
    }

    /// No more is sent, and nothing waited for but the end of the peer.
    pub(super) fn end(&mut self) {
        self.phase = Phase::Ending;
        self.peer.finish_us.get_or_insert(self.now);
    }

    fn ending_until(&self) -> Option<i64> {
        self.peer.finish_us.map(|at| at + ENDING_US)
    }

    /// Until when the end is held back; `None` when nothing holds it.
    fn closing_until(&self) -> Option<i64> {
        let exchanges = self.flight.iter().filter_map(|exchange| self.awaited_until(*exchange));
        let answers = self.flight.iter().filter_map(|exchange| self.overdue(*exchange));
        let tail = self.tail_until().filter(|_| self.halted.is_none());
        let ends = self.own_end_until().into_iter().chain(self.stays_until());
        exchanges.chain(answers).chain(tail).chain(ends).max()
    }

    /// Until when what the server said behind the last step is waited for.
    fn tail_until(&self) -> Option<i64> {
        self.tail.last().map(|soft| self.moved_us + soft.wait_us)
    }

    /// Until when the connection is left open because the recorded client did so.
    fn stays_until(&self) -> Option<i64> {
        let stay_us = self.options.pace.gap(self.plan.stay_us);
        let last = self.log.exchanges.iter().filter_map(|run| run.answered_us).max();
        (stay_us > 0 && self.halted.is_none())
            .then(|| last.map_or(self.moved_us, |last| last.max(self.moved_us)) + stay_us)
    }

    /// Until when the server may end by itself, as it did in the recording: what closes its input before would be why it ends.
    /// Over HTTP that end is not seen.
    fn own_end_until(&self) -> Option<i64> {
        if self.halted.is_some() || !self.http.heads.is_empty() {
            return None;
        }
        let (end, _) = self.known.own_end?;
        let time = |event: usize| self.recorded.events[event].at_us;
        let before = (0..end).rev().find(|event| self.recorded.events[*event].side.is_some())?;
        let took = (time(end)? - time(before)?).max(0);
        let last = self.log.exchanges.iter().filter_map(|run| run.answered_us).max();
        let (last, life) = (last.max(Some(self.moved_us))?, &self.options.life);
        Some(last + (and_half(took) + OWN_END_US).min(life.linger_us))
    }

    /// When [`Engine::tick`] is to be called, at the latest, in microseconds of the run.
    pub fn wake_at(&self) -> Option<i64> {
        let all = || self.flight.iter().copied();
        let resume = self.http.resume.values().copied().min();
        let wake = match self.phase {
            Phase::Connecting | Phase::Done => None,
            Phase::Playing => {
                let stuck = all().filter_map(|exchange| self.stuck_at(exchange));
                let overdue = all().filter_map(|exchange| self.overdue(exchange));
                stuck.chain(overdue).chain(self.front.wake_us).chain(self.reinit_until()).chain(resume).min()
            }
            Phase::Closing => {
                let stuck = all().filter_map(|exchange| self.stuck_at(exchange));
                let overdue = all().filter_map(|exchange| self.overdue(exchange));
                stuck.chain(overdue).chain(self.closing_until()).chain(self.reinit_until()).chain(resume).min()
            }
            Phase::Ending => self.ending_until(),
        };
        // A time in the past would have been acted upon; what is left of it waits for something else.
        wake.map(|wake| wake.max(self.now + 1))
    }
}
