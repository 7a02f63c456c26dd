//! Requests in several rounds: a request that continues one which its server has answered with questions (MCP 2026-07-28).

use super::event::What;
use super::state::{Conn, Incoming, Step};
use crate::jsonrpc::{Id, Kind};
use crate::protocol::{Facts, Side};

/// InvalidParams (JSON-RPC 2.0, section 5.1).
const INVALID_PARAMS: i64 = -32602;

impl Conn {
    /// An answer that asks for input.
    pub(super) fn ask_round(&mut self, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let asks = Facts::is(m.facts.result_type(), "input_required") && issuer == Side::Client;
        if !asks || m.facts.taken_out {
            return;
        }
        let Some(slot) = self.slot(issuer, id) else { return };
        let told = !self.is_taken_out(slot.exchange.request.frame);
        let call = told.then_some(slot.round);
        self.rounds.ask(m.seen, call, m.facts);
    }

    /// A request that brings answers or a state.
    pub(super) fn continue_round(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, id: &Id) {
        if m.sender != Side::Client || m.facts.taken_out || self.rounds.is_empty() {
            return;
        }
        let Some(call) = self.slot(m.sender, id).map(|slot| slot.round) else { return };
        self.rounds.note_short(call, m.facts, m.seen.frame);
        let Some(slot) = self.slot(m.sender, id) else { return };
        if let Some((fault, asked)) = self.rounds.fault(call, m.facts) {
            self.emit(step, m.profile, m.seen, Some(m.sender), What::Round { exchange: &slot.exchange, fault, asked });
        }
    }

    /// The answer to a request that brought less than was asked for: a refusal for that, where it names what is missing.
    pub(super) fn short_answered(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        if self.rounds.is_empty() {
            return;
        }
        let Some(request) = self.slot(issuer, id).map(|slot| slot.exchange.request.frame) else { return };
        let Some((missing, asked)) = self.rounds.take_short(request) else { return };
        if m.message.kind != Kind::Error || m.message.error_code() != Some(INVALID_PARAMS) || m.facts.taken_out {
            return;
        }
        let Some(slot) = self.slot(issuer, id) else { return };
        let named = m.message.error.as_ref().is_some_and(|error| {
            [error.message.as_deref(), error.data].into_iter().flatten().any(|text| names(text, &missing))
        });
        let what = What::Shortfall { exchange: &slot.exchange, asked, missing: &missing, named };
        self.emit(step, slot.exchange.profile, m.seen, Some(m.sender), what);
    }
}

/// True if a text has this name in it, and not as a part of another word.
fn names(text: &str, name: &str) -> bool {
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(name).filter(|_| !name.is_empty()).any(|(at, found)| {
        let (before, behind) = (&text[..at], &text[at + found.len()..]);
        !inside(before.chars().next_back()) && !inside(behind.chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_name_is_a_word_of_its_own() {
        assert!(names("no answer for `login`", "login") && names("login", "login"));
        assert!(!names("relogin failed", "login") && !names("login_name", "login") && !names("nothing", ""));
        assert!(names("relogin, login", "login"));
    }
}
