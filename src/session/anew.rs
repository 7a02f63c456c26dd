//! A second handshake: a mistake of its client, or the first one of a server that was started anew. Where the log does not keep
//! connections apart, the answer may tell.

use super::event::What;
use super::race::{Basis, Judgement};
use super::seen::Seen;
use super::state::{Anew, Conn, Incoming, Step};
use crate::capture::Proof;
use crate::jsonrpc::{Id, IdField, Kind, Ordinal};
use crate::protocol::{Side, says_initialized};

/// Why a second handshake proves nothing.
const ANEW: &str = "a server that was started anew is asked like this, too";

impl Conn {
    /// A handshake is asked for. An attempt after a refusal is no second one, and after `shutdown` it is more than that.
    pub(super) fn asked_anew(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        let asked = m.message.kind == Kind::Request && m.profile.opening.initialize == m.message.method.as_deref();
        let life = &self.facts.lifecycle;
        let before = life.initialize.filter(|_| !life.initialize_failed && life.shutdown.is_none());
        let Some(first) = before.filter(|_| asked && m.sender == Side::Client) else { return };
        let anew = Anew {
            seen: m.seen,
            first,
            answered: life.initialize_answer,
            profile: m.profile,
            counts_on: self.counts_on(&m.message.id),
        };
        self.release_anew(step);
        if self.facts.separated {
            return self.tell_anew(step, &anew, None, Judgement::EXACT);
        }
        // What comes may be another server, or another client: how quick they are says nothing of what was before.
        self.judge_waiting(step);
        self.anew = Some(Box::new(anew));
    }

    /// True for the id with which the client's own count goes on.
    fn counts_on(&self, id: &IdField) -> bool {
        let own = self.facts.proof.covers(Proof::ENVELOPE);
        matches!(id, IdField::Value(id) if own && self.side(Side::Client).count.goes_on_with(Ordinal::of(id)))
    }

    /// The answer to it. A server that was started anew does not say that it had its handshake; one that lives on may say so to
    /// another client, which begins to count.
    pub(super) fn anew_answered(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let Some(held) = &self.anew else { return };
        let (seen, counts_on) = (held.seen, held.counts_on);
        let own = issuer == Side::Client && self.slot(issuer, id).is_some_and(|slot| slot.exchange.request == seen);
        let refused = own && counts_on && m.message.error.as_ref().is_some_and(|error| says_initialized(error));
        if !refused {
            return if own {
                self.release_anew(step)
            };
        }
        if let Some(anew) = self.anew.take() {
            self.facts.missing.withdraw_guess(seen.frame);
            let judgement = Judgement { basis: Some(Basis::Content), ..Judgement::EXACT };
            self.tell_anew(step, &anew, Some(m.seen), judgement);
        }
    }

    /// Tells of one of which nothing says whom it was for.
    pub(super) fn release_anew(&mut self, step: &mut Step<'_>) {
        if let Some(anew) = self.anew.take() {
            self.tell_anew(step, &anew, None, Judgement::undecidable(ANEW));
        }
    }

    fn tell_anew(&self, step: &mut Step<'_>, anew: &Anew, refusal: Option<Seen>, judgement: Judgement) {
        let what = What::AskedAnew { first: anew.first, answered: anew.answered, refusal, judgement };
        self.emit(step, anew.profile, anew.seen, Some(Side::Client), what);
    }
}
