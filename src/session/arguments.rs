//! Arguments of prompts that their server has listed as required, and prompts that it gives without them (MCP).

use super::event::What;
use super::state::{Conn, Incoming, Step};
use crate::jsonrpc::{Id, Kind};
use crate::protocol::{Facts, Side, changes_prompts, missing_argument, required_arguments};

/// How many prompts of a connection are remembered; of more nothing is said.
const REMEMBERED: usize = 4_096;

impl Conn {
    /// What a list says of prompts; of one of which two lists do not say the same, nothing is held.
    pub(super) fn note_arguments(&mut self, m: &Incoming<'_>) {
        if m.message.kind != Kind::Result || !m.facts.listed.has("prompts") || m.facts.taken_out {
            return;
        }
        for (name, required) in required_arguments(m.facts) {
            let required: Box<[Box<str>]> = required.into_iter().map(String::into_boxed_str).collect();
            let room = self.prompts.len() < REMEMBERED;
            match self.prompts.get_mut(&*name) {
                Some(known) if known.as_ref().is_some_and(|(kept, _)| *kept != required) => *known = None,
                Some(_) => {}
                None if room => drop(self.prompts.insert(name.into(), Some((required, m.seen)))),
                None => {}
            }
        }
    }

    /// A request for a prompt, or word that they are others now.
    pub(super) fn ask_prompt(&mut self, m: &Incoming<'_>) {
        if changes_prompts(m.message.method()) {
            self.prompts.held().into_iter().flatten().for_each(|(_, known)| *known = None);
        }
        let asks = m.sender == Side::Client && m.message.method() == "prompts/get";
        if !asks || self.prompts.is_empty() || m.facts.taken_out || m.facts.is_brief {
            return;
        }
        let known = Facts::text(m.facts.name()).and_then(|name| self.prompts.get(&*name)?.as_ref());
        let Some((required, listed)) = known else { return };
        if let Some(argument) = missing_argument(m.facts, required) {
            let missing = (argument.into(), *listed);
            self.prompts_short.insert(m.seen.frame, missing);
        }
    }

    /// A prompt is given, and its request had lacked an argument.
    pub(super) fn prompt_given(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        if self.prompts_short.is_empty() {
            return;
        }
        let Some(slot) = self.slot(issuer, id) else { return };
        let request = slot.exchange.request.frame;
        let Some((argument, listed)) = self.prompts_short.remove(&request) else { return };
        let asks = Facts::is(m.facts.result_type(), "input_required");
        if let Some(slot) = self.slot(issuer, id).filter(|_| m.message.kind == Kind::Result && !asks) {
            let what = What::Unvalidated { exchange: &slot.exchange, listed, argument: &argument };
            self.emit(step, slot.exchange.profile, m.seen, Some(m.sender), what);
        }
    }
}
