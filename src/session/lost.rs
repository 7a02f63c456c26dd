//! Messages that name a request which the log does not have. A request that both sides name, each by itself, was sent, whatever its id
//! looks like: the log has lost it, and may have lost more. One that only one side names may be made up.

use super::race::Judgement;
use super::seen::Seen;
use super::state::{Conn, Incoming, Naming, Step};
use crate::jsonrpc::{Id, Kind};
use crate::protocol::Side;
use crate::protocol::codes::tells_of_a_request;

impl Conn {
    /// Notes an id that was answered or cancelled, and that no request of this side had so far.
    pub(super) fn miss(&mut self, step: &Step<'_>, issuer: Side, id: &Id, seen: Seen, naming: Naming) {
        let explained = self.is_explained(step, issuer, seen);
        self.name(step, issuer, id, seen, naming);
        self.side_mut(issuer).miss(id, explained);
    }

    /// Notes that a message names a request of this side that the log does not have.
    pub(super) fn name(&mut self, step: &Step<'_>, issuer: Side, id: &Id, seen: Seen, naming: Naming) {
        if !self.is_explained(step, issuer, seen) {
            self.side_mut(issuer).named.note(id, naming);
        }
    }

    /// True where the log is known to miss something before a message: that explains why it names what is not there, and shows nothing of
    /// the rest.
    fn is_explained(&self, step: &Step<'_>, issuer: Side, seen: Seen) -> bool {
        self.surely_new(step, issuer, seen) != Judgement::EXACT
    }

    /// How an answer names its request. An error may object to a cancel that has come before it: no such request. A result does not, nor
    /// an error that says that its request was cancelled, or what else became of it.
    pub(super) fn named_in_answer(&self, m: &Incoming<'_>) -> Naming {
        let tells = m.message.says_cancelled() || m.message.error_code().is_some_and(tells_of_a_request);
        match m.message.kind {
            Kind::Error if tells => Naming::UNPROMPTED,
            Kind::Error if self.ordered() => Naming::Reply(m.seen.frame),
            Kind::Error => Naming::PROMPTED,
            _ => Naming::UNPROMPTED,
        }
    }
}
