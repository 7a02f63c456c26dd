//! Requests in several rounds: a request that continues one which its server has answered with questions (MCP 2026-07-28).

use super::event::What;
use super::state::{Conn, Incoming, Step};
use crate::jsonrpc::Id;
use crate::protocol::{Facts, Side};

impl Conn {
    /// An answer that asks for input.
    pub(super) fn ask_round(&mut self, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let asks = Facts::is(m.facts.result_type(), "input_required") && issuer == Side::Client;
        if let Some(call) = self.slot(issuer, id).filter(|_| asks && !m.facts.taken_out).map(|slot| slot.round) {
            self.rounds.ask(m.seen, call, m.facts);
        }
    }

    /// A request that brings answers or a state.
    pub(super) fn continue_round(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, id: &Id) {
        let Some(slot) = self.slot(m.sender, id).filter(|_| m.sender == Side::Client && !m.facts.taken_out) else {
            return;
        };
        if let Some((fault, asked)) = self.rounds.fault(slot.round, m.facts) {
            self.emit(step, m.profile, m.seen, Some(m.sender), What::Round { exchange: &slot.exchange, fault, asked });
        }
    }
}
