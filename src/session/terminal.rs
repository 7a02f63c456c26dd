//! Terminals that a client runs for an agent (ACP): which of them the agent has released.

use super::event::What;
use super::state::{Conn, Incoming, Step};
use crate::jsonrpc::{Id, Kind};
use crate::protocol::{Facts, Side};

/// How many released terminals are remembered for a connection; of more nothing is said.
const REMEMBERED: usize = 16_384;

impl Conn {
    /// A request about a terminal that its agent has released.
    pub(super) fn use_terminal(&self, step: &mut Step<'_>, m: &Incoming<'_>, id: &Id) {
        let other = m.sender == Side::Server && !m.message.method().ends_with("/release");
        let Some(slot) = self.slot(m.sender, id).filter(|_| other && !m.facts.taken_out) else { return };
        let Some(terminal) = Facts::id(m.facts.terminal()).filter(|_| !self.released.is_empty()) else { return };
        let Some((released, answer)) = self.released.get(&(slot.topic.clone(), terminal)).copied() else { return };
        let crossing = self.crossing(m, answer, false);
        let Some(judgement) = self.tap(step.settings, &crossing).at_last(&crossing) else { return };
        let what = What::Released { exchange: &slot.exchange, released, answer, judgement };
        self.emit(step, m.profile, m.seen, Some(m.sender), what);
    }

    /// The client has made a terminal, or has let one go.
    pub(super) fn terminal_answered(&mut self, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let Some(slot) = self.slot(issuer, id).filter(|_| m.message.kind == Kind::Result) else { return };
        match (&*slot.exchange.method, &slot.terminal, Facts::id(m.facts.terminal())) {
            ("terminal/create", _, Some(made)) => {
                let made = (slot.topic.clone(), made);
                self.released.remove(&made);
            }
            ("terminal/release", Some(gone), _) if self.released.len() < REMEMBERED => {
                let (gone, request) = ((slot.topic.clone(), (**gone).clone()), slot.exchange.request);
                self.released.insert(gone, (request, m.seen));
            }
            _ => {}
        }
    }
}
