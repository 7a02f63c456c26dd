//! The step in front: what it still waits for, and whether it is sent at all.

use std::sync::Arc;

use super::state::{Front, Phase};
use super::{Engine, Waiting, longest_last};
use crate::protocol::Side;
use crate::replay::message;
use crate::replay::plan::{Action, Step};
use crate::replay::policy::Ruling;
use crate::replay::recording::EventKind;
use crate::replay::run::Fate;

/// Slack of a wait for a request of the server that the recording gives no measure for, microseconds.
const SOFT_US: i64 = 250_000;
/// The longest such wait where what it serves is not in flight.
const SOFT_MAX_US: i64 = 2_000_000;

impl Engine {
    /// Does all that can be done now.
    pub(super) fn advance(&mut self) {
        loop {
            self.watch();
            if !self.step() {
                break;
            }
        }
        self.answer_overdue();
        self.resume_now();
        self.close();
    }

    /// Looks at the step in front; true if it is behind us now.
    fn step(&mut self) -> bool {
        if self.phase != Phase::Playing || self.http.reinit.is_some() {
            return false;
        }
        let steps = Arc::clone(&self.steps);
        let Some(step) = steps.get(self.cursor).filter(|_| self.halted.is_none()) else {
            self.phase = Phase::Closing;
            self.moved_us = self.now;
            return true;
        };
        if !self.front.entered {
            self.front.entered = true;
            self.owed.extend(&step.after);
        }
        self.front.wake_us = None;
        if let Some(fate) = self.left_out(step) {
            return self.pass(step, &fate);
        }
        if self.owed.iter().any(|exchange| !self.resolved(*exchange)) {
            return self.cancel_raced(step);
        }
        if self.options.life.stop_on_stuck
            && let Some(stuck) = self.owed.iter().find(|exchange| self.given_up(**exchange))
        {
            self.halted = Some(format!("stopped: {} is stuck", self.recorded.exchanges[*stuck].label()));
            return true;
        }
        let hard = *self.front.hard_us.get_or_insert(self.now);
        if let Some(fate) = self.hint_says_no(step) {
            return self.pass(step, &fate);
        }
        match &step.action {
            Action::Answer(exchange) => return self.answer_in_turn(step, *exchange, hard),
            Action::Cancel(_) => {}
            Action::Send | Action::OpenStream | Action::CloseStream(_) | Action::EndSession => {
                if !self.softly(step, hard) {
                    return false;
                }
            }
        }
        if let Some(fate) = self.blocked(step) {
            return self.pass(step, &fate);
        }
        match &step.action {
            Action::Cancel(cancel) => self.cancel(step, cancel),
            _ => self.in_time(step, self.now) && self.may_end(step) && self.send_step(step),
        }
    }

    /// Passes over a step that is not sent.
    pub(super) fn pass(&mut self, step: &Step, fate: &Fate) -> bool {
        for exchange in &step.opens {
            let run = &mut self.log.exchanges[*exchange];
            if run.fate == Fate::Pending {
                run.fate = fate.clone();
            }
        }
        match fate {
            Fate::NotSent(why) => self.note_unsent(step, why),
            Fate::Blocked(by) => self.note_unsent(step, &format!("needs a value that {by} did not give")),
            Fate::Pending | Fate::Sent | Fate::Missing | Fate::Skipped => {}
        }
        self.move_on();
        true
    }

    /// The next step is in front from here on.
    pub(super) fn move_on(&mut self) {
        self.cursor += 1;
        self.front = Front::default();
        self.moved_us = self.now;
    }

    /// Why a step is not sent, where that does not hang on anything that is still to come.
    fn left_out(&self, step: &Step) -> Option<Fate> {
        if step.refused {
            return Some(Fate::Skipped);
        }
        let rule = |exchange: &usize| match &self.plan.rulings[*exchange] {
            Ruling::Refused(why) => Some(Fate::NotSent(format!("policy: {why}"))),
            Ruling::Skipped => Some(Fate::Skipped),
            Ruling::Send | Ruling::ByHint | Ruling::UnlessHinted(_) | Ruling::Live => None,
        };
        step.opens.iter().find_map(rule)
    }

    /// The live list of tools has the last word on a tool that was let through, or not, by its hint.
    fn hint_says_no(&self, step: &Step) -> Option<Fate> {
        step.opens.iter().find_map(|exchange| {
            let tool = self.recorded.exchanges[*exchange].name.as_deref();
            let live = tool.and_then(|tool| self.peer.hints.get(tool));
            match &self.plan.rulings[*exchange] {
                Ruling::ByHint if live.is_some_and(|hints| !hints.read_only) => {
                    Some(Fate::NotSent("hint differs from recording".to_string()))
                }
                Ruling::UnlessHinted(why) if !live.is_some_and(|hints| hints.read_only) => {
                    Some(Fate::NotSent(format!("policy: {why}")))
                }
                _ => None,
            }
        })
    }

    /// True if nothing that comes later can change how an exchange stands with those that wait for it.
    pub(super) fn resolved(&self, exchange: usize) -> bool {
        let run = &self.log.exchanges[exchange];
        match run.fate {
            Fate::Sent => {
                run.answered_us.is_some()
                    || run.stuck_us.is_some()
                    || run.session_lost.is_some() && !run.repeated
                    || self.live[exchange].refused
            }
            _ => true,
        }
    }

    /// True if it is waited for no longer although it is unanswered.
    pub(super) fn given_up(&self, exchange: usize) -> bool {
        let run = &self.log.exchanges[exchange];
        run.fate == Fate::Sent && run.answered_us.is_none() && (run.stuck_us.is_some() || self.live[exchange].refused)
    }

    /// Waits for notifications and requests of the server, each only so long.
    fn softly(&mut self, step: &Step, hard: i64) -> bool {
        if self.front.free_us.is_some() {
            return true;
        }
        let mut open = self.front.soft.take().unwrap_or_else(|| longest_last(&step.soft));
        while open.last().is_some_and(|soft| self.has_come(soft.event)) {
            open.pop();
        }
        let until = open.last().map(|soft| hard.max(self.moved_us) + soft.wait_us);
        if let Some(until) = until.filter(|until| *until > self.now) {
            (self.front.wake_us, self.front.soft) = (Some(until), Some(open));
            return false;
        }
        for soft in open {
            if !self.has_come(soft.event) {
                self.miss(soft.event);
            }
        }
        self.front.free_us = Some(self.now);
        true
    }

    /// Waits for the recorded think time, from `free` on, where nothing was waited for before.
    pub(super) fn in_time(&mut self, step: &Step, free: i64) -> bool {
        let free = *self.front.free_us.get_or_insert(free);
        let planned = free + self.options.pace.gap(step.think_us);
        for exchange in &step.opens {
            let run = &mut self.log.exchanges[*exchange];
            run.free_us = Some(free);
            run.planned_us = Some(planned);
        }
        if planned > self.now {
            self.front.wake_us = Some(planned);
        }
        planned <= self.now
    }

    /// Holds back what ends the session while an answer to a cancelled request is still due, or to any where a run is to show how long they
    /// take: sent earlier, it would make us the cause of its absence.
    fn may_end(&mut self, step: &Step) -> bool {
        let ends = step.action == Action::EndSession
            || step.opens.iter().any(|at| self.recorded.profile.ends_session(&self.recorded.exchanges[*at].method))
            || step.opens.is_empty()
                && message::method(&self.recorded.events[step.event].text)
                    .is_some_and(|method| self.recorded.profile.ends_session(&method));
        if !ends {
            return true;
        }
        let waits = |exchange| self.options.life.end_waits.then(|| self.awaited_until(exchange)).flatten();
        let due = |exchange: &usize| self.due_until(*exchange).or_else(|| waits(*exchange));
        let until = self.flight.iter().filter_map(due).max();
        match until.filter(|until| *until > self.now) {
            Some(until) => {
                self.front.wake_us = Some(until);
                self.front.held = true;
                false
            }
            None => {
                if self.front.held {
                    // Held back on purpose, which is not being late.
                    for exchange in &step.opens {
                        self.log.exchanges[*exchange].planned_us = Some(self.now);
                    }
                }
                true
            }
        }
    }

    /// A recorded answer is sent when its turn has come and the live request is there.
    fn answer_in_turn(&mut self, step: &Step, exchange: usize, hard: i64) -> bool {
        if self.live[exchange].settled {
            self.move_on();
            return true;
        }
        let Some(came) = self.log.exchanges[exchange].sent_us else {
            let until = self.request_due(step, exchange, hard);
            if until > self.now {
                self.front.wake_us = Some(until);
                return false;
            }
            // It is not waited for any longer; should it come all the same, it is answered then.
            self.live[exchange].passed = true;
            self.move_on();
            return true;
        };
        // What the server said in between is what the recorded client may have answered to: that it goes another way, that it
        // takes the question back.
        if !self.softly(step, hard.max(came)) || !self.in_time(step, self.now) {
            return false;
        }
        self.answer(exchange);
        self.move_on();
        true
    }

    /// Until when a live request of the server is waited for; what it serves may be cancelled, and the recorded one came all the same.
    fn request_due(&self, step: &Step, exchange: usize, hard: i64) -> i64 {
        let due = hard.max(self.moved_us) + self.patience(step, exchange);
        let parent = self.recorded.exchanges[exchange].parent;
        let due = parent.and_then(|parent| self.lasting_until(parent)).map_or(due, |until| due.max(until));
        self.cancel_behind().map_or(due, |cancel| due.min(cancel))
    }

    /// When the cancel is due that stands behind the answer in front: it is timed from its target, and from nothing else.
    fn cancel_behind(&self) -> Option<i64> {
        let mut behind = self.steps[self.cursor..].iter().map(|step| &step.action);
        match behind.find(|action| !matches!(action, Action::Answer(_)))? {
            Action::Cancel(cancel) => self.cancel_due(cancel, false).map(|(due, _)| due),
            _ => None,
        }
    }

    /// How long to wait for a live request of the server: longer while what it serves is in flight.
    fn patience(&self, step: &Step, exchange: usize) -> i64 {
        let asked = &self.recorded.exchanges[exchange];
        let soft = step.soft.iter().find(|soft| soft.event == asked.request).map_or(SOFT_US, |soft| soft.wait_us);
        let time = |event: usize| self.recorded.events[event].at_us;
        let Some(parent) = asked.parent.filter(|parent| !self.resolved(*parent)) else { return soft };
        let took = time(asked.request).zip(time(self.recorded.exchanges[parent].request)).map_or(0, |(a, b)| a - b);
        let patient = (took as f64 * self.options.life.stuck_factor) as i64;
        soft.max(patient.max(SOFT_MAX_US).min(self.options.life.stuck_min_us))
    }

    /// True if the live side has sent what stands at a place of the recording.
    pub(super) fn has_come(&self, event: usize) -> bool {
        let recorded = &self.recorded.events[event];
        match recorded.what {
            EventKind::Http => self.acknowledged(recorded.stream),
            EventKind::Request(exchange) | EventKind::Response(Some(exchange)) => {
                match self.recorded.exchanges[exchange].issuer {
                    Side::Server => self.log.exchanges[exchange].sent_us.is_some(),
                    Side::Client => self.log.exchanges[exchange].fate != Fate::Sent || self.resolved(exchange),
                }
            }
            _ => {
                let Some((method, nth)) = self.known.numbered.get(&event) else { return true };
                self.peer.told.get(method).is_some_and(|told| told.came + told.missed >= *nth)
            }
        }
    }

    fn miss(&mut self, event: usize) {
        let Some((method, nth)) = self.known.numbered.get(&event) else { return };
        let nth = *nth;
        let told = self.peer.told.entry(method.clone()).or_default();
        told.missed = nth.saturating_sub(told.came);
    }

    /// What the run waits for, for a line of progress; `None` when it is not waiting.
    pub fn waiting(&self) -> Option<Waiting> {
        let named = |exchange: usize| {
            let exchange = &self.recorded.exchanges[exchange];
            match &exchange.name {
                Some(name) => format!("{} {} {name}", exchange.label(), exchange.method),
                None => format!("{} {}", exchange.label(), exchange.method),
            }
        };
        let open = |exchange: &usize| self.log.exchanges[*exchange].fate == Fate::Sent && !self.resolved(*exchange);
        let since = |exchange: &usize| self.log.exchanges[*exchange].sent_us.unwrap_or(self.now);
        let answer = |exchange: usize, what| Waiting { label: named(exchange), what, since_us: since(&exchange) };
        match self.phase {
            Phase::Connecting => Some(Waiting { label: "the peer".to_string(), what: "to be ready", since_us: 0 }),
            Phase::Playing => {
                if let Some(oldest) = self.owed.iter().copied().filter(open).min_by_key(since) {
                    return Some(answer(oldest, "an answer"));
                }
                let step = self.steps.get(self.cursor)?;
                let timed = self.front.free_us.is_some() || matches!(step.action, Action::Cancel(_));
                let what = if timed { "its time" } else { "what came before it" };
                Some(Waiting { label: step.label.clone(), what, since_us: self.front.hard_us.unwrap_or(self.moved_us) })
            }
            Phase::Closing => {
                let oldest =
                    self.flight.iter().copied().filter(|at| self.awaited_until(*at).is_some()).min_by_key(since);
                oldest.map(|oldest| answer(oldest, "an answer, or that none comes"))
            }
            Phase::Ending => {
                self.peer.finish_us.map(|since_us| Waiting { label: "the peer".to_string(), what: "to end", since_us })
            }
            Phase::Done => None,
        }
    }
}
