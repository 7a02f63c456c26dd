//! Cancels: which request they name, and the one thing that is wrong with them, if anything.

use std::rc::Rc;

use super::connection::Connection;
use super::detail::{CancelFault, Target};
use super::event::What;
use super::exchange::{Cancellation, Effect, Exchange, Outcome, TaskState};
use super::race::Judgement;
use super::refused::TAKEN;
use super::seen::Seen;
use super::state::{
    Accused, CompletedCancel, Conn, EarlyCancel, Incoming, Naming, Near, Opener, Post, Slot, Step, Suspect, cut,
};
use crate::capture::Proof;
use crate::jsonrpc::{Defect, Id};
use crate::protocol::http::may_be_asked_again;
use crate::protocol::{self, CancelForm, Facts, Mechanism, Profile, ServerCancel, Side};

/// How many cancels without a request wait for one on a side.
const EARLY: usize = 256;

/// Why a cancel behind an answer may have come in time.
const WHICH_ANSWERED: &str = "an older request with this id waits, too, and which of them was answered is not known";

/// Where the id of a cancel was found.
enum IdFound {
    /// A request that the sender may cancel.
    Own(Side, Id),
    /// A request of the other side.
    OtherSide(Id),
    /// A request of the sender whose id has the other JSON type.
    Twin(Id),
    /// Nowhere.
    Nowhere,
}

impl Conn {
    /// A cancel notification.
    pub(super) fn cancel(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, form: &CancelForm<'_>) {
        self.facts.cancels += 1;
        let cancel = Cancellation {
            foreign: form.foreign_method,
            target_text: form.target_text.map(Into::into),
            reason: Facts::text(m.facts.reason()).map(|text| cut(&text).into()),
            ..Cancellation::new(m.seen, m.sender, form.mechanism)
        };
        match &form.target {
            _ if form.foreign_member && !form.foreign_method => {
                self.malformed_cancel(step, m, cancel, "the id stands under another protocol's member name", form);
            }
            protocol::Target::Malformed(what) => self.malformed_cancel(step, m, cancel, what, form),
            protocol::Target::Null => self.malformed_cancel(step, m, cancel, "the request id is null", form),
            protocol::Target::Request(id) => match form.flaw.filter(|_| !form.foreign_method) {
                Some(flaw) => self.flawed_cancel(step, m, cancel, id, flaw, form),
                None => self.cancel_request(step, m, cancel, id),
            },
            protocol::Target::Turn(raw) => self.cancel_turn(step, m, cancel, raw),
            protocol::Target::Token(token) => self.cancel_token(step, m, cancel, token),
            // `tasks/cancel` is a request and comes in by another way.
            protocol::Target::Task(_) => {}
        }
    }

    /// A cancel that is a request, with an answer of its own.
    pub(super) fn cancel_command(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        if let Some(form) = protocol::cancel_form(m.profile, m.message.method(), m.facts) {
            self.cancel(step, m, &form);
        }
    }

    fn malformed_cancel(
        &mut self,
        step: &mut Step<'_>,
        m: &Incoming<'_>,
        mut cancel: Cancellation,
        what: &'static str,
        form: &CancelForm<'_>,
    ) {
        cancel.effect = Some(Effect::Malformed);
        let null_in_schema = form.target == protocol::Target::Null;
        let foreign_member = form.foreign_member;
        let null_params = m.message.defects.has(Defect::NullParams);
        let fault = match form.foreign_method {
            true => CancelFault::ForeignDialect,
            false => CancelFault::Malformed { what, null_in_schema, foreign_member, null_params },
        };
        self.judge_cancel(step, m.profile, &cancel, Some(fault), None);
        step.sink.cancellation(self.facts.id, &cancel);
    }

    /// A cancel at fault that names a request all the same: its receiver may go by it or not.
    fn flawed_cancel(
        &mut self,
        step: &mut Step<'_>,
        m: &Incoming<'_>,
        mut cancel: Cancellation,
        id: &Id,
        what: &'static str,
        form: &CancelForm<'_>,
    ) {
        let issuer = m.sender;
        if !self.slot(issuer, id).is_some_and(|slot| slot.exchange.in_flight()) {
            return self.malformed_cancel(step, m, cancel, what, form);
        }
        let Some((request, method)) = self.attach_cancel(m, &mut cancel, issuer, id) else { return };
        if let Some(slot) = self.slot_mut(issuer, id) {
            slot.cancel_void = true;
        }
        self.forgive_waiting(issuer.peer());
        let fault = CancelFault::Malformed { what, null_in_schema: false, foreign_member: false, null_params: false };
        let target = Target { request, issuer, id, method: &method, answer: None, first_cancel: None };
        self.judge_cancel(step, m.profile, &cancel, Some(fault), Some(target));
    }

    /// Reports a cancel whose fate is known.
    pub(super) fn judge_cancel(
        &self,
        step: &mut Step<'_>,
        profile: &'static Profile,
        cancel: &Cancellation,
        fault: Option<CancelFault>,
        target: Option<Target<'_>>,
    ) {
        self.emit(step, profile, cancel.seen, Some(cancel.sender), What::Cancel { cancel, fault, target });
    }

    /// Resolves the id: own requests first, then the other side's, then the twin of the other JSON type.
    fn find(&self, m: &Incoming<'_>, id: &Id) -> IdFound {
        let peer = m.sender.peer();
        if m.profile.server_cancel == ServerCancel::ListenOnly && m.sender == Side::Server {
            let listen = self
                .slot(Side::Client, id)
                .is_some_and(|slot| slot.exchange.known.is_some_and(|known| known.long_lived));
            if listen {
                return IdFound::Own(Side::Client, id.clone());
            }
            if self.side(Side::Client).evicted && self.slot(Side::Client, id).is_none() {
                return IdFound::Nowhere;
            }
            let legacy = self.facts.lifecycle.initialize.is_some() && self.slot(Side::Server, id).is_some();
            return if legacy { IdFound::Own(Side::Server, id.clone()) } else { IdFound::OtherSide(id.clone()) };
        }
        if self.slot(m.sender, id).is_some() {
            return IdFound::Own(m.sender, id.clone());
        }
        // It may have been its own all the same: the store will know.
        if self.side(m.sender).evicted {
            return IdFound::Nowhere;
        }
        // Where servers ask nothing, a client's cancel of a server's id is just an unknown one.
        let both_ask = m.profile.server_cancel == ServerCancel::OwnRequests;
        if both_ask && self.slot(peer, id).is_some() {
            return IdFound::OtherSide(id.clone());
        }
        let open = |exchange: &Exchange| exchange.in_flight() || !self.tells_when_answered();
        match id.twin().filter(|twin| self.slot(m.sender, twin).is_some_and(|slot| open(&slot.exchange))) {
            Some(twin) => IdFound::Twin(twin),
            None => IdFound::Nowhere,
        }
    }

    /// True if the id may be that of a request that was dropped behind the window.
    fn may_have_forgotten(&self, m: &Incoming<'_>) -> bool {
        let listens = m.profile.server_cancel == ServerCancel::ListenOnly && m.sender == Side::Server;
        self.side(m.sender).evicted || listens && self.side(Side::Client).evicted
    }

    fn cancel_request(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, cancel: Cancellation, id: &Id) {
        self.front_in_flight(step, m.sender, id);
        match self.find(m, id) {
            IdFound::Own(issuer, id) => self.cancel_own(step, m, cancel, issuer, &id),
            IdFound::OtherSide(other) => {
                let fault = self.other_side_fault(step, m, &other);
                // What was answered before is nothing to be cancelled: the canceller's own request of this id may be missing.
                if self.slot(m.sender.peer(), &other).is_some_and(|slot| !slot.exchange.in_flight()) {
                    self.miss(step, m.sender, id, m.seen, Naming::Cancel(m.seen.frame));
                }
                self.cancel_near(step, m, cancel, id, fault, (m.sender.peer(), other));
            }
            IdFound::Twin(twin) => {
                let fault = CancelFault::TypeMismatch(self.surely_new(step, m.sender, m.seen));
                self.note_twin_cancel(m.sender, &twin, m.seen);
                self.cancel_near(step, m, cancel, id, fault, (m.sender, twin));
            }
            IdFound::Nowhere if self.may_have_forgotten(m) => self.ask_about_cancel(m, cancel, id),
            IdFound::Nowhere => self.unknown_cancel(step, m, cancel, id),
        }
    }

    /// A cancel of a request that its sender (or, for a subscription, the server) may cancel.
    fn cancel_own(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, mut cancel: Cancellation, issuer: Side, id: &Id) {
        let Some(slot) = self.slot(issuer, id) else { return };
        let exchange = &slot.exchange;
        let (request, method, answer, profile) =
            (exchange.request, exchange.method.clone(), exchange.answer, exchange.profile);
        let same =
            |first: &&Cancellation| !first.foreign && first.sender == m.sender && first.mechanism == cancel.mechanism;
        let first = exchange.cancels.iter().find(same).map(|first| first.seen);
        let in_flight = exchange.in_flight();
        let open = in_flight || !self.tells_when(answer);
        let other_waits = !in_flight && self.other_waits(slot);
        let fault = if cancel.foreign { Some(CancelFault::ForeignDialect) } else { self.fault_by_target(m, slot) };
        let fault = fault.or(match first {
            Some(_) if open => Some(CancelFault::Duplicate),
            _ => None,
        });
        cancel.exchange = Some(request.frame);
        cancel.target_method = Some(method.clone());
        cancel.delay_us = m.seen.since(request);
        if !in_flight {
            cancel.effect = Some(Effect::Moot);
            cancel.effect_seen = answer;
        }
        if let Some(slot) = self.slot_mut(issuer, id) {
            if other_waits {
                slot.absorb = slot.absorb.one_cancelled();
            }
            slot.exchange.history.add('c', m.sender, issuer);
            let void = matches!(
                fault,
                Some(CancelFault::Initialize(_) | CancelFault::BeforeCapabilities | CancelFault::WithoutCapability(_))
            );
            slot.cancel_void |= void;
            slot.exchange.cancelled_by(cancel.clone());
            let call = slot.call.take();
            if let Some(call) = call {
                self.side_mut(issuer).calls.remove(&call);
            }
        }
        self.forgive_waiting(issuer.peer());
        match (knowing(fault), answer) {
            (Some(fault), Some(_)) if other_waits => {
                let fault = Some(fault(Judgement::undecidable(WHICH_ANSWERED)));
                let target = Target { request, issuer, id, method: &method, answer, first_cancel: None };
                self.judge_cancel(step, m.profile, &cancel, fault, Some(target));
            }
            (Some(fault), Some(answer)) if !in_flight => {
                self.may_be_answered_late(step, &cancel, (issuer, id), answer);
                let crossing = self.crossing(m, answer, false);
                let id = id.clone();
                let done = CompletedCancel { cancel, fault, profile, request, issuer, id, method, answer };
                self.accuse(step, Suspect { crossing, what: Accused::CompletedCancel(Box::new(done)) });
            }
            _ => {
                let target = Target { request, issuer, id, method: &method, answer, first_cancel: first };
                self.judge_cancel(step, m.profile, &cancel, fault, Some(target));
            }
        }
    }

    /// False for a log that does not show when requests were answered: an answer that stands before a message may have come
    /// after it.
    pub(super) fn tells_when_answered(&self) -> bool {
        self.facts.proof.covers(Proof::ANSWER_TIME)
    }

    /// The same of one answer: its record may not show when it came, where others do.
    fn tells_when(&self, answer: Option<Seen>) -> bool {
        self.tells_when_answered() && answer.is_none_or(|answer| self.facts.missing.untimed(answer.frame).is_none())
    }

    /// Where the log does not show when a request was answered, the answer that stands before its cancel may be a late one.
    fn may_be_answered_late(
        &self,
        step: &mut Step<'_>,
        cancel: &Cancellation,
        (issuer, id): (Side, &Id),
        answer: Seen,
    ) {
        let late = |slot: &&Slot| !self.tells_when(Some(answer)) && !slot.cancel_void && !slot.exchange.asks_task();
        let Some(slot) = self.slot(issuer, id).filter(late) else { return };
        let exchange = &slot.exchange;
        let what = What::LateAnswer {
            exchange,
            cancel,
            judgement: Judgement::undecidable("the log does not show when requests were answered"),
            error_code: exchange.error_code,
            is_error: exchange.outcome != Outcome::Result,
            says_cancelled: exchange.outcome == Outcome::Cancelled,
            support_evident: self.side(issuer.peer()).supports_cancel,
        };
        self.emit(step, exchange.profile, answer, Some(issuer.peer()), what);
    }

    /// What is wrong with a cancel because of the request it names.
    fn fault_by_target(&self, m: &Incoming<'_>, slot: &Slot) -> Option<CancelFault> {
        let exchange = &slot.exchange;
        let handshake = m.profile.opens_session(exchange.issuer, &exchange.method);
        let open = exchange.in_flight() || m.profile.initialize_cancel_always_wrong;
        if handshake && open && m.profile.ruling("CAN003").is_some() {
            return Some(CancelFault::Initialize(Judgement::EXACT));
        }
        if exchange.profile.ruling("CAN017").is_some() {
            match exchange.task {
                TaskState::Created(_) => return Some(CancelFault::TaskAugmented(Judgement::EXACT)),
                TaskState::Asked => {
                    let reason = "the task had no name yet by which it could have been cancelled";
                    return Some(CancelFault::TaskAugmented(Judgement::undecidable(reason)));
                }
                _ => {}
            }
        }
        if m.profile.cancel_needs_capability && !handshake {
            return capability_fault(&self.facts, m.sender.peer());
        }
        None
    }

    /// What is wrong with a cancel of the other side's request.
    fn other_side_fault(&self, step: &Step<'_>, m: &Incoming<'_>, id: &Id) -> CancelFault {
        match m.profile.server_cancel {
            ServerCancel::ListenOnly => {
                let open = self.facts.lifecycle.initialize.is_some();
                let older = Judgement::exact_if(!open, "the same process may serve an older revision");
                // A subscription that began before the log may be ended in it.
                let unseen = self.slot(Side::Client, id).is_none() && older == Judgement::EXACT;
                CancelFault::ServerForbidden(if unseen { self.surely_new(step, Side::Client, m.seen) } else { older })
            }
            ServerCancel::OwnRequests => CancelFault::WrongDirection(Judgement::EXACT),
        }
    }

    /// A cancel that hits nothing but comes near to a request. Over HTTP the request that it means may have been sent before it,
    /// and stand behind it.
    fn cancel_near(
        &mut self,
        step: &mut Step<'_>,
        m: &Incoming<'_>,
        cancel: Cancellation,
        id: &Id,
        fault: CancelFault,
        (issuer, twin): (Side, Id),
    ) {
        let near = self.slot(issuer, &twin).map(|slot| Near {
            request: slot.exchange.request,
            issuer,
            method: slot.exchange.method.clone(),
            answer: slot.exchange.answer,
            id: twin,
        });
        self.early_cancel(step, m, cancel, id, fault, near);
    }

    /// A cancel of an id that nobody has issued so far.
    fn unknown_cancel(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, cancel: Cancellation, id: &Id) {
        let forbidden = m.profile.server_cancel == ServerCancel::ListenOnly && m.sender == Side::Server;
        // In some revision a server may end what the client had asked for.
        let others = m.profile.unknown_revision && m.sender == Side::Server;
        let judgement = if others { self.surely_new(step, Side::Client, m.seen) } else { Judgement::EXACT };
        let fault = if forbidden { CancelFault::ServerForbidden(judgement) } else { CancelFault::UnknownId(judgement) };
        self.miss(step, m.sender, id, m.seen, Naming::Cancel(m.seen.frame));
        self.early_cancel(step, m, cancel, id, fault, None);
    }

    /// A cancel that names no request so far: one that follows soon is a hint. What comes near a request waits for none, where
    /// messages have an order.
    fn early_cancel(
        &mut self,
        step: &mut Step<'_>,
        m: &Incoming<'_>,
        mut cancel: Cancellation,
        id: &Id,
        fault: CancelFault,
        near: Option<Near>,
    ) {
        cancel.effect = Some(Effect::UnknownTarget);
        let fault = if cancel.foreign { CancelFault::ForeignDialect } else { fault };
        let at_once = near.is_some() && self.ordered();
        let early = EarlyCancel { cancel, profile: m.profile, fault, id: id.clone(), later: None, near };
        if at_once {
            return self.report_early_cancel(step, early);
        }
        let crossing = self.crossing(m, m.seen, false);
        let waiting = &mut self.side_mut(m.sender).early_cancels;
        waiting.push(Suspect { crossing, what: Accused::EarlyCancel(Box::new(early)) });
        if waiting.len() > EARLY {
            let oldest = waiting.remove(0);
            self.sentence(step, oldest, Some(Judgement::EXACT));
        }
    }

    /// A server-created progress that the client cancels: no request is named.
    fn cancel_token(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, mut cancel: Cancellation, token: &Id) {
        self.note_progress_cancel(m.sender, token, m.seen);
        let created = self.created_tokens.get(token);
        let (known, ended) = (created.is_some(), created.and_then(|created| created.ended));
        let by_request = m.profile.cancels_by_request();
        (cancel.effect, cancel.effect_seen) = match known {
            // The end of the progress will tell.
            true if by_request && ended.is_none() => (None, None),
            true if by_request => (Some(Effect::Moot), ended),
            true => (Some(Effect::Silent), None),
            false => (Some(Effect::UnknownTarget), None),
        };
        let judgement =
            Judgement::exact_if(self.facts.complete_head(), "the token may have been created before the log");
        let fault = (!known && m.sender == Side::Client).then_some(CancelFault::UnknownToken(judgement));
        self.judge_cancel(step, m.profile, &cancel, fault, None);
        let done = if cancel.effect.is_some() { Some(cancel) } else { self.await_end(m.sender, token, cancel) };
        if let Some(done) = done {
            step.sink.cancellation(self.facts.id, &done);
        }
    }

    /// Keeps a cancel of progress until that ends; gives the one before it, which tells nothing more.
    fn await_end(&mut self, sender: Side, token: &Id, cancel: Cancellation) -> Option<Cancellation> {
        let before = self.open_task_cancels.insert((sender, token.clone()), cancel)?;
        Some(Cancellation { effect: Some(Effect::Unsettled), ..before })
    }

    /// Closing a response stream: the cancel of MCP 2026-07-28 over HTTP, and no cancel before that.
    pub(super) fn stream_closed(&mut self, step: &mut Step<'_>, seen: Seen, stream: u32, by: Option<Side>) {
        let focus = self.focus(Some(stream), None);
        self.close_stream(step, seen, stream, by);
        self.unfocus(step, focus);
    }

    fn close_stream(&mut self, step: &mut Step<'_>, seen: Seen, stream: u32, by: Option<Side>) {
        let Some(Opener { issuer, id, request, has_ids, .. }) = self.streams.get(&stream).cloned() else {
            return self.note_closed_early(stream, seen);
        };
        // Its id may be another request's by now, on another stream.
        let own = |slot: &&mut Slot| slot.exchange.request.frame == request.frame && slot.exchange.in_flight();
        let status = self.status_of(Some(stream));
        let refused = status.is_some_and(may_be_asked_again);
        let life = &mut self.facts.lifecycle;
        // A handshake that was refused gives way to the next, as one does that is answered by an error.
        life.initialize_failed |=
            refused && life.initialize_answer.is_none() && life.initialize.is_some_and(|asked| asked == request);
        let Some(slot) = self.slot_mut(issuer, &id).filter(own) else { return };
        if slot.post == Post::Open && status != Some(TAKEN) {
            slot.post = Post::Ended;
        }
        let profile = slot.exchange.profile;
        if by == Some(Side::Server) {
            slot.hung_up = (has_ids && profile.server_may_hang_up).then(|| Box::new(seen));
            return;
        }
        if !profile.stream_close_cancels {
            slot.exchange.stream_closed = Some(seen);
            return;
        }
        let exchange = &mut slot.exchange;
        exchange.history.push('X');
        let cancel = Cancellation {
            target_text: Some(id.to_json().into()),
            exchange: Some(exchange.request.frame),
            target_method: Some(exchange.method.clone()),
            delay_us: seen.since(exchange.request),
            ..Cancellation::new(seen, issuer, Mechanism::StreamClose)
        };
        let (request, method) = (exchange.request, exchange.method.clone());
        exchange.cancelled_by(cancel.clone());
        self.facts.cancels += 1;
        let target = Target { request, issuer, id: &id, method: &method, answer: None, first_cancel: None };
        self.judge_cancel(step, profile, &cancel, None, Some(target));
    }

    /// A cancelled request need not be answered: it does not count as waiting.
    pub(super) fn forgive_waiting(&mut self, side: Side) {
        if let Some((_, count)) = &mut self.side_mut(side).waiting {
            *count = count.saturating_sub(1);
        }
    }

    /// A cancel that hits an exchange by another name than its id.
    pub(super) fn attach_cancel(
        &mut self,
        m: &Incoming<'_>,
        cancel: &mut Cancellation,
        issuer: Side,
        id: &Id,
    ) -> Option<(Seen, Rc<str>)> {
        let slot = self.slot_mut(issuer, id)?;
        let exchange = &mut slot.exchange;
        cancel.exchange = Some(exchange.request.frame);
        cancel.target_method = Some(exchange.method.clone());
        cancel.delay_us = m.seen.since(exchange.request);
        if !exchange.in_flight() {
            cancel.effect = Some(Effect::Moot);
            cancel.effect_seen = exchange.answer;
        }
        exchange.history.add('c', m.sender, issuer);
        exchange.cancelled_by(cancel.clone());
        Some((exchange.request, exchange.method.clone()))
    }
}

/// What is wrong with a cancel whose sender had the answer before; nothing where its fault does not hang on that. An answer that creates
/// a task gives the name by which alone that may be cancelled.
fn knowing(fault: Option<CancelFault>) -> Option<fn(Judgement) -> CancelFault> {
    match fault {
        None => Some(CancelFault::Completed),
        Some(CancelFault::TaskAugmented(Judgement::EXACT)) => Some(CancelFault::TaskAugmented),
        Some(_) => None,
    }
}

/// ACP's draft of 2025-11: capabilities first, and only to a receiver that declared support.
fn capability_fault(facts: &Connection, receiver: Side) -> Option<CancelFault> {
    if facts.lifecycle.initialize_answer.is_none() && facts.complete_head() {
        return Some(CancelFault::BeforeCapabilities);
    }
    match facts.capabilities(receiver) {
        Some(declared) if declared.request_cancellation => None,
        Some(_) => Some(CancelFault::WithoutCapability(Judgement::EXACT)),
        None => {
            let known = !facts.lifecycle.initialize_failed;
            Some(CancelFault::WithoutCapability(Judgement::exact_if(known, "no capabilities were exchanged")))
        }
    }
}
