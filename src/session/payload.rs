//! The second look at payloads, and what answers show of the side that gives them. What is wrong is for the profile to say.

use std::hash::{Hash, Hasher};

use super::event::What;
use super::state::{Conn, Incoming, Step};
use crate::jsonrpc::{Id, Kind};
use crate::protocol::{Facts, Flaw, Side, questions};

/// How many flaws are remembered for a connection; those of one with more are said no more.
const FLAWS: usize = 4096;

impl Conn {
    /// A request or a notification.
    pub(super) fn look_at(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        if matches!(m.message.kind, Kind::Request | Kind::Notification) && step.sink.wants_flaws() {
            for flaw in m.profile.flaws(m.message, m.facts, None) {
                if self.is_new_flaw(&flaw, m.sender) {
                    let what = What::Flawed { flaw: &flaw, exchange: None };
                    self.emit(step, m.profile, m.seen, Some(m.sender), what);
                }
            }
        }
    }

    /// A response that has settled its exchange.
    pub(super) fn look_at_answer(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        if step.sink.wants_flaws() {
            self.flaws_of_answer(step, m, issuer, id);
        }
        if m.message.kind == Kind::Result {
            self.unannounced(step, m, issuer, id);
            self.asks_for_features(step, m, issuer, id);
        }
    }

    fn flaws_of_answer(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let Some(slot) = self.slot(issuer, id) else { return };
        let profile = slot.exchange.profile;
        for flaw in profile.flaws(m.message, m.facts, Some(&slot.exchange.method)) {
            let new = self.is_new_flaw(&flaw, m.sender);
            if let Some(slot) = self.slot(issuer, id).filter(|_| new) {
                let what = What::Flawed { flaw: &flaw, exchange: Some(&slot.exchange) };
                self.emit(step, profile, m.seen, Some(m.sender), what);
            }
        }
    }

    fn is_new_flaw(&mut self, flaw: &Flaw, sender: Side) -> bool {
        let declared = flaw.unless.map(|needs| self.facts.capabilities(sender).is_none_or(|all| all.declares(needs)));
        if declared == Some(true) {
            return false;
        }
        let mut hasher = rustc_hash::FxHasher::default();
        (flaw.ruling, &flaw.words).hash(&mut hasher);
        self.flaws_told.len() < FLAWS && self.flaws_told.insert(hasher.finish())
    }

    /// What a result offers, of a side whose declaration is known and does not have it; said once.
    fn unannounced(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let Some(declared) = self.facts.capabilities(m.sender).copied() else { return };
        let Some(slot) = self.slot(issuer, id) else { return };
        let Some(offers) = slot.exchange.profile.offered(&slot.exchange.method, m.facts) else { return };
        if declared.declares(offers) || self.unannounced.contains(&offers) {
            return;
        }
        self.unannounced.push(offers);
        if let Some(slot) = self.slot(issuer, id) {
            let what = What::Unannounced { exchange: &slot.exchange, offers };
            self.emit(step, slot.exchange.profile, m.seen, Some(m.sender), what);
        }
    }

    /// Questions that need more of the client than their methods do (MCP 2026-07-28): each request states what it can do.
    fn asks_for_features(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let Some(raw) = m.facts.input_requests().filter(|_| Facts::is(m.facts.result_type(), "input_required")) else {
            return;
        };
        let Some(stated) = self.slot(issuer, id).and_then(|slot| slot.stated) else { return };
        for question in questions(raw) {
            let lacks = question.needs.filter(|needs| !stated.declares(needs) && !self.features_told.contains(needs));
            if let Some(needs) = lacks {
                self.features_told.push(needs);
                let what = What::Undeclared { method: &question.method, needs };
                self.emit(step, m.profile, m.seen, Some(m.sender), what);
            }
        }
    }
}
