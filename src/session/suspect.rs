//! Suspects: findings that wait for latency samples, or for a request that follows its own cancel.

use std::rc::Rc;

use super::detail::{CancelFault, Target};
use super::event::What;
use super::exchange::{Cancellation, Exchange};
use super::ledger::Ledger;
use super::race::{AGAINST_TIME, Basis, Certainty, Crossing, Judgement, UNORDERED, Verdict, ripe};
use super::seen::{FrameId, Seen};
use super::state::{Accused, Conn, EarlyCancel, LateAnswer, Step, Suspect, aggregate, index};
use crate::capture::Proof;
use crate::jsonrpc::Id;
use crate::protocol::{Mechanism, Profile, Side};

/// How long a request may follow its own cancel to be taken for the one that was meant, in microseconds.
pub(super) const EARLY_CANCEL_US: i64 = 1_000_000;

/// Why a cancel by id proves nothing where several clients may share the log.
const WHOSE_CANCEL: &str = "the log does not tell which client sent the cancel";

/// True where only the id of a cancel tells which client's request it meant; closing a stream speaks for itself.
fn rests_on_id(what: &Accused) -> bool {
    let by_id = |cancel: Option<&Cancellation>| cancel.is_some_and(|cancel| cancel.mechanism != Mechanism::StreamClose);
    match what {
        Accused::LateAnswer(late) => by_id(Some(&late.cancel)),
        Accused::CompletedCancel(_) | Accused::EarlyCancel(_) => true,
        Accused::Nested { exchange } | Accused::Notification { exchange } => by_id(exchange.cancel()),
        Accused::Progress { by_id, .. } => *by_id,
    }
}

impl Conn {
    /// Judges at once where that is possible; else waits for samples.
    pub(super) fn accuse(&mut self, step: &mut Step<'_>, mut suspect: Suspect) {
        suspect.crossing.apart_us = self.apart_us(&suspect);
        if !self.facts.proof.covers(Proof::CLIENT) && rests_on_id(&suspect.what) {
            let judgement = Judgement::undecidable(WHOSE_CANCEL);
            return self.sentence(step, suspect, Some(judgement));
        }
        let verdict = self.tap(step.settings, &suspect.crossing).at_once(&suspect.crossing);
        match verdict {
            Verdict::Crossed => self.sentence(step, suspect, None),
            Verdict::Now(judgement) => self.sentence(step, suspect, Some(judgement)),
            Verdict::Wait => self.suspects.push_back(suspect),
        }
    }

    /// How long after its request a cancel was sent, where each went its own way (HTTP): the later may have come first, and found nothing.
    /// What closes a stream goes the way of its request, and what names a task follows what its owner has said of it.
    fn apart_us(&self, suspect: &Suspect) -> Option<i64> {
        if self.ordered() {
            return None;
        }
        let cancelled = self.cancelled_exchange(&suspect.what)?;
        let is_it = |cancel: &&Cancellation| cancel.seen.frame == suspect.crossing.first.frame;
        let cancel = cancelled.cancels.iter().find(is_it)?;
        let own_way = !matches!(cancel.mechanism, Mechanism::StreamClose | Mechanism::TasksCancel);
        own_way.then(|| self.at_its_receiver(suspect.crossing.decider, cancelled.request, cancel))?
    }

    /// The exchange whose cancel a suspect went against.
    fn cancelled_exchange<'s>(&'s self, what: &'s Accused) -> Option<&'s Exchange> {
        match what {
            Accused::LateAnswer(late) => Some(&late.exchange),
            Accused::Notification { exchange } => Some(exchange),
            Accused::Nested { exchange } => {
                let parent = self.slot(exchange.issuer, &exchange.id)?.parent.as_deref()?;
                Some(&self.known(parent)?.exchange)
            }
            Accused::Progress { issuer, id, .. } => Some(&self.slot(*issuer, id)?.exchange),
            Accused::CompletedCancel(_) | Accused::EarlyCancel(_) => None,
        }
    }

    /// How long after a request its cancel came: by the receiver's own tap where there is one.
    fn at_its_receiver(&self, receiver: Side, request: Seen, cancel: &Cancellation) -> Option<i64> {
        let own = |seen: Seen| self.taps.get(&seen.frame)?[index(receiver)]?.at_us;
        match own(request).zip(own(cancel.seen)) {
            Some((asked, cancelled)) => Some(cancelled - asked),
            None => cancel.delay_us,
        }
    }

    /// The clock was set back to this time: it may have been put right so, and gone wrong between two messages of which the later seems
    /// to have come after it.
    pub(super) fn doubt_times(&mut self, now_us: i64) {
        let waiting = self.suspects.held().map(|suspects| suspects.iter_mut());
        for suspect in waiting.into_iter().flatten() {
            let Crossing { first, second, jumped_us, .. } = &mut suspect.crossing;
            if first.at_us.is_some_and(|us| us <= now_us) && second.at_us.is_some_and(|us| us > now_us) {
                *jumped_us = second.since(*first).unwrap_or(*jumped_us);
            }
        }
    }

    /// Judges the suspects that have waited long enough.
    pub(super) fn judge_ripe(&mut self, step: &mut Step<'_>, now: Seen) {
        while let Some(first) = self.suspects.front() {
            let enough = matches!(self.tap(step.settings, &first.crossing).at_once(&first.crossing), Verdict::Now(_));
            if !enough && !ripe(first.crossing.second.at_us, now.at_us) {
                return;
            }
            self.judge_first(step);
        }
    }

    /// Judges those that wait with what is known now.
    pub(super) fn judge_waiting(&mut self, step: &mut Step<'_>) {
        while !self.suspects.is_empty() {
            self.judge_first(step);
        }
    }

    /// Judges all suspects with what is known now.
    pub(super) fn judge_all(&mut self, step: &mut Step<'_>) {
        self.judge_waiting(step);
        for side in Side::BOTH {
            for mut suspect in self.side_mut(side).early_cancels.take_all() {
                if let Accused::EarlyCancel(early) = &mut suspect.what
                    && self.may_be_followed(step, side, suspect.crossing.second)
                {
                    doubt(&mut early.fault, UNORDERED);
                }
                self.sentence(step, suspect, Some(Judgement::EXACT));
            }
        }
    }

    /// True where the request that a cancel means may stand behind it and is not shown: the log breaks off soon after the cancel, or
    /// lacks something of its sender from there on.
    fn may_be_followed(&self, step: &Step<'_>, sender: Side, cancel: Seen) -> bool {
        let after_us = self.facts.last.and_then(|last| last.since(cancel));
        let breaks_off = self.facts.closed.is_none() && after_us.is_some_and(|us| us <= EARLY_CANCEL_US);
        let lacks = || Ledger::new(&self.facts, step.shelf).hole(Some(sender), cancel.frame, FrameId::MAX).is_some();
        !self.ordered() && (breaks_off || lacks())
    }

    fn judge_first(&mut self, step: &mut Step<'_>) {
        if let Some(suspect) = self.suspects.pop_front() {
            let judgement = self.tap(step.settings, &suspect.crossing).at_last(&suspect.crossing);
            self.sentence(step, suspect, judgement);
        }
    }

    /// Reports a suspect. `None` means that the messages are proven to have crossed: nobody is at fault.
    pub(super) fn sentence(&mut self, step: &mut Step<'_>, suspect: Suspect, judgement: Option<Judgement>) {
        let seen = suspect.crossing.second;
        let decider = suspect.crossing.decider;
        let first = suspect.crossing.first;
        let judgement = judgement.map(|judgement| self.if_taken(judgement, decider, first));
        match suspect.what {
            Accused::LateAnswer(late) => {
                let Some(judgement) = judgement else { return };
                let LateAnswer { exchange, cancel, error_code, is_error, says_cancelled, support_evident } = *late;
                let (exchange, cancel) = (&exchange, &cancel);
                let what = What::LateAnswer {
                    exchange,
                    cancel,
                    judgement,
                    error_code,
                    is_error,
                    says_cancelled,
                    support_evident,
                };
                self.emit(step, exchange.profile, seen, Some(decider), what);
            }
            Accused::CompletedCancel(done) => {
                let fault = judgement.map(done.fault);
                let target = Target {
                    request: done.request,
                    issuer: done.issuer,
                    id: &done.id,
                    method: &done.method,
                    answer: Some(done.answer),
                    first_cancel: None,
                };
                let what = What::Cancel { cancel: &done.cancel, fault, target: Some(target) };
                self.emit(step, done.profile, seen, Some(decider), what);
            }
            Accused::Progress { issuer, id, request, .. } => {
                if let Some(judgement) = judgement
                    && let Some(slot) = self.slot_mut(issuer, &id)
                    && slot.exchange.request.frame == request
                {
                    aggregate(&mut slot.late_progress, seen, first, judgement);
                }
            }
            Accused::Nested { exchange } => {
                let Some(judgement) = judgement else { return };
                let what = What::NestedAfterCancel { exchange: &exchange, cancel: first, judgement };
                self.emit(step, exchange.profile, seen, Some(decider), what);
            }
            Accused::Notification { exchange } => {
                let Some(judgement) = judgement else { return };
                let what = What::NotificationAfterCancel { exchange: &exchange, cancel: first, judgement };
                self.emit(step, exchange.profile, seen, Some(decider), what);
            }
            Accused::EarlyCancel(early) => self.report_early_cancel(step, *early),
        }
    }

    /// What the server did after a message proves nothing where the log does not show that it had it; only the words of an answer do.
    fn if_taken(&self, judgement: Judgement, decider: Side, first: Seen) -> Judgement {
        let rests_on_it = judgement.certainty == Certainty::Violation
            && judgement.basis != Some(Basis::Content)
            && decider == Side::Server;
        let why = rests_on_it.then(|| self.untaken(first.frame)).flatten();
        why.map_or(judgement, |why| Judgement { delta_us: judgement.delta_us, ..Judgement::undecidable(why) })
    }

    pub(super) fn report_early_cancel(&mut self, step: &mut Step<'_>, early: EarlyCancel) {
        let EarlyCancel { mut cancel, profile, mut fault, id, later, near } = early;
        // Over HTTP the request may have been sent first all the same, and so it was if the times say so.
        let follows_by = later.as_ref().and_then(|(request, _)| request.since(cancel.seen));
        let came_first = follows_by.is_some_and(|us| us < 0);
        let handshake = later.as_ref().is_some_and(|(_, method)| profile.opens_session(cancel.sender, method));
        match later.is_some() {
            // No order of the two makes it right.
            true if !self.ordered() && handshake && is_forbidden(profile, &fault, follows_by) => {
                fault = CancelFault::Initialize(self.surely_new(step, cancel.sender, cancel.seen));
            }
            true if !self.ordered() => doubt(&mut fault, UNORDERED),
            true if came_first => doubt(&mut fault, AGAINST_TIME),
            _ => {}
        }
        let named = later.as_ref().map(|(request, method)| Target {
            request: *request,
            issuer: cancel.sender,
            id: &id,
            method,
            answer: None,
            first_cancel: None,
        });
        let target = named.or(near.as_ref().map(|near| Target {
            request: near.request,
            issuer: near.issuer,
            id: &near.id,
            method: &near.method,
            answer: near.answer,
            first_cancel: None,
        }));
        if let Some((request, method)) = &later {
            cancel.exchange = Some(request.frame);
            cancel.target_method = Some(method.clone());
            cancel.delay_us = cancel.seen.since(*request);
        }
        let what = What::Cancel { cancel: &cancel, fault: Some(fault), target };
        self.emit(step, profile, cancel.seen, Some(cancel.sender), what);
        step.sink.cancellation(self.facts.id, &cancel);
    }

    /// A request is here: was its cancel sent before it? `true` if so.
    pub(super) fn claim_early_cancels(
        &mut self,
        step: &mut Step<'_>,
        issuer: Side,
        id: &Id,
        request: Seen,
        method: &Rc<str>,
    ) -> bool {
        let (mut index, ordered, mut claimed) = (0, self.ordered(), false);
        while index < self.side(issuer).early_cancels.len() {
            let suspect = &mut self.side_mut(issuer).early_cancels[index];
            let age = request.since(suspect.crossing.second);
            let Accused::EarlyCancel(early) = &mut suspect.what else { return claimed };
            let too_late = ordered && age.is_some_and(|age| age > EARLY_CANCEL_US);
            let hit = !too_late && early.id == *id;
            claimed |= hit;
            if hit {
                early.later = Some((request, method.clone()));
            }
            if hit || too_late {
                let suspect = self.side_mut(issuer).early_cancels.remove(index);
                self.sentence(step, suspect, Some(Judgement::EXACT));
            } else {
                index += 1;
            }
        }
        if claimed && let Some(named) = self.side_mut(issuer).named.held() {
            named.find(id);
        }
        claimed
    }
}

/// True for a cancel of the handshake that follows so soon that it was meant.
fn is_forbidden(profile: &Profile, fault: &CancelFault, follows_by: Option<i64>) -> bool {
    let meant = follows_by.is_none_or(|us| us <= EARLY_CANCEL_US) && matches!(fault, CancelFault::UnknownId(_));
    meant && profile.initialize_cancel_always_wrong && profile.ruling("CAN003").is_some()
}

/// What hangs on a cancel's coming before its request is not decidable.
fn doubt(fault: &mut CancelFault, reason: &'static str) {
    if let CancelFault::UnknownId(judgement)
    | CancelFault::TypeMismatch(judgement)
    | CancelFault::WrongDirection(judgement) = fault
    {
        *judgement = Judgement::undecidable(reason);
    }
}
