//! The second look at payloads, and what answers show of the side that gives them. What is wrong is for the profile to say.

use std::hash::{Hash, Hasher};

use super::event::What;
use super::state::{Conn, Incoming, Step};
use crate::jsonrpc::{Id, Kind};
use crate::protocol::http::{HeadFault, Mirrors, mirror_flaws};
use crate::protocol::{Facts, Flaw, Side, changes_tools, questions, tool_order};

/// How many flaws are remembered for a connection; those of one with more are said no more.
const FLAWS: usize = 4096;

impl Conn {
    /// A request or a notification.
    pub(super) fn look_at(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        if matches!(m.message.kind, Kind::Request | Kind::Notification) && step.sink.wants_flaws() {
            if changes_tools(m.message.method()) {
                self.tool_order = None;
                self.forget_support();
            }
            self.ask_prompt(m);
            if m.profile.documents && m.sender == Side::Server {
                self.registers(step, m);
            }
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
            if issuer == Side::Client {
                self.registers_at_once(m, issuer, id);
                self.note_support(m, issuer, id);
                self.against_support(step, m, issuer, id);
                self.note_arguments(m);
                self.prompt_given(step, m, issuer, id);
            }
            if m.message.kind == Kind::Result && issuer == Side::Client {
                self.serves_bad_head(step, m, issuer, id);
                self.reordered(step, m, issuer, id);
                self.learn_mirrors(m.facts.message().as_bytes());
            }
        }
        if m.message.kind == Kind::Result {
            self.unannounced(step, m, issuer, id);
            self.asks_for_features(step, m, issuer, id);
        }
    }

    fn learn_mirrors(&mut self, message: &[u8]) {
        if Mirrors::are_told(message) {
            self.http.mirrors.learn(message);
        }
    }

    /// The headers of a POST that mirror its body.
    pub(super) fn look_at_head(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        let own = m.stream.and_then(|stream| self.http.streams.get(&stream));
        let Some((_, head)) = own.filter(|own| own.requests == 1).and_then(|own| own.request.as_ref()) else { return };
        let (flaws, fault) = mirror_flaws(head, m.message, m.facts, &self.http.mirrors);
        if let Some(own) = m.stream.and_then(|stream| self.http.streams.get_mut(&stream)) {
            own.fault = fault;
        }
        for flaw in flaws {
            if self.is_new_flaw(&flaw, m.sender) {
                self.emit(step, m.profile, m.seen, Some(m.sender), What::Flawed { flaw: &flaw, exchange: None });
            }
        }
    }

    /// A result to a request that its server had to refuse for its headers.
    fn serves_bad_head(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        if self.http.streams.is_empty() {
            return;
        }
        let Some(slot) = self.slot(issuer, id) else { return };
        let asked_on = slot.exchange.stream.and_then(|stream| self.http.streams.get(&stream));
        let Some(fault) = asked_on.and_then(|stream| stream.fault) else { return };
        let title = slot.exchange.title();
        let (ruling, words) = match fault {
            HeadFault::Mismatch => {
                ("TRN016", format!("{title} is served, and its headers do not say what its body says"))
            }
            HeadFault::Characters => {
                ("TRN016/characters", format!("{title} is served, and a header of it is not encoded"))
            }
        };
        let flaw = Flaw { ruling, words, unless: None };
        let what = What::Flawed { flaw: &flaw, exchange: Some(&slot.exchange) };
        self.emit(step, slot.exchange.profile, m.seen, Some(m.sender), what);
    }

    /// A list of the same tools as before, in another order, while nothing was said to have changed.
    fn reordered(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let Some((set, order)) = tool_order(m.facts) else { return };
        if self.slot(issuer, id).is_none_or(|slot| &*slot.exchange.method != "tools/list") {
            return;
        }
        let before = self.tool_order.replace(Box::new((set, order)));
        let again = before.is_some_and(|before| before.0 == set && before.1 != order);
        if let Some(slot) = self.slot(issuer, id).filter(|_| again) {
            let words = "the same tools are listed in another order than before".to_string();
            let flaw = Flaw { ruling: "PAY018", words, unless: None };
            let what = What::Flawed { flaw: &flaw, exchange: Some(&slot.exchange) };
            self.emit(step, slot.exchange.profile, m.seen, Some(m.sender), what);
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
                let what = What::Undeclared { method: &question.method, needs, by: Side::Client };
                self.emit(step, m.profile, m.seen, Some(m.sender), what);
            }
        }
    }
}
