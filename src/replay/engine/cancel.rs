//! Cancels that are timed from their target: sent in flight, or not at all.

use super::Engine;
use super::send::Handed;
use crate::jsonrpc::Id;
use crate::live::link::Outgoing;
use crate::protocol::Facts;
use crate::replay::plan::{Action, Cancelling, Step};
use crate::replay::run::{Anchor, CancelRun, CancelStatus, Fate};

impl CancelRun {
    /// One that has not been sent.
    pub fn new(status: CancelStatus, anchor: Anchor, nth: u32) -> CancelRun {
        CancelRun {
            status,
            anchor,
            nth,
            anchor_missed: false,
            sent_us: None,
            horizon_us: 0,
            cut_short: false,
            harness_made: false,
            progress_after: (0, None),
        }
    }
}

impl Engine {
    /// A cancel whose target is answered while it still waits for something else can be decided at once.
    pub(super) fn cancel_raced(&mut self, step: &Step) -> bool {
        match &step.action {
            Action::Cancel(cancel) if !self.options.cancel.send_raced => {
                cancel.targets.iter().any(|target| self.was_sent(*target)) && self.cancel_if_over(step, cancel)
            }
            _ => false,
        }
    }

    /// The cancel in front; true if it is behind us now.
    pub(super) fn cancel(&mut self, step: &Step, cancel: &Cancelling) -> bool {
        if self.cancel_if_over(step, cancel) {
            return true;
        }
        let late = !cancel.targets.iter().any(|target| self.cancellable(*target, cancel.of_task, step));
        let Some((due, missed)) = self.cancel_due(cancel, late) else { return false };
        if due > self.now {
            self.front.wake_us = Some(due);
            return false;
        }
        self.send_cancel(step, cancel, missed, late)
    }

    /// Passes over a cancel that has nothing in flight to cancel.
    fn cancel_if_over(&mut self, step: &Step, cancel: &Cancelling) -> bool {
        let sent: Vec<usize> = cancel.targets.iter().copied().filter(|target| self.was_sent(*target)).collect();
        let status = match sent.iter().any(|target| self.cancellable(*target, cancel.of_task, step)) {
            true => return false,
            false if sent.is_empty() => CancelStatus::NotSent,
            false if self.options.cancel.send_raced => return false,
            false => CancelStatus::Raced,
        };
        for target in &cancel.targets {
            let run = &mut self.log.exchanges[*target];
            run.cancel.get_or_insert_with(|| CancelRun::new(status, cancel.anchor, cancel.nth));
        }
        let fate = match status {
            CancelStatus::Raced => "its task had ended",
            _ => "its target was not sent",
        };
        self.pass(step, &Fate::NotSent(fate.to_string()))
    }

    /// True for a request that the live side can know: one that went down with its session was sent to it only if it was sent again.
    fn was_sent(&self, exchange: usize) -> bool {
        let run = &self.log.exchanges[exchange];
        run.fate == Fate::Sent && (run.session_lost.is_none() || run.repeated)
    }

    /// True if there is something left to cancel.
    fn cancellable(&self, target: usize, of_task: bool, step: &Step) -> bool {
        if !self.was_sent(target) {
            return false;
        }
        if !of_task {
            // It may have been answered where that cannot be read.
            let run = &self.log.exchanges[target];
            return run.answered_us.is_none() && run.packed.is_none();
        }
        let task = crate::replay::message::read(&self.recorded.events[step.event].text)
            .and_then(|(_, facts)| facts.task_id().map(str::to_string));
        let live = self.links_of(step.event).next().and_then(|link| self.value_of(link));
        !live.or(task).is_some_and(|task| self.names.ended_tasks.contains(&task))
    }

    /// When a cancel is due, and whether its progress had to be given up on. A late one is due when it would have been.
    pub(super) fn cancel_due(&self, cancel: &Cancelling, late: bool) -> Option<(i64, bool)> {
        let target = cancel.targets.iter().copied().find(|target| self.was_sent(*target))?;
        let sent = self.log.exchanges[target].sent_us?;
        Some(match cancel.anchor {
            Anchor::Elapsed => (sent + cancel.delay_us, false),
            Anchor::Progress => {
                let nth = usize::try_from(cancel.nth).unwrap_or(usize::MAX).saturating_sub(1);
                match self.live[target].progress.get(nth) {
                    Some(came) => (came + cancel.delay_us, false),
                    None if late => (self.now, true),
                    None => (sent + cancel.deadline_us, true),
                }
            }
        })
    }

    fn send_cancel(&mut self, step: &Step, cancel: &Cancelling, missed: bool, late: bool) -> bool {
        let in_flight: Vec<usize> =
            cancel.targets.iter().copied().filter(|at| self.cancellable(*at, cancel.of_task, step)).collect();
        if cancel.by_close {
            let streams = cancel.targets.iter().filter_map(|target| self.live[*target].stream);
            self.out.extend(streams.map(|stream| Outgoing::CloseStream { stream }));
            self.move_on();
        } else {
            let before = self.http.handed.len();
            let behind = self.send_step(step);
            if self.http.handed.len() == before {
                // It could not be composed.
                return behind;
            }
        }
        for target in &cancel.targets {
            let (now, was_sent) = (self.now, self.was_sent(*target));
            let run = &mut self.log.exchanges[*target];
            if !was_sent || run.cancel.as_ref().is_some_and(|cancel| cancel.sent_us.is_some()) {
                continue;
            }
            let landed = in_flight.contains(target);
            let status = if landed { CancelStatus::Landed } else { CancelStatus::Raced };
            run.cancel = Some(CancelRun {
                anchor_missed: missed,
                sent_us: Some(now),
                harness_made: late && !landed,
                ..CancelRun::new(status, cancel.anchor, cancel.nth)
            });
            self.live[*target].unobservable |= cancel.by_close;
        }
        if !cancel.by_close
            && let Some(target) = in_flight.first()
        {
            self.witness(*target);
        }
        true
    }

    /// Sends the witness of a cancel that has landed.
    pub(super) fn witness(&mut self, target: usize) {
        if !self.options.cancel.witness {
            return;
        }
        let like = self.recorded.exchanges[target].rpc_id.clone();
        let id = self.mint(&like);
        self.names.witnesses.extend(Id::from_json(&id));
        self.hand_over(
            format!(r#"{{"jsonrpc":"2.0","id":{id},{}}}"#, self.recorded.profile.witness()),
            Handed::default(),
        );
        self.log.witnesses.push(id);
    }

    /// A cancel that is part of a batch lands with it; true if it does. It is sent with the batch even if its target is answered.
    pub(super) fn cancel_in_batch(&mut self, target: usize, at: usize) -> bool {
        let was_open = self.recorded.exchanges[target].response.is_none_or(|response| response > at);
        let run = &mut self.log.exchanges[target];
        if run.fate != Fate::Sent || run.cancel.is_some() {
            return false;
        }
        let lands = run.answered_us.is_none() && run.packed.is_none();
        let status = if lands { CancelStatus::Landed } else { CancelStatus::Raced };
        run.cancel = Some(CancelRun {
            sent_us: Some(self.now),
            harness_made: was_open && !lands,
            ..CancelRun::new(status, Anchor::Elapsed, 0)
        });
        lands
    }

    /// After a `session/cancel` every permission that the turn asks for is refused.
    pub(super) fn turn_cancelled(&mut self, session: &str) {
        self.names.cancelled_turns.insert(session.to_string());
        let waiting: Vec<usize> = self
            .flight
            .iter()
            .copied()
            .filter(|at| self.log.exchanges[*at].sent_us.is_some() && !self.live[*at].settled)
            .filter(|at| self.recorded.profile.choice(&self.recorded.exchanges[*at].method).is_some())
            .filter(|at| {
                let text = self.log.exchanges[*at].text.as_deref().unwrap_or("");
                crate::replay::message::read(text)
                    .is_some_and(|(_, facts): (_, Facts<'_>)| facts.session_id() == Some(session))
            })
            .collect();
        for exchange in waiting {
            self.answer(exchange);
        }
    }
}
