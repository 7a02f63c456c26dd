//! Prompt turns (ACP): `session/cancel` ends all that is in flight for one session.

use std::rc::Rc;

use super::event::{Seen, What};
use super::exchange::{Cancellation, Effect};
use super::state::{Conn, Incoming, Slot, Step};
use crate::jsonrpc::Id;
use crate::protocol::{Facts, Mechanism, Role, Side};

/// One ACP session's turns.
#[derive(Default)]
pub(super) struct Turn {
    /// Prompts in flight.
    prompts: Vec<Id>,
    /// Permission requests in flight.
    permissions: Vec<Id>,
    /// The `session/cancel` of the turn that is in flight.
    cancelled: Option<Seen>,
    /// The last prompt that was answered after a `session/cancel`, and its answer, until the next prompt.
    ended: Option<(Id, Seen)>,
    /// The last prompt of all.
    last: Option<Id>,
}

impl Conn {
    fn turn_of(&mut self, slot_topic: Option<&Rc<str>>) -> Option<&mut Turn> {
        self.turns.get_mut(slot_topic?)
    }

    /// A prompt opens a turn.
    pub(super) fn open_turn(&mut self, m: &Incoming<'_>, id: &Id) {
        let Some(name) = m.facts.session_id.and_then(|raw| Facts::text(Some(raw))).filter(|_| m.profile.turns) else {
            return;
        };
        let turn = self.turns.entry(Rc::from(&*name)).or_default();
        if turn.prompts.is_empty() {
            turn.cancelled = None;
        }
        turn.prompts.push(id.clone());
        turn.ended = None;
        turn.last = Some(id.clone());
    }

    /// The prompt that a request of the agent serves.
    pub(super) fn turn_parent(&self, m: &Incoming<'_>, slot: &Slot) -> Option<(Side, Id)> {
        if m.sender != Side::Server || !m.profile.turns {
            return None;
        }
        let turn = self.turns.get(slot.topic.as_ref()?)?;
        turn.prompts.last().map(|id| (Side::Client, id.clone()))
    }

    /// A permission request of a turn.
    pub(super) fn open_permission(&mut self, _m: &Incoming<'_>, id: &Id) {
        let Some(topic) = self.slot(Side::Server, id).and_then(|slot| slot.topic.clone()) else { return };
        if let Some(turn) = self.turn_of(Some(&topic)) {
            turn.permissions.push(id.clone());
        }
    }

    /// `session/cancel`: every prompt in flight of that session is cancelled, and so is every permission request.
    pub(super) fn cancel_turn(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, mut cancel: Cancellation, raw: &str) {
        let name = Facts::text(Some(raw)).unwrap_or_default();
        let (prompts, permissions, last) = match self.turns.get_mut(&*name) {
            Some(turn) => {
                if !turn.prompts.is_empty() {
                    turn.cancelled.get_or_insert(m.seen);
                }
                (turn.prompts.clone(), turn.permissions.clone(), turn.last.clone())
            }
            None => Default::default(),
        };
        if !prompts.is_empty() {
            for id in &permissions {
                if let Some(slot) = self.slot_mut(Side::Server, id).filter(|slot| slot.exchange.in_flight()) {
                    slot.turn_cancel.get_or_insert(m.seen);
                }
            }
            for id in &prompts {
                self.attach_cancel(m, &mut cancel.clone(), Side::Client, id);
                self.forgive_waiting(Side::Server);
            }
            return self.judge_cancel(step, m.profile, &cancel, None, None);
        }
        // Nothing is in flight: the turn had ended, or there never was one.
        let hit = last.and_then(|id| self.attach_cancel(m, &mut cancel, Side::Client, &id));
        if hit.is_none() {
            cancel.effect = Some(Effect::UnknownTarget);
            step.sink.cancellation(self.facts.id, &cancel);
        }
        self.judge_cancel(step, m.profile, &cancel, None, None);
    }

    /// A prompt is answered.
    pub(super) fn close_turn(&mut self, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let Some(slot) = self.slot(issuer, id) else { return };
        let cancelled = slot
            .exchange
            .cancels
            .iter()
            .any(|cancel| cancel.mechanism == Mechanism::SessionCancel && cancel.effect != Some(Effect::Moot));
        let topic = slot.topic.clone();
        let seen = m.seen;
        if let Some(turn) = self.turn_of(topic.as_ref()) {
            turn.prompts.retain(|prompt| prompt != id);
            if cancelled && turn.prompts.is_empty() {
                turn.ended = Some((id.clone(), seen));
            }
        }
    }

    /// A permission request is answered; in a cancelled turn that must say so.
    pub(super) fn close_permission(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let Some(slot) = self.slot(issuer, id) else { return };
        let topic = slot.topic.clone();
        let in_turn =
            topic.as_ref().and_then(|topic| self.turns.get(topic)).is_some_and(|turn| !turn.prompts.is_empty());
        if let (Some(cancel), true) = (slot.turn_cancel, in_turn) {
            let outcome = Facts::text(m.facts.outcome);
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
            turn.permissions.retain(|permission| permission != id);
        }
    }

    /// A `session/update`: after the answer to a cancelled prompt, and before the next, there must be none.
    pub(super) fn update(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        let Some(name) = Facts::text(m.facts.session_id) else { return };
        let Some(turn) = self.turns.get_mut(&*name) else { return };
        if let Some(id) = turn.prompts.last().cloned() {
            if let Some(slot) = self.slot_mut(Side::Client, &id) {
                slot.exchange.history.add('p', m.sender, Side::Client);
                slot.exchange.progress += 1;
                slot.exchange.last_progress = Some(m.seen);
            }
            return;
        }
        let update = Facts::text(m.facts.update).unwrap_or_default();
        if m.sender != Side::Server || !m.profile.belongs_to_turn(&update) {
            return;
        }
        let Some((id, answer)) = turn.ended.take() else { return };
        if let Some(slot) = self.slot(Side::Client, &id) {
            let what = What::UpdateAfterTurn { exchange: &slot.exchange, answer, update: &update };
            self.emit(step, m.profile, m.seen, Some(m.sender), what);
        }
    }

    /// True if a request is a permission request of a turn that was cancelled.
    pub(super) fn permission_of_cancelled_turn(&self, slot: &Slot) -> Option<Seen> {
        if slot.role == Role::Permission { slot.turn_cancel } else { None }
    }
}
