//! Responses: they settle an exchange, or stray.

use super::detail::Stray;
use super::event::What;
use super::exchange::{Effect, Exchange, Outcome};
use super::message::is_usual;
use super::race::{Judgement, Witness};
use super::seen::Seen;
use super::state::{Accused, Conn, Incoming, LateAnswer, Orphanage, Slot, Step, Suspect};
use super::window::Kept;
use crate::jsonrpc::{Id, IdField, Kind};
use crate::protocol::codes::REQUEST_CANCELLED;
use crate::protocol::{Facts, Mechanism, Profile, Role, Side};

impl Conn {
    /// A response.
    pub(super) fn answer(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        self.end_waiting(step, m.sender, m.seen);
        let IdField::Value(id) = &m.message.id else { return self.idless_answer(step, m) };
        self.side_mut(m.sender).answers += 1;
        let issuer = m.sender.peer();
        if self.client_may_not_answer(m) {
            return self.client_answer(step, m, id);
        }
        if let Some((request, answer)) = self.done_on(m.stream, issuer, id) {
            let stray = Stray::Duplicate { request, answer: Some(answer), judgement: Judgement::EXACT };
            return self.emit(step, m.profile, m.seen, Some(m.sender), What::Stray { id, stray });
        }
        if self.opener(m.stream).is_none_or(|opener| opener.id != *id) {
            self.front_in_flight(step, issuer, id);
        }
        self.may_be_anothers(m, issuer, id);
        match self.slot(issuer, id).map(|slot| (slot.exchange.in_flight(), slot.absorb, slot.exchange.request)) {
            Some((true, absorb, _)) if absorb.cancelled > 0 && self.answers_older(m, issuer, id) => {
                // It says that a cancelled one has ended, and this one was not cancelled.
                if let Some(slot) = self.slot_mut(issuer, id) {
                    slot.absorb = slot.absorb.less(true);
                }
            }
            Some((true, ..)) => {
                self.note_spelling(step, m, id);
                self.settle(step, m, issuer, id);
            }
            Some((false, absorb, request)) => self.second_answer(step, m, id, absorb, request),
            None => self.unknown_answer(step, m, id),
        }
    }

    /// From MCP 2026-07-28 on servers ask nothing, so clients answer nothing; a connection with a handshake is of the older kind.
    fn client_may_not_answer(&self, m: &Incoming<'_>) -> bool {
        m.sender == Side::Client && self.must_not_be_answered(m.sender.peer(), m.profile)
    }

    /// True for a request that its receiver must not answer, because its issuer must not have sent it.
    pub(super) fn must_not_be_answered(&self, issuer: Side, profile: &Profile) -> bool {
        issuer == Side::Server && profile.revision_per_request && self.facts.lifecycle.initialize.is_none()
    }

    fn client_answer(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, id: &Id) {
        let mut request = None;
        if let Some(slot) = self.slot_mut(Side::Server, id) {
            request = Some(slot.exchange.request);
            if slot.exchange.in_flight() {
                (slot.exchange.answer, slot.answered_on) = (Some(m.seen), m.stream);
                slot.exchange.error_code = m.message.error_code();
                slot.exchange.outcome = if m.message.kind == Kind::Result { Outcome::Result } else { Outcome::Error };
                slot.exchange.history.add(letter(m), m.sender, Side::Server);
                self.remember(step, Side::Server, id);
            }
        }
        self.emit(step, m.profile, m.seen, Some(m.sender), What::Stray { id, stray: Stray::ClientAnswer { request } });
    }

    /// The same number in another spelling is the same id, and worth a note.
    fn note_spelling(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, id: &Id) {
        let Some(text) = m.message.id_text else { return };
        let Some(slot) = self.slot(m.sender.peer(), id) else { return };
        let same = match &slot.spelling {
            None => is_usual(text),
            Some(asked) => **asked == *text,
        };
        if !same {
            let stray = Stray::OtherSpelling { request: slot.exchange.request };
            self.emit(step, m.profile, m.seen, Some(m.sender), What::Stray { id, stray });
        }
    }

    /// True if an answer says that its request was cancelled, where the newest with this id was not.
    fn answers_older(&self, m: &Incoming<'_>, issuer: Side, id: &Id) -> bool {
        let Some(slot) = self.slot(issuer, id).filter(|slot| slot.exchange.cancel().is_none()) else { return false };
        let says = m.message.kind == Kind::Error && m.message.says_cancelled();
        says || outcome(m, slot.role) == Outcome::Cancelled
    }

    /// The response settles the exchange.
    pub(super) fn settle(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let is_error = m.message.kind == Kind::Error;
        let code = m.message.error_code();
        let says_cancelled = is_error && m.message.says_cancelled();
        let Some(slot) = self.slot_mut(issuer, id) else { return };
        slot.answered_on = m.stream;
        let exchange = &mut slot.exchange;
        exchange.answer = Some(m.seen);
        exchange.error_code = code;
        exchange.outcome = outcome(m, slot.role);
        exchange.history.add(letter(m), m.sender, issuer);
        let cancelled = !exchange.cancels.is_empty();
        let method = exchange.method.clone();
        slot.asks_input = Facts::is(m.facts.result_type(), "input_required");
        let exchange = &slot.exchange;
        let (request, known, role, stream) = (exchange.request, exchange.known, slot.role, exchange.stream);
        let parent = slot.parent.clone();
        // It may be an older request's with this id, sent before this one came.
        let own = slot.absorb.answers == 0;
        if let Some(call) = slot.call {
            self.side_mut(issuer).calls.remove(&call);
        }
        self.note_awaited(issuer, parent, &method, known, m.seen);
        self.side_mut(issuer).hear(method, is_error);
        if !cancelled && own {
            self.sample(step, m.sender, request, m.seen, known.is_some_and(|method| method.quick));
        }
        if cancelled {
            self.set_effects(m, issuer, id);
        }
        let undeclared = self.undeclared(m, issuer, id);
        self.note_cursor(m);
        self.ask_round(m, issuer, id);
        self.short_answered(step, m, issuer, id);
        if m.profile.revision_per_request {
            self.page_given(step, m, issuer, id);
            self.level_answered(step, m, issuer, id);
        }
        self.answer_of_era(step, m, issuer, id);
        self.end_role(step, m, issuer, id, role);
        if let Some(slot) = self.slot(issuer, id) {
            let what = What::Answer {
                exchange: &slot.exchange,
                message: m.message,
                facts: m.facts,
                in_batch: m.batch.is_some(),
                says_cancelled,
                request_has_meta: slot.has_meta,
                revision_unshown: self.revision_unshown(m),
                undeclared,
                partial: slot.partial,
                previous_result: slot.previous_result,
                near_cancel: if code == Some(REQUEST_CANCELLED) { self.near_cancel(slot) } else { None },
                topic: slot.topic.as_deref(),
                stated: slot.stated.as_ref(),
                status: self.status_of(m.stream),
                streamed: self.is_streamed(m.stream),
            };
            self.emit(step, slot.exchange.profile, m.seen, Some(m.sender), what);
        }
        self.look_at_answer(step, m, issuer, id);
        self.compare_batches(step, m, issuer, id);
        if cancelled {
            self.accuse_late_answer(step, m, issuer, id, says_cancelled);
            self.note_orphans(m, issuer, id);
        }
        if own {
            self.has_received(m, request);
        }
        self.answered_on(stream, request.frame, m.seen);
        self.brought(m.stream, id);
        self.remember(step, issuer, id);
    }

    /// Whoever answers a request had received it, and on an ordered channel all that was sent before it.
    pub(super) fn has_received(&mut self, m: &Incoming<'_>, request: Seen) {
        let side = self.side_mut(m.sender);
        if side.acknowledged.is_none_or(|newest| newest.request < request.frame) {
            side.acknowledged = Some(Witness { request: request.frame, answer: m.seen.frame });
        }
    }

    /// A capability that a request needed and that its receiver had not declared before. One finding for each is enough.
    fn undeclared(&mut self, m: &Incoming<'_>, issuer: Side, id: &Id) -> Option<&'static str> {
        let declared = self.facts.capabilities(m.sender)?;
        let exchange = &self.slot(issuer, id)?.exchange;
        let needs = exchange.profile.needs(&exchange.method).filter(|needs| !declared.declares(needs))?;
        let life = &self.facts.lifecycle;
        let declared = life.initialize_answer.or(life.discovered);
        let asked_after = declared.is_some_and(|seen| seen.frame < exchange.request.frame);
        let said = (m.sender, needs, m.message.kind == Kind::Error);
        if !asked_after || self.undeclared.contains(&said) {
            return None;
        }
        self.undeclared.push(said);
        Some(needs)
    }

    /// What the answer means for the handshake, a turn, a task.
    fn end_role(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id, role: Role) {
        self.anew_answered(step, m, issuer, id);
        self.initialize_answered(m, issuer, id);
        self.discovered(m, issuer, id);
        let shutdown = self.facts.profile.opening.shutdown;
        if shutdown.is_some() && self.slot(issuer, id).is_some_and(|slot| Some(&*slot.exchange.method) == shutdown) {
            self.facts.lifecycle.shutdown_answer.get_or_insert(m.seen);
        }
        match role {
            Role::Prompt => self.close_turn(step, m, issuer, id),
            Role::Permission => {
                self.select(step, m, issuer, id);
                self.close_permission(step, m, issuer, id);
            }
            Role::CreateToken if m.message.kind == Kind::Error => self.refuse_token(m, issuer, id),
            _ if m.profile.turns => {
                self.note_new_session(m);
                self.note_whole_session(m, issuer, id);
                self.control_answered(step, m, issuer, id);
                self.offers_in_answer(m, issuer, id);
                self.terminal_answered(m, issuer, id);
                self.session_closed(step, m, issuer, id);
                self.closed_at_work(step, m, issuer, id);
            }
            _ if m.profile.tasks => self.task_answer(step, m, issuer, id, role),
            _ => {}
        }
    }

    /// What became of the cancels that named the exchange.
    fn set_effects(&mut self, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let code = m.message.error_code();
        let Some(slot) = self.slot_mut(issuer, id) else { return };
        let effect = match (slot.exchange.outcome, m.message.kind) {
            (Outcome::Cancelled, _) => Effect::Acknowledged,
            (_, Kind::Result) if slot.partial => Effect::Partial,
            (_, Kind::Result) => Effect::Result,
            _ => Effect::Error,
        };
        for cancel in slot.exchange.cancels.iter_mut().filter(|cancel| cancel.effect.is_none()) {
            cancel.effect = Some(effect);
            cancel.effect_seen = Some(m.seen);
            cancel.response_code = code;
        }
    }

    /// An answer after a cancel: what the profile thinks of it depends on what the answering side can have known.
    fn accuse_late_answer(
        &mut self,
        step: &mut Step<'_>,
        m: &Incoming<'_>,
        issuer: Side,
        id: &Id,
        says_cancelled: bool,
    ) {
        let Some(slot) = self.slot(issuer, id) else { return };
        // An answer that may be an older request's accuses nobody.
        if slot.cancel_void || slot.exchange.asks_task() || slot.absorb.answers > 0 {
            return;
        }
        // The word has another reason where the task itself was cancelled.
        let task = slot.topic.as_ref().filter(|_| matches!(slot.role, Role::TaskResult | Role::Poll));
        let explained = task.is_some_and(|task| self.tasks.was_cancelled(m.sender, task));
        let proof = m.profile.cancel_text_is_proof && m.message.kind == Kind::Error && !explained;
        let content = proof && (says_cancelled || m.message.error_code() == Some(REQUEST_CANCELLED));
        let support_evident = self.side(m.sender).supports_cancel || slot.exchange.profile.cancel_needs_capability;
        let mut mechanisms: Vec<Mechanism> = Vec::new();
        let mut late = Vec::new();
        for cancel in
            slot.exchange.cancels.iter().filter(|cancel| !cancel.foreign && cancel.effect != Some(Effect::Moot))
        {
            if !mechanisms.contains(&cancel.mechanism) {
                mechanisms.push(cancel.mechanism);
                late.push(LateAnswer {
                    exchange: slot.exchange.clone(),
                    cancel: cancel.clone(),
                    error_code: m.message.error_code(),
                    is_error: m.message.kind == Kind::Error,
                    says_cancelled,
                    support_evident,
                });
            }
        }
        if m.message.error_code() == Some(REQUEST_CANCELLED) {
            self.side_mut(m.sender).supports_cancel = true;
        }
        for late in late {
            let crossing = self.crossing(m, late.cancel.seen, content);
            self.accuse(step, Suspect { crossing, what: Accused::LateAnswer(Box::new(late)) });
        }
    }

    /// A cancelled parent is answered: which requests that served it are still open?
    fn note_orphans(&mut self, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let Some(slot) = self.slot(issuer, id) else { return };
        let Some(cancel) = slot.exchange.cancel().map(|cancel| cancel.seen) else { return };
        let parent = Box::new(slot.exchange.clone());
        self.orphan(parent, cancel, m.seen);
    }

    /// The work of a cancelled exchange is over: which requests that served it are still open?
    pub(super) fn orphan(&mut self, parent: Box<Exchange>, cancel: Seen, answer: Seen) {
        let sender = parent.issuer.peer();
        let nested = self.side(sender).live.values().map(|slot| &slot.exchange);
        let nested = nested.filter(|exchange| exchange.parent == Some(parent.request.frame) && exchange.in_flight());
        let mut children: Vec<_> =
            nested.map(|exchange| (sender, exchange.id.clone(), exchange.request.frame)).collect();
        if !children.is_empty() {
            children.sort_by_key(|child| child.2);
            self.orphanages.push(Orphanage { parent, cancel, answer, children });
        }
    }

    /// Request arrays are answered by arrays.
    fn compare_batches(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let Some(exchange) = self.slot(issuer, id).map(|slot| &slot.exchange) else { return };
        let (requests, detail) = match (exchange.batch, m.batch) {
            (Some(requests), None) => (requests, "a request of an array was answered singly"),
            (None, Some(_)) => (exchange.request.frame, "an array answers a request that came singly"),
            (Some(requests), Some(answers)) => {
                if self.batches.nameless.contains(&answers) {
                    self.batches.reported.insert(requests);
                }
                let expected = *self.batches.answers.entry(answers).or_insert(requests);
                if expected == requests {
                    return;
                }
                (requests, "one array answers requests of several")
            }
            (None, None) => return,
        };
        if self.batches.answers.len() + self.batches.nameless.len() > 1024 {
            self.batches = Default::default();
        }
        if self.batches.reported.insert(requests) {
            self.emit(step, m.profile, m.seen, Some(m.sender), What::BatchMismatch { detail, requests });
        }
    }

    /// True while an older request with the id of one that was answered is owed an answer, too.
    pub(super) fn other_waits(&self, slot: &Slot) -> bool {
        slot.absorb.answers > 0 && self.side(slot.exchange.issuer).superseded
    }

    /// The settled exchange goes into the window, when all requests with its id were answered.
    pub(super) fn remember(&mut self, step: &mut Step<'_>, issuer: Side, id: &Id) {
        let Some(slot) = self.slot(issuer, id).filter(|slot| !self.other_waits(slot)) else { return };
        let (request, stream) = (slot.exchange.request.frame, slot.exchange.stream);
        step.settled.push(Kept { connection: self.facts.id, issuer, id: id.clone(), request, stream });
    }

    /// Drops a settled exchange that the window does not hold any more.
    pub(super) fn evict(&mut self, step: &mut Step<'_>, kept: Kept) {
        if let Some(stream) = kept.stream
            && self.streams.get(&stream).is_some_and(|opener| opener.request.frame == kept.request)
        {
            self.streams.remove(&stream);
        }
        if let Some(slot) = self.side_mut(kept.issuer).forget(kept.id, kept.request) {
            self.flush(step, kept.issuer, slot);
            self.side_mut(kept.issuer).give_back();
        }
    }

    /// Hands an exchange to the sink that will not change any more.
    pub(super) fn flush(&mut self, step: &mut Step<'_>, issuer: Side, mut slot: Box<Slot>) {
        self.report_late_progress(step, &mut slot);
        self.report_open_work(step, &slot);
        let settled_silent = !slot.exchange.profile.answers_cancelled() && slot.exchange.cancel().is_some();
        let left = if settled_silent { Effect::Silent } else { Effect::Unsettled };
        let connection = self.facts.id;
        for cancel in &mut slot.exchange.cancels {
            if cancel.effect.is_none() {
                cancel.effect = Some(if cancel.foreign { Effect::Unsettled } else { left });
            }
            step.sink.cancellation(connection, cancel);
        }
        let id = &slot.exchange.id;
        for token in slot.exchange.progress_token.iter().chain(slot.partial_token.as_deref()) {
            let newer = self.slot(issuer, id).filter(|newer| newer.gave(token));
            if newer.is_none() && self.side(issuer).tokens.get(token) == Some(id) {
                self.side_mut(issuer).free_token(token);
            }
        }
        step.sink.exchange(connection, &slot.exchange);
    }
}

fn outcome(m: &Incoming<'_>, role: Role) -> Outcome {
    match m.message.kind {
        Kind::Error if m.message.error_code() == Some(REQUEST_CANCELLED) => Outcome::Cancelled,
        Kind::Error => Outcome::Error,
        _ if role == Role::Prompt && Facts::is(m.facts.stop_reason(), "cancelled") => Outcome::Cancelled,
        _ => Outcome::Result,
    }
}

pub(super) fn letter(m: &Incoming<'_>) -> char {
    if m.message.kind == Kind::Error { 'e' } else { 'r' }
}
