//! Progress notifications: whose they are, and whether they come in time.

use super::detail::ProgressFault;
use super::event::What;
use super::exchange::{Cancellation, Effect, TaskState};
use super::ledger::Ledger;
use super::race::{FORGOTTEN, Judgement, TAKEN_OVER, UNORDERED, USED_AGAIN};
use super::seen::Seen;
use super::state::{Accused, Conn, Created, Incoming, LateProgress, Naming, Progressed, Slot, Step, Suspect};
use crate::capture::Proof;
use crate::jsonrpc::Id;
use crate::protocol::{self, Facts, Mechanism, Side};

impl Conn {
    /// A progress notification.
    pub(super) fn progress(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        let raw = m.facts.token().unwrap_or("null");
        let Some(token) = Id::from_json(raw).filter(|token| !token.is_fractional()) else {
            return self.progress_fault(step, m, raw, ProgressFault::BadToken);
        };
        let issuer = m.sender.peer();
        let Some(id) = self.token_owner_on(m, issuer, &token) else {
            return self.unowned_progress(step, m, raw, &token);
        };
        if self.done_on(m.stream, issuer, &id).is_some() {
            return;
        }
        self.may_be_anothers(m, issuer, &id);
        let fault = self.owned_progress(step, m, issuer, &id);
        if let Some(fault) = fault
            && let Some(slot) = self.slot(issuer, &id)
        {
            let what = What::Progress { fault: Some(fault), token: raw, exchange: Some(&slot.exchange) };
            self.emit(step, slot.exchange.profile, m.seen, Some(m.sender), what);
        }
    }

    /// The request that gave a token: the one whose stream this is, before any other.
    pub(super) fn token_owner_on(&self, m: &Incoming<'_>, issuer: Side, token: &Id) -> Option<Id> {
        let own = self.opener(m.stream).filter(|opener| opener.issuer == issuer).map(|opener| &opener.id);
        let gave =
            |id: &&Id| self.slot(issuer, id).is_some_and(|slot| slot.exchange.progress_token.as_ref() == Some(token));
        own.filter(gave)
            .cloned()
            .or_else(|| self.array_owner(m, issuer, token))
            .or_else(|| self.token_owner(issuer, token))
    }

    /// The request of an array that gave a token, where another client's request gave the same one.
    fn array_owner(&self, m: &Incoming<'_>, issuer: Side, token: &Id) -> Option<Id> {
        if self.facts.proof.covers(Proof::CLIENT) || self.opener(m.stream).is_none() {
            return None;
        }
        let here = |slot: &&Slot| slot.exchange.stream == m.stream && slot.gave(token);
        let mut live = self.side(issuer).live.values().map(|slot| &**slot);
        live.find(here).map(|slot| slot.exchange.id.clone())
    }

    /// The request that gave a token. Many clients use the request's id as its token.
    pub(super) fn token_owner(&self, issuer: Side, token: &Id) -> Option<Id> {
        let issued = self.side(issuer);
        if let Some(id) = issued.tokens.get(token) {
            return Some(id.clone());
        }
        let own = issued.live.get(token).filter(|slot| slot.exchange.progress_token.as_ref() == Some(token));
        own.map(|_| token.clone())
    }

    fn unowned_progress(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, raw: &str, token: &Id) {
        if self.created_tokens.contains_key(token) {
            return self.created_progress(step, m, raw, token);
        }
        if self.token_owner(m.sender, token).is_some() {
            return self.progress_fault(step, m, raw, ProgressFault::WrongDirection);
        }
        let asked = self.side(m.sender.peer());
        let judgement = match asked.may_have_lost(token) {
            true => Judgement::undecidable(USED_AGAIN),
            false => Judgement::exact_if(!asked.evicted, FORGOTTEN),
        };
        // Many clients use the request's id as its token.
        if judgement == Judgement::EXACT {
            self.name(step, m.sender.peer(), token, m.seen, Naming::UNPROMPTED);
        }
        self.progress_fault(step, m, raw, ProgressFault::UnknownToken(judgement));
    }

    /// Progress with a token that the server has created: one begin, any number of reports, one end.
    fn created_progress(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, raw: &str, token: &Id) {
        if m.sender != Side::Server {
            return;
        }
        let Some(created) = self.created_tokens.get_mut(token) else { return };
        if let Some(answer) = created.refused {
            if std::mem::replace(&mut created.refusal_told, true) {
                return;
            }
            let crossing = self.crossing(m, answer, false);
            let Some(judgement) = self.tap(step.settings, &crossing).at_last(&crossing) else { return };
            return self.progress_fault(step, m, raw, ProgressFault::Refused { answer, judgement });
        }
        let kind = Facts::text(m.facts.value_kind());
        let fault = match (kind.as_deref(), created.begun, created.ended) {
            (Some("begin" | "report" | "end"), _, Some(end)) => Some((end, "it had ended before")),
            (Some("begin"), Some(begin), None) => Some((begin, "it had begun before")),
            (Some("report" | "end"), None, None) => Some((created.request, "it has not begun")),
            _ => None,
        };
        match kind.as_deref() {
            Some("begin") => drop(created.begun.get_or_insert(m.seen)),
            Some("end") => drop(created.ended.get_or_insert(m.seen)),
            _ => {}
        }
        let now = m.facts.progress().and_then(Progressed::of);
        let before = now.and_then(|now| created.reported.replace((m.seen, now))).zip(now);
        let fell = before.filter(|((_, before), now)| now.value < before.value).map(|((seen, _), _)| seen);
        match (fault, fell) {
            (Some((before, what)), _) => self.progress_fault(step, m, raw, ProgressFault::Sequence { before, what }),
            (None, Some(previous)) => {
                let judgement = Judgement::exact_if(self.ordered(), UNORDERED);
                self.progress_fault(step, m, raw, ProgressFault::NotIncreasing { previous, judgement });
            }
            (None, None) => {}
        }
    }

    /// Progress that is introduced by its own events (DAP).
    pub(super) fn told_progress(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, told: protocol::ReportStage) {
        let raw = m.facts.token().unwrap_or("null");
        let Some(token) = Id::from_json(raw).filter(|_| m.sender == Side::Server) else { return };
        let Some(created) = self.created_tokens.get_mut(&token) else {
            let begins = told == protocol::ReportStage::Begin;
            let hole = match begins {
                true => None,
                false => Ledger::new(&self.facts, step.shelf).hole_before(Some(m.sender), m.seen.frame),
            };
            // What was surely not begun begins with its begin.
            let begun = Some(m.seen).filter(|_| begins || hole.is_some());
            self.created_tokens.insert(token, Created::by(m.seen, begun));
            if !begins {
                let judgement = Judgement::exact_if(hole.is_none(), "it may have begun in what the log does not show");
                self.progress_fault(step, m, raw, ProgressFault::UnknownToken(judgement));
            }
            return;
        };
        let before = created.ended.or(created.begun).unwrap_or(created.request);
        let fault = match (told, created.ended) {
            (protocol::ReportStage::Begin, None) if created.begun.is_none() => {
                created.begun = Some(m.seen);
                None
            }
            (protocol::ReportStage::Begin, _) => Some(ProgressFault::BegunAgain { before }),
            (_, Some(end)) => Some(ProgressFault::Sequence { before: end, what: "it had ended before" }),
            _ => None,
        };
        if told == protocol::ReportStage::End && created.ended.replace(created.ended.unwrap_or(m.seen)).is_none() {
            self.end_cancelled_progress(step, m, token);
        }
        if let Some(fault) = fault {
            self.progress_fault(step, m, raw, fault);
        }
    }

    /// Progress has ended that the other side may have cancelled.
    fn end_cancelled_progress(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, token: Id) {
        if let Some(mut cancel) = self.open_task_cancels.remove(&(m.sender.peer(), token)) {
            (cancel.effect, cancel.effect_seen) = (Some(Effect::Acknowledged), Some(m.seen));
            step.sink.cancellation(self.facts.id, &cancel);
        }
    }

    /// The client refuses a token.
    pub(super) fn refuse_token(&mut self, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let Some(request) = self.slot(issuer, id).map(|slot| slot.exchange.request) else { return };
        if let Some(created) = self.created_tokens.values_mut().find(|created| created.request == request) {
            created.refused = Some(m.seen);
        }
    }

    fn progress_fault(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, token: &str, fault: ProgressFault) {
        let what = What::Progress { fault: Some(fault), token, exchange: None };
        self.emit(step, m.profile, m.seen, Some(m.sender), what);
    }

    fn owned_progress(
        &mut self,
        step: &mut Step<'_>,
        m: &Incoming<'_>,
        issuer: Side,
        id: &Id,
    ) -> Option<ProgressFault> {
        let exact = self.ordered();
        let (task_ended, task_alive, task_ended_here) = self.task_of(issuer, id, m.stream);
        let created = Facts::id(m.facts.token()).is_some_and(|token| self.created_tokens.contains_key(&token));
        let token = Facts::id(m.facts.token());
        let straggles = token.as_ref().is_some_and(|token| self.side(issuer).may_have_lost(token));
        let slot = self.slot_mut(issuer, id)?;
        let in_order = |other: Option<u32>| exact || m.stream.is_some() && m.stream == other;
        slot.exchange.history.add('p', m.sender, issuer);
        slot.exchange.progress += 1;
        let step_of_work = Facts::text(m.facts.value_kind());
        let begun = step_of_work.as_deref() == Some("begin");
        let ended = step_of_work.as_deref() == Some("end");
        let of_work = begun || ended || step_of_work.as_deref() == Some("report");
        // A client may give one token for both: a report on the work is no result.
        let both = slot.exchange.progress_token == token;
        slot.partial |=
            slot.partial_token.is_some() && slot.partial_token.as_deref() == token.as_ref() && !(both && of_work);
        if both && begun {
            slot.work.get_or_insert_with(|| Box::new((m.seen, false)));
        } else if let Some(work) = &mut slot.work {
            work.1 |= both && ended;
        }
        if let Some(answer) = slot.exchange.answer.filter(|_| !task_alive) {
            slot.exchange.last_progress = Some(m.seen);
            let judgement = match straggles {
                true => Judgement::undecidable(TAKEN_OVER),
                false => Judgement::exact_if(task_ended_here || in_order(slot.answered_on), UNORDERED),
            };
            return (!created).then_some(ProgressFault::AfterAnswer { answer, task_ended, judgement });
        }
        let now = m.facts.progress().and_then(Progressed::of);
        let rest = slot.exchange.profile.progress_may_rest;
        let is_more = |before: Progressed| now.is_none_or(|now| now.value >= before.value && (rest || !now.is(before)));
        let before = slot.report(now, m.seen, m.stream).filter(|before| !is_more(before.how));
        // What asks for a task is cancelled as one: no other cancel ends the work on it.
        let of_task = slot.exchange.asks_task();
        let ends_it = |cancel: &&Cancellation| !of_task || cancel.mechanism == Mechanism::TasksCancel;
        let cancel = slot.exchange.cancel().filter(|cancel| cancel.sender == issuer).filter(ends_it);
        let by_id = cancel.is_some_and(|cancel| cancel.mechanism != Mechanism::StreamClose);
        let cancel = cancel.map(|cancel| cancel.seen);
        let (void, request, profile) = (slot.cancel_void, slot.exchange.request.frame, slot.exchange.profile);
        if let (Some(cancel), false, false) = (cancel, void, profile.answers_cancelled()) {
            let crossing = self.crossing(m, cancel, false);
            let what = Accused::Progress { issuer, id: id.clone(), request, by_id };
            self.accuse(step, Suspect { crossing, what });
        }
        let before = before?;
        let judgement = match straggles {
            true => Judgement::undecidable(TAKEN_OVER),
            false => Judgement::exact_if(in_order(before.stream), UNORDERED),
        };
        Some(ProgressFault::NotIncreasing { previous: before.seen, judgement })
    }

    /// The end of the task that a request has created, whether it lives, and whether its end was told on this stream.
    fn task_of(&self, issuer: Side, id: &Id, stream: Option<u32>) -> (Option<Seen>, bool, bool) {
        match self.slot(issuer, id).map(|slot| &slot.exchange.task) {
            Some(TaskState::Created(task)) => {
                let (ended, here) =
                    (self.tasks.ended(issuer.peer(), task), self.tasks.ended_on(issuer.peer(), task, stream));
                (ended, ended.is_none(), here)
            }
            _ => (None, false, false),
        }
    }

    /// Work that was begun with the token of a request, and not ended although the request was answered.
    pub(super) fn report_open_work(&mut self, step: &mut Step<'_>, slot: &Slot) {
        let exchange = &slot.exchange;
        if let (Some((begin, false)), Some(answer)) = (slot.work.as_deref().copied(), exchange.answer) {
            let what = What::WorkLeftOpen { exchange, begin };
            self.emit(step, exchange.profile, answer, Some(exchange.issuer.peer()), what);
        }
    }

    /// One event per certainty, when the exchange is done with.
    pub(super) fn report_late_progress(&mut self, step: &mut Step<'_>, slot: &mut Slot) {
        for LateProgress { cancel, first, judgement, count, last } in std::mem::take(&mut slot.late_progress) {
            let exchange = &slot.exchange;
            let what = What::ProgressAfterCancel { exchange, cancel, judgement, count, last };
            self.emit(step, exchange.profile, first, Some(exchange.issuer.peer()), what);
        }
    }
}
