//! Prompt turns (ACP): `session/cancel` ends all that is in flight for one session.
//!
//! In version 1 a turn lasts until its prompt is answered; in version 2 that answer only says that it was accepted, and
//! the turn lasts until the agent reports that it is idle.

use std::rc::Rc;

use super::calls::Whose;
use super::detail::CancelFault;
use super::event::What;
use super::exchange::{Cancellation, Effect, Outcome};
use super::race::Judgement;
use super::seen::Seen;
use super::state::{Conn, Ended, HalfClosed, Handle, Incoming, Slot, Step, Turn};
use crate::jsonrpc::{Id, Kind};
use crate::protocol::{Facts, Mechanism, Profile, Role, Side};

const BACKGROUND: &str = "a tool call of an earlier turn was still at work, and the update may be of it";
const EXTENSION: &str = "an extension of the protocol was used for the session since, and what it starts is not known";
const UNSEEN_CALL: &str = "the log does not show the start of that tool call, which may belong to an earlier turn";

impl Conn {
    fn turn_of(&mut self, slot_topic: Option<&Rc<str>>) -> Option<&mut Turn> {
        self.turns.held()?.get_mut(slot_topic?)
    }

    /// A prompt opens a turn.
    pub(super) fn open_turn(&mut self, m: &Incoming<'_>, id: &Id) {
        let Some(name) = m.facts.session_id().and_then(|raw| Facts::text(Some(raw))).filter(|_| m.profile.turns) else {
            return;
        };
        let turn = self.turns.entry(Rc::from(&*name)).or_default();
        if m.profile.turns_end_idle {
            // The log may lack the report that ended the turn before.
            turn.prompts.clear();
        }
        if turn.prompts.is_empty() {
            turn.cancelled = None;
            turn.extension = None;
            turn.calls.next_turn();
        }
        let prompt = Handle { issuer: Side::Client, id: id.clone(), request: m.seen.frame };
        turn.prompts.push(prompt.clone());
        turn.ended = None;
        turn.over = None;
        turn.last = Some(prompt);
    }

    /// A session is loaded: what is told from here on may be what it said before, and no more of its last turn.
    pub(super) fn reload(&mut self, m: &Incoming<'_>, id: &Id) {
        let Some(topic) = self.slot(m.sender, id).and_then(|slot| slot.topic.clone()) else { return };
        if let Some(turn) = self.turn_of(Some(&topic)) {
            turn.ended = None;
            turn.loading = Some(Handle { issuer: m.sender, id: id.clone(), request: m.seen.frame });
        }
    }

    /// True while what an agent tells may be what a session said before: it is being loaded.
    fn is_loading(&self, topic: Option<&Rc<str>>) -> bool {
        let loading = topic.and_then(|topic| self.turns.get(topic)?.loading.as_ref());
        loading.and_then(|loading| self.known(loading)).is_some_and(|slot| slot.exchange.in_flight())
    }

    /// A notification of the client that the protocol does not know: what it starts in its session is not known.
    pub(super) fn extension(&mut self, m: &Incoming<'_>) {
        let known = m.profile.method(m.message.method()).is_some();
        let Some(name) = Facts::text(m.facts.session_id()).filter(|_| !known) else { return };
        if let Some(turn) = self.turns.held().and_then(|turns| turns.get_mut(&*name)) {
            turn.extension = Some(m.seen);
        }
    }

    /// The prompt that is in work for the session of another one.
    pub(super) fn prompt_in_work(&self, slot: &Slot) -> Option<Seen> {
        if slot.exchange.profile.turns_end_idle {
            return None;
        }
        let prompt = self.turns.get(slot.topic.as_ref()?)?.prompts.last()?;
        self.known(prompt).map(|slot| &slot.exchange).filter(|prompt| prompt.in_flight()).map(|prompt| prompt.request)
    }

    /// A request that names a session: the session is known from here on, and one that closes it ends its prompts.
    pub(super) fn note_session(&mut self, m: &Incoming<'_>, id: &Id) {
        let Some(slot) = self.slot(m.sender, id) else { return };
        let extends = m.sender == Side::Client && slot.exchange.known.is_none();
        let Some(topic) = slot.topic.clone() else { return };
        let turn = self.turns.entry(topic).or_default();
        if extends {
            turn.extension = Some(m.seen);
        }
        if !matches!(m.message.method(), "session/close" | "session/delete") {
            return;
        }
        if m.message.method() == "session/close" {
            turn.closing = Some(Handle { issuer: m.sender, id: id.clone(), request: m.seen.frame });
        }
        let prompts = turn.prompts.clone();
        for prompt in &prompts {
            if let Some(slot) = self.known_mut(prompt) {
                slot.exchange.session_closed.get_or_insert(m.seen);
            }
        }
    }

    /// A result that names a session has created it: what is told from here on is of no turn that went before.
    pub(super) fn note_new_session(&mut self, m: &Incoming<'_>) {
        let Some(name) = m.facts.session_id().and_then(|raw| Facts::text(Some(raw))) else { return };
        match self.turns.held().and_then(|turns| turns.get_mut(&*name)) {
            Some(turn) => turn.ended = None,
            None => drop(self.turns.insert(Rc::from(&*name), Turn::default())),
        }
    }

    /// The prompt that a request of the agent serves.
    pub(super) fn turn_parent(&self, m: &Incoming<'_>, slot: &Slot) -> Option<Handle> {
        if m.sender != Side::Server || !m.profile.turns {
            return None;
        }
        self.turns.get(slot.topic.as_ref()?)?.prompts.last().cloned()
    }

    /// The `session/cancel` of the turn in work that the newest prompt of a session belongs to.
    pub(super) fn turn_cancel(&self, topic: Option<&Rc<str>>) -> Option<Seen> {
        let turn = self.turns.get(topic?)?;
        let prompt = turn.prompts.last()?;
        turn.cancelled.filter(|cancel| cancel.frame > prompt.request)
    }

    /// A permission request of a turn.
    pub(super) fn open_permission(&mut self, m: &Incoming<'_>, id: &Id) {
        let Some(topic) = self.slot(Side::Server, id).and_then(|slot| slot.topic.clone()) else { return };
        if let Some(turn) = self.turn_of(Some(&topic)) {
            turn.permissions.push(Handle { issuer: Side::Server, id: id.clone(), request: m.seen.frame });
        }
    }

    /// `session/cancel`: every prompt in work of that session is cancelled, and so is every permission request.
    pub(super) fn cancel_turn(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, mut cancel: Cancellation, raw: &str) {
        if m.sender != Side::Client {
            cancel.effect = Some(Effect::UnknownTarget);
            self.judge_cancel(step, m.profile, &cancel, None, None);
            return step.sink.cancellation(self.facts.id, &cancel);
        }
        let name = Facts::text(Some(raw)).unwrap_or_default();
        let unknown = !self.turns.contains_key(&*name);
        let (prompts, permissions, last) = match self.turns.held().and_then(|turns| turns.get_mut(&*name)) {
            Some(turn) => {
                if !turn.prompts.is_empty() {
                    turn.cancelled.get_or_insert(m.seen);
                }
                (turn.prompts.clone(), turn.permissions.clone(), turn.last.clone())
            }
            None => Default::default(),
        };
        if !prompts.is_empty() {
            for permission in &permissions {
                if let Some(slot) = self.known_mut(permission).filter(|slot| slot.exchange.in_flight()) {
                    slot.turn_cancel.get_or_insert_with(|| Box::new(m.seen));
                }
            }
            for prompt in &prompts {
                self.cancel_prompt(m, &mut cancel.clone(), prompt);
                self.forgive_waiting(Side::Server);
            }
            return self.judge_cancel(step, m.profile, &cancel, None, None);
        }
        // Nothing is in work: the turn had ended, or there never was one.
        let last = last.filter(|last| self.known(last).is_some());
        let hit = last.and_then(|last| self.attach_cancel(m, &mut cancel, Side::Client, &last.id));
        if hit.is_none() {
            cancel.effect = Some(Effect::UnknownTarget);
            step.sink.cancellation(self.facts.id, &cancel);
        }
        let judgement = Judgement::exact_if(self.facts.complete_head(), "the session may have begun before the log");
        let fault = match unknown {
            true => Some(CancelFault::UnknownSession(judgement)),
            false => self.nothing_in_work(step, m, &name),
        };
        self.judge_cancel(step, m.profile, &cancel, fault, None);
    }

    /// A cancel of a session in which nothing is in work: did the client know that its turn was over?
    fn nothing_in_work(&self, step: &Step<'_>, m: &Incoming<'_>, name: &str) -> Option<CancelFault> {
        let over = self.turns.get(name)?.over;
        let Some(ended) = over else { return Some(CancelFault::NothingInWork { over, judgement: Judgement::EXACT }) };
        let crossing = self.crossing(m, ended, false);
        let judgement = self.tap(step.settings, &crossing).at_last(&crossing)?;
        Some(CancelFault::NothingInWork { over, judgement })
    }

    /// A prompt in work is cancelled. Its answer may have come before: then the turn's end will tell what became of it.
    fn cancel_prompt(&mut self, m: &Incoming<'_>, cancel: &mut Cancellation, prompt: &Handle) {
        if self.known(prompt).is_none() || self.attach_cancel(m, cancel, Side::Client, &prompt.id).is_none() {
            return;
        }
        let cancels = self.known_mut(prompt).map(|slot| &mut slot.exchange.cancels);
        if let Some(cancel) = cancels.and_then(|cancels| cancels.last_mut()) {
            cancel.effect = None;
            cancel.effect_seen = None;
        }
    }

    /// A prompt is answered.
    pub(super) fn close_turn(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        if m.facts.stop_reason().is_some() {
            self.revision_shown(Profile::of_turns(false));
        }
        if m.profile.turns_end_idle && m.message.kind == Kind::Result {
            return;
        }
        let Some(slot) = self.slot(issuer, id) else { return };
        let request = slot.exchange.request.frame;
        let cancel = slot.exchange.turn_cancel().map(|cancel| cancel.seen);
        let knew = slot.exchange.outcome == Outcome::Cancelled;
        let topic = slot.topic.clone();
        let judgement = cancel.and_then(|cancel| match knew {
            true => Some(Judgement::EXACT),
            false => {
                let crossing = self.crossing(m, cancel, false);
                self.tap(step.settings, &crossing).at_last(&crossing)
            }
        });
        let judgement = judgement.filter(|_| !self.is_loading(topic.as_ref()));
        let seen = m.seen;
        let Some(turn) = self.turn_of(topic.as_ref()) else { return };
        turn.prompts.retain(|prompt| prompt.request != request);
        if turn.prompts.is_empty() {
            turn.over = Some(seen);
        }
        if let Some(judgement) = judgement.filter(|_| turn.prompts.is_empty()) {
            let prompt = Handle { issuer, id: id.clone(), request };
            turn.ended = Some(Ended { prompt, answer: seen, judgement, doubted: false });
        }
        if cancel.is_none() && !knew {
            self.outlives_close(step, m, topic.as_ref(), (issuer, id));
        }
    }

    /// A prompt is answered, not as cancelled, although its session was closed while it was in work.
    fn outlives_close(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, topic: Option<&Rc<str>>, prompt: (Side, &Id)) {
        let Some(slot) = self.slot(prompt.0, prompt.1) else { return };
        let closing = topic.and_then(|topic| self.turns.get(topic)).and_then(|turn| turn.closing.clone());
        let Some((close, seen)) = closing.zip(slot.exchange.session_closed) else { return };
        let Some(closed) = self.known(&close).map(|slot| &slot.exchange) else { return };
        let judgement = match closed.outcome {
            // It said itself before that the session is closed.
            Outcome::Result => Some(Judgement::EXACT),
            Outcome::InFlight => {
                let crossing = self.crossing(m, seen, false);
                self.tap(step.settings, &crossing).at_last(&crossing)
            }
            _ => None,
        };
        let Some(judgement) = judgement else { return };
        if closed.outcome == Outcome::Result {
            let what = What::TurnOutlivesClose { exchange: &slot.exchange, close: seen, judgement };
            return self.emit(step, slot.exchange.profile, m.seen, Some(m.sender), what);
        }
        let exchange = Box::new(slot.exchange.clone());
        self.half_closed.push(HalfClosed { close, exchange, judgement });
    }

    /// A session is closed, or the agent refuses to close it.
    pub(super) fn session_closed(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let Some(request) =
            self.slot(issuer, id).map(|slot| slot.exchange.request).filter(|_| !self.half_closed.is_empty())
        else {
            return;
        };
        let (own, rest) = self
            .half_closed
            .take_all()
            .into_iter()
            .partition::<Vec<_>, _>(|half| half.close.issuer == issuer && half.close.request == request.frame);
        self.half_closed.extend(rest);
        for HalfClosed { exchange, judgement, .. } in own {
            if let (Kind::Result, Some(answer)) = (m.message.kind, exchange.answer) {
                let what = What::TurnOutlivesClose { exchange: &exchange, close: request, judgement };
                self.emit(step, exchange.profile, answer, Some(m.sender), what);
            }
        }
    }

    /// The agent reports that a session is idle: the turn is over.
    fn end_turn(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, name: &str) {
        let Some(turn) = self.turns.held().and_then(|turns| turns.get_mut(name)) else { return };
        turn.over = Some(m.seen);
        let asked = turn.cancelled;
        let prompts = std::mem::take(&mut turn.prompts);
        let cancelled = Facts::is(m.facts.stop_reason(), "cancelled");
        if let (Some(cancel), false) = (asked, cancelled) {
            self.not_cancelled(step, m, prompts.last(), cancel);
        }
        let effect = if cancelled { Effect::Acknowledged } else { Effect::Result };
        for prompt in prompts {
            let Some(slot) = self.known_mut(&prompt) else { continue };
            let open =
                |cancel: &&mut Cancellation| cancel.mechanism == Mechanism::SessionCancel && cancel.effect.is_none();
            for cancel in slot.exchange.cancels.iter_mut().filter(open) {
                cancel.effect = Some(effect);
                cancel.effect_seen = Some(m.seen);
            }
        }
    }

    /// A cancelled turn ended, and its end does not say that it was cancelled.
    fn not_cancelled(&self, step: &mut Step<'_>, m: &Incoming<'_>, prompt: Option<&Handle>, cancel: Seen) {
        let Some(slot) = prompt.and_then(|prompt| self.known(prompt)) else { return };
        let crossing = self.crossing(m, cancel, false);
        let Some(judgement) = self.tap(step.settings, &crossing).at_last(&crossing) else { return };
        let exchange = &slot.exchange;
        let what = What::TurnNotCancelled { exchange, cancel, judgement };
        self.emit(step, exchange.profile, m.seen, Some(m.sender), what);
    }

    /// A permission request is answered; in a cancelled turn that must say so.
    pub(super) fn close_permission(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let Some(slot) = self.slot(issuer, id) else { return };
        let topic = slot.topic.clone();
        let request = slot.exchange.request.frame;
        let in_turn =
            topic.as_ref().and_then(|topic| self.turns.get(topic)).is_some_and(|turn| !turn.prompts.is_empty());
        if let (Some(cancel), true) = (slot.turn_cancel.as_deref().copied(), in_turn) {
            let outcome = Facts::text(m.facts.outcome());
            let what = What::PermissionAnswer {
                exchange: &slot.exchange,
                cancel,
                outcome: outcome.as_deref(),
                error_code: m.message.error_code(),
                cancelled_by_agent: slot.exchange.cancel().is_some(),
            };
            self.emit(step, m.profile, m.seen, Some(m.sender), what);
        }
        if let Some(turn) = self.turn_of(topic.as_ref()) {
            turn.permissions.retain(|permission| permission.request != request);
        }
    }

    /// A `session/update`: after the answer to a cancelled prompt, and before the next, there must be none of that turn.
    pub(super) fn update(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        let Some(name) = Facts::text(m.facts.session_id()) else { return };
        let update = Facts::text(m.facts.update()).unwrap_or_default();
        if update == "state_update" {
            self.revision_shown(Profile::of_turns(true));
            self.note_state(m, &name);
        }
        if m.facts.config_options().is_some() {
            self.note_offers(m, Some(Rc::from(&*name)));
        }
        if !self.turns.contains_key(&*name) {
            self.note_new_session(m);
            return self.note_control(step, m);
        }
        self.note_control(step, m);
        let Some(turn) = self.turns.held().and_then(|turns| turns.get_mut(&*name)) else { return };
        let (begins, in_turn) = (Some(m.seen).filter(|_| update == "tool_call"), !turn.prompts.is_empty());
        let whose = m.facts.tool_call().map(|call| turn.calls.note(call, m.facts.update_status(), begins, in_turn));
        if let Some(prompt) = turn.prompts.last().cloned() {
            let ends =
                m.profile.turns_end_idle && update == "state_update" && Facts::is(m.facts.update_state(), "idle");
            if let Some(slot) = self.known_mut(&prompt) {
                slot.exchange.history.add('p', m.sender, Side::Client);
                slot.exchange.progress += 1;
                // What says that the turn is over is no sign of work on it.
                slot.exchange.last_progress = Some(m.seen).filter(|_| !ends).or(slot.exchange.last_progress);
            }
            if ends {
                self.end_turn(step, m, &name);
            }
            return;
        }
        if m.sender != Side::Server || !m.profile.belongs_to_turn(&update) {
            return;
        }
        // What it has started before the cancel was cancelled, too.
        let extension = turn.extension.filter(|seen| turn.cancelled.is_none_or(|cancel| cancel.frame < seen.frame));
        let doubt = match whose {
            Some(Whose::EarlierTurn) => return,
            Some(Whose::ThisTurn(begun)) => extension.filter(|seen| seen.frame < begun.frame).map(|_| EXTENSION),
            Some(Whose::Unknown) if update == "tool_call_update" => Some(UNSEEN_CALL),
            _ if turn.calls.any_goes_on() => Some(BACKGROUND),
            _ => extension.map(|_| EXTENSION),
        };
        let Some(ended) = &mut turn.ended else { return };
        if doubt.is_some() && std::mem::replace(&mut ended.doubted, true) {
            return;
        }
        let judgement = doubt.map_or(ended.judgement, Judgement::undecidable);
        let (prompt, answer) = (ended.prompt.clone(), ended.answer);
        if doubt.is_none() {
            turn.ended = None;
        }
        if let Some(slot) = self.known(&prompt) {
            let begun = match whose {
                Some(Whose::ThisTurn(begun)) => Some(begun),
                _ => None,
            };
            let what = What::UpdateAfterTurn { exchange: &slot.exchange, answer, update: &update, begun, judgement };
            self.emit(step, m.profile, m.seen, Some(m.sender), what);
        }
    }

    /// True if a request is a permission request of a turn that was cancelled.
    pub(super) fn permission_of_cancelled_turn(&self, slot: &Slot) -> Option<Seen> {
        slot.turn_cancel.as_deref().copied().filter(|_| slot.role == Role::Permission)
    }
}
