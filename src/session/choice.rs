//! What a client chooses from what the agent has offered, and where it sends a prompt to (ACP).

use std::rc::Rc;

use super::detail::Offer;
use super::event::What;
use super::race::Judgement;
use super::state::{Choice, Conn, Incoming, Offering, Step, chosen, is_offered};
use crate::jsonrpc::Id;
use crate::protocol::{Facts, Side};

impl Conn {
    /// An answer or an update that offers something.
    pub(super) fn note_offers(&mut self, m: &Incoming<'_>, session: Option<Rc<str>>) {
        if m.sender != Side::Server {
            return;
        }
        let tells_session = m.message.kind.is_response() && m.facts.session_id().is_some();
        let by = Offering { seen: m.seen, tells_session };
        if let Some(raw) = m.facts.config_options() {
            self.offers.offer(by, Choice::Value, session.clone(), raw);
        }
        match m.facts.offered() {
            Some(raw) if raw.starts_with('[') => self.offers.offer(by, Choice::Login, None, raw),
            Some(raw) => self.offers.offer(by, Choice::Mode, session, raw),
            None => {}
        }
    }

    /// An answer that may offer something: a session that it names, or that its request named.
    pub(super) fn offers_in_answer(&mut self, m: &Incoming<'_>, issuer: Side, id: &Id) {
        if m.facts.offered().is_none() && m.facts.config_options().is_none() {
            return;
        }
        let named = Facts::text(m.facts.session_id()).map(|name| Rc::from(&*name));
        let session = named.or_else(|| self.slot(issuer, id).and_then(|slot| slot.topic.clone()));
        self.note_offers(m, session);
    }

    /// A request of the client that chooses something, of which the agent has offered others only.
    pub(super) fn choose(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, id: &Id) {
        let (choice, offer) = match m.message.method() {
            "authenticate" | "auth/login" => (Choice::Login, Offer::Login),
            "session/set_mode" => (Choice::Mode, Offer::Mode),
            "session/set_config_option" => (Choice::Value, Offer::Value),
            _ => return,
        };
        let Some(chosen) = chosen(m.facts).filter(|_| m.sender == Side::Client) else { return };
        let Some(slot) = self.slot(m.sender, id) else { return };
        let session = slot.topic.as_ref().filter(|_| choice != Choice::Login);
        let value = m.facts.config_value().and_then(|raw| Facts::text(Some(raw)));
        let terminal = self.offers.for_terminal(&chosen).filter(|_| choice == Choice::Login);
        let offer = if terminal.is_some() { Offer::Terminal } else { offer };
        let lacks = || self.offers.lacks(choice, session, &chosen, value.as_deref());
        let Some(by) = terminal.or_else(lacks) else { return };
        // Before the first offer has reached it, a client may choose what it knows of.
        let crossing = self.crossing(m, by.seen, by.tells_session && session.is_some());
        let Some(judgement) = self.tap(step.settings, &crossing).at_last(&crossing) else { return };
        let what = What::NotOffered { exchange: &slot.exchange, offer, chosen: &chosen, by: Some(by.seen), judgement };
        self.emit(step, m.profile, m.seen, Some(m.sender), what);
    }

    /// The answer to a permission request that selects an option which the request did not have.
    pub(super) fn select(&self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let Some(slot) = self.slot(issuer, id) else { return };
        let (Some(options), Some(chosen)) = (slot.options.as_deref(), chosen(m.facts)) else { return };
        if !is_offered(options, &chosen) {
            let (offer, judgement) = (Offer::Option, Judgement::EXACT);
            let what = What::NotOffered { exchange: &slot.exchange, offer, chosen: &chosen, by: None, judgement };
            self.emit(step, m.profile, m.seen, Some(m.sender), what);
        }
    }

    /// A prompt to a session that nothing before it has set up.
    pub(super) fn prompt_somewhere(&self, step: &mut Step<'_>, m: &Incoming<'_>, id: &Id) {
        let Some(slot) = self.slot(m.sender, id) else { return };
        if let Some(session) = slot.topic.as_ref().filter(|topic| !self.turns.contains_key(*topic)) {
            let what = What::NotSetUp { exchange: &slot.exchange, session };
            self.emit(step, m.profile, m.seen, Some(m.sender), what);
        }
    }
}
