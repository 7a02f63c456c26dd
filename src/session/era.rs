//! Where revisions with a handshake meet those without one: what the sides show of what they speak (MCP 2026-07-28).

use super::detail::EraFault;
use super::event::What;
use super::seen::Seen;
use super::state::{Conn, Incoming, Refusal, Step, index};
use crate::capture::Proof;
use crate::jsonrpc::{Id, Kind};
use crate::protocol::codes::METHOD_NOT_FOUND;
use crate::protocol::{Facts, Inquiry, Profile, Side, Versions, by_name, names_versions, peer_name};

/// How many refusals wait for a server to show its revision.
const WAITING: usize = 16;
/// How many versions of a client are remembered; of one with more nothing is said.
const SPOKEN: usize = 16;

impl Conn {
    /// A request of the client: of which revision is it, and was the server asked first what it speaks?
    pub(super) fn note_era(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        self.note_version(step, m);
        if m.sender != Side::Client || self.eras.unprobed {
            return;
        }
        let inquiry = Inquiry::of(m.message.method());
        let probed = *self.eras.probed.get_or_insert(inquiry == Some(Inquiry::Discovery));
        if inquiry == Some(Inquiry::Handshake) {
            self.eras.handshake.get_or_insert(m.seen);
        } else if m.facts.meta_revision().is_some() && m.profile.revision_per_request {
            self.eras.shown.stateless.get_or_insert((m.seen, m.profile));
        }
        let (Some(handshake), Some((stateless, profile))) = (self.eras.handshake, self.eras.shown.stateless) else {
            return;
        };
        self.eras.unprobed = true;
        // Several clients may speak different revisions.
        if !probed && self.facts.proof.covers(Proof::CLIENT) {
            let shown = if handshake.frame < stateless.frame { handshake } else { stateless };
            self.tell_era(step, profile, m, (EraFault::Unprobed, shown));
        }
    }

    /// The version that a client asks by: is it one of those that its server has listed when it refused another?
    fn note_version(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        let stated = m.facts.meta_revision().or(m.facts.revision()).filter(|_| m.sender == Side::Client);
        let Some(stated) = Facts::text(stated).filter(|_| !m.facts.taken_out) else { return };
        if self.eras.spoken.last().is_none_or(|last| **last != *stated) && self.eras.spoken.len() < SPOKEN {
            self.eras.spoken.reserve_exact(1);
            self.eras.spoken.push((&*stated).into());
        }
        let Some(refusal) = self.eras.shown.refusal.as_ref().filter(|refusal| !refusal.told) else { return };
        let full = self.eras.spoken.len() >= SPOKEN;
        // Several clients may speak different revisions.
        // A handshake settles the version by itself, whichever it begins with.
        let free = full || m.facts.meta_revision().is_none() || refusal.versions.lists(&stated);
        if free || !self.facts.proof.covers(Proof::CLIENT) {
            return;
        }
        let speaks = self.eras.spoken.iter().any(|spoken| refusal.versions.lists(spoken));
        let same = !speaks && refusal.versions.refused.as_deref().is_none_or(|refused| *refused == *stated);
        let (profile, seen) =
            (if refusal.profile.unknown_revision { m.profile } else { refusal.profile }, refusal.seen);
        let crossing = self.crossing(m, seen, false);
        let Some(judgement) = self.tap(step.settings, &crossing).at_last(&crossing) else { return };
        if let Some(refusal) = &mut self.eras.shown.refusal {
            refusal.told = true;
        }
        self.tell_era(step, profile, m, (EraFault::Unlisted { same, judgement }, seen));
    }

    /// A server refuses a version, and lists those that it speaks.
    fn version_refused(&mut self, m: &Incoming<'_>) {
        let Some(versions) = m.message.error.as_ref().and_then(|error| Versions::of_refusal(error)) else { return };
        let told = self.eras.shown.refusal.as_ref().is_some_and(|refusal| refusal.told);
        // The version that was refused may be one that nobody knows; what is refused so is refused by the rules of what is listed.
        let spoken = versions.listed.iter().filter_map(|listed| by_name(m.profile.name, Some(listed)));
        let profile = spoken.rev().find(|profile| profile.revision_per_request).unwrap_or(m.profile);
        self.eras.shown.refusal = Some(Refusal { seen: m.seen, profile, versions, told });
    }

    /// A side that has named itself goes on to do so.
    pub(super) fn note_name(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        let name = m.facts.says_of_itself(m.sender);
        if let Some(name) = name
            && self.facts.name(m.sender).is_none()
        {
            self.facts.introduce(m.sender, peer_name(name));
        }
        let own = match (m.message.kind, m.sender) {
            (Kind::Request, Side::Client) => {
                m.facts.meta_revision().is_some() && self.facts.proof.covers(Proof::CLIENT)
            }
            (Kind::Result, Side::Server) => m.facts.result_type().is_some(),
            _ => false,
        };
        let at = index(m.sender);
        if !own || self.eras.shown.nameless[at] {
            return;
        }
        match self.eras.shown.named[at] {
            _ if name.is_some() => drop(self.eras.shown.named[at].get_or_insert(m.seen)),
            Some(shown) => {
                self.eras.shown.nameless[at] = true;
                self.tell_era(step, m.profile, m, (EraFault::Nameless, shown));
            }
            None => {}
        }
    }

    /// An answer to the client: it shows the revision of the server, or refuses what a server of this revision must know.
    pub(super) fn answer_of_era(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        if issuer != Side::Client {
            return;
        }
        self.version_refused(m);
        if m.message.kind == Kind::Error && m.message.error_code() == Some(METHOD_NOT_FOUND) {
            self.refused_of_era(step, m, id);
        } else if m.profile.revision_per_request && m.message.kind == Kind::Result && m.facts.result_type().is_some() {
            self.eras.shown.modern.get_or_insert((m.seen, m.profile));
            for (exchange, refusal, fault) in std::mem::take(&mut self.eras.shown.refused) {
                let what = What::Era { exchange: Some(&exchange), fault, shown: m.seen };
                self.emit(step, m.profile, refusal, Some(m.sender), what);
            }
        }
    }

    /// True while only the requests of a client say which revision is spoken: its server may be of an earlier one, and refuse it so.
    pub(super) fn revision_unshown(&self, m: &Incoming<'_>) -> bool {
        let shown = &self.eras.shown;
        let server = m.sender == Side::Server && m.profile.revision_per_request && !self.profile_stated;
        server && shown.modern.is_none() && shown.refusal.is_none()
    }

    fn refused_of_era(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, id: &Id) {
        let Some(exchange) = self.slot(Side::Client, id).map(|slot| &slot.exchange) else { return };
        let named = m.message.error.as_ref().is_some_and(|error| names_versions(error));
        let fault = match Inquiry::of(&exchange.method) {
            Some(Inquiry::Discovery) => EraFault::Undiscovered,
            Some(Inquiry::Handshake) if !named => EraFault::Unnamed,
            _ => return,
        };
        let exchange = Box::new(exchange.clone());
        match self.eras.shown.modern {
            Some((shown, profile)) => {
                let what = What::Era { exchange: Some(&exchange), fault, shown };
                self.emit(step, profile, m.seen, Some(m.sender), what);
            }
            None if self.eras.shown.refused.len() < WAITING => self.eras.shown.refused.push((exchange, m.seen, fault)),
            None => {}
        }
    }

    fn tell_era(
        &self,
        step: &mut Step<'_>,
        profile: &'static Profile,
        m: &Incoming<'_>,
        (fault, shown): (EraFault, Seen),
    ) {
        self.emit(step, profile, m.seen, Some(m.sender), What::Era { exchange: None, fault, shown });
    }
}
