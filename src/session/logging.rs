//! Log messages of a revision in which each request says whether it wants them (MCP 2026-07-28).

use super::detail::LogFault;
use super::event::What;
use super::exchange::Outcome;
use super::state::{Conn, Incoming, Slot, Step, Wish};
use crate::jsonrpc::Id;
use crate::protocol::{Facts, Side, is_log_level};

impl Wish {
    /// What a request says.
    pub(super) fn of(facts: &Facts<'_>) -> Wish {
        match facts.log_level() {
            None => Wish::Unsaid,
            level if is_log_level(level) => Wish::Level,
            Some(_) => Wish::Unknown,
        }
    }
}

impl Conn {
    /// A log message of the server: was it asked for where it comes?
    pub(super) fn logged(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        let life = &self.facts.lifecycle;
        // In a connection with a handshake a level may have been set for all of it.
        if m.sender != Side::Server || life.initialize.is_some() || life.initialize_answer.is_some() {
            return;
        }
        let opener =
            self.opener(m.stream).filter(|opener| opener.issuer == Side::Client).map(|opener| opener.id.clone());
        let listened = |slot: &&mut Slot| slot.exchange.known.is_some_and(|known| known.long_lived);
        let named = Facts::id(m.facts.subscription())
            .filter(|id| self.slot_mut(Side::Client, id).as_ref().is_some_and(listened));
        let Some(id) = named.or(opener) else { return self.logged_to_nobody(step, m) };
        let Some(slot) = self.slot_mut(Side::Client, &id) else { return };
        let fault = match slot.wish {
            Wish::Told => return,
            _ if listened(&slot) => LogFault::OnSubscription,
            Wish::Unsaid => LogFault::Unasked,
            Wish::Level | Wish::Unknown => return,
        };
        slot.wish = Wish::Told;
        if let Some(slot) = self.slot(Side::Client, &id) {
            let what = What::Logged { exchange: Some(&slot.exchange), fault };
            self.emit(step, slot.exchange.profile, m.seen, Some(m.sender), what);
        }
    }

    /// On a channel that all requests share it is nobody's: no request may have asked for it.
    fn logged_to_nobody(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        if self.ordered() && !self.logs.asked && !std::mem::replace(&mut self.logs.told, true) {
            let what = What::Logged { exchange: None, fault: LogFault::Unasked };
            self.emit(step, m.profile, m.seen, Some(m.sender), what);
        }
    }

    /// A request with a level that there is not has its answer.
    pub(super) fn level_answered(&self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let Some(slot) = self.slot(issuer, id).filter(|slot| slot.wish == Wish::Unknown && !slot.asks_input) else {
            return;
        };
        if slot.exchange.outcome == Outcome::Result {
            let what = What::Logged { exchange: Some(&slot.exchange), fault: LogFault::LevelTaken };
            self.emit(step, slot.exchange.profile, m.seen, Some(m.sender), what);
        }
    }
}
