//! What an agent reports of a session (ACP 2): tool calls and terminals, which a client may cancel by themselves where that is offered, and
//! whether it is at work.

use super::detail::{ControlFault, Thing};
use super::event::What;
use super::race::{Judgement, UNORDERED};
use super::seen::Seen;
use super::state::{Conn, Incoming, Offered, Step};
use crate::jsonrpc::{Id, Kind};
use crate::protocol::{Facts, Side, cancels_part, closes, resumes};

/// How many cancels of what had ended may wait for their answers in one connection.
const WAITING: usize = 4_096;

impl Conn {
    /// An update or a permission request of the agent: it may tell of a tool call or a terminal.
    pub(super) fn note_control(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        let tells = m.sender == Side::Server && m.profile.turns_end_idle;
        let Some(name) = Facts::text(m.facts.session_id()).filter(|_| tells) else { return };
        let ended = self.turns.get_mut(&*name).and_then(|turn| turn.controls.report(m.facts, m.seen));
        if let Some(ended) = ended {
            let fault = ControlFault::StillOffered { ended };
            let what = What::Control { thing: thing(m.facts), exchange: None, fault, judgement: self.in_order() };
            self.emit(step, m.profile, m.seen, Some(m.sender), what);
        }
    }

    /// Messages of one side: their order is that in which they were sent.
    fn in_order(&self) -> Judgement {
        Judgement::exact_if(self.ordered(), UNORDERED)
    }

    /// The agent reports whether it is at work.
    pub(super) fn note_state(&mut self, m: &Incoming<'_>, name: &str) {
        let Some(turn) = self.turns.get_mut(name).filter(|_| m.sender == Side::Server) else { return };
        let works = ["running", "requires_action"].iter().any(|state| Facts::is(m.facts.update_state(), state));
        turn.at_work = works.then(|| turn.at_work.unwrap_or(m.seen));
    }

    /// A session is closed, and its agent has not said that its work has ended.
    pub(super) fn closed_at_work(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let result = m.message.kind == Kind::Result && m.profile.turns_end_idle;
        let Some(slot) = self.slot(issuer, id).filter(|slot| result && closes(&slot.exchange.method)) else { return };
        let turn = slot.topic.as_ref().and_then(|topic| self.turns.get(topic));
        if let Some(at_work) = turn.and_then(|turn| turn.at_work) {
            let what = What::ClosedAtWork { exchange: &slot.exchange, at_work, judgement: self.in_order() };
            self.emit(step, m.profile, m.seen, Some(m.sender), what);
        }
    }

    /// A request of the client: it cancels a tool call or a terminal, or takes up a session.
    pub(super) fn ask_control(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, id: &Id) {
        let asks = m.sender == Side::Client && m.profile.turns_end_idle;
        let Some(name) = Facts::text(m.facts.session_id()).filter(|_| asks) else { return };
        if resumes(m.message.method()) {
            let turn = self.turns.entry((&*name).into()).or_default();
            turn.at_work = None;
            return turn.controls.taken_up();
        }
        if !cancels_part(m.message.method()) || m.facts.taken_out {
            return;
        }
        let Some(turn) = self.turns.get(&*name) else { return };
        if let Some((key, _)) = turn.controls.ended(m.facts)
            && self.asked_ended.len() < WAITING
        {
            self.asked_ended.insert(m.seen.frame, key);
        }
        let Some((withdrawn, judgement)) = self.not_offered(step, m, &name) else { return };
        let Some(slot) = self.slot(m.sender, id) else { return };
        let fault = ControlFault::NotOffered { withdrawn };
        let what = What::Control { thing: thing(m.facts), exchange: Some(&slot.exchange), fault, judgement };
        self.emit(step, m.profile, m.seen, Some(m.sender), what);
    }

    /// A cancel that is not offered: since which message, and whether the client had that.
    fn not_offered(&self, step: &Step<'_>, m: &Incoming<'_>, name: &str) -> Option<(Option<Seen>, Judgement)> {
        match self.turns.get(name)?.controls.offered(m.facts) {
            Offered::Perhaps => None,
            // What is offered behind it at the tap had not reached the client.
            Offered::Never => Some((None, self.in_order())),
            Offered::Withdrawn(since) => {
                let crossing = self.crossing(m, since, false);
                Some((Some(since), self.tap(step.settings, &crossing).at_last(&crossing)?))
            }
        }
    }

    /// The answer to the cancel of something that its agent had reported as ended.
    pub(super) fn control_answered(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let Some(slot) = self.slot(issuer, id).filter(|_| !self.asked_ended.is_empty()) else { return };
        let request = slot.exchange.request;
        let topic = slot.topic.clone();
        let Some(key) = self.asked_ended.remove(&request.frame).filter(|_| m.message.kind == Kind::Result) else {
            return;
        };
        let turn = topic.and_then(|topic| self.turns.get(&topic));
        let ended = turn.and_then(|turn| turn.controls.still_ended(key)).filter(|ended| ended.frame < request.frame);
        if let (Some(ended), Some(slot)) = (ended, self.slot(issuer, id)) {
            let fault = ControlFault::EndedTaken { ended };
            let thing = if slot.terminal.is_some() { Thing::Terminal } else { Thing::ToolCall };
            let what = What::Control { thing, exchange: Some(&slot.exchange), fault, judgement: self.in_order() };
            self.emit(step, m.profile, m.seen, Some(m.sender), what);
        }
    }

    /// A session that the log shows from its beginning.
    pub(super) fn note_whole_session(&mut self, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let made = self.slot(issuer, id).is_some_and(|slot| &*slot.exchange.method == "session/new");
        let name = m.facts.session_id().and_then(|raw| Facts::text(Some(raw)));
        if let Some(turn) = name.filter(|_| made).and_then(|name| self.turns.get_mut(&*name)) {
            turn.controls.whole = true;
        }
    }
}

fn thing(facts: &Facts<'_>) -> Thing {
    if facts.tool_call().is_some() { Thing::ToolCall } else { Thing::Terminal }
}
