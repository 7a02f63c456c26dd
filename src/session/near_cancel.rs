//! Cancels that are none of a request, and may have led to its end all the same: of its id in the other JSON type, of progress that may
//! be its own.

use super::detail::NearCancel;
use super::state::{Conn, Slot};
use crate::jsonrpc::Id;
use crate::protocol::Side;
use crate::session::seen::Seen;

/// How many requests are remembered of which a cancel spelled the id in the other type.
const REMEMBERED: usize = 4_096;

impl Conn {
    /// A cancel that spells the id of a request in the other JSON type.
    pub(super) fn note_twin_cancel(&mut self, issuer: Side, twin: &Id, cancel: Seen) {
        let Some(request) = self.slot(issuer, twin).map(|slot| slot.exchange.request.frame) else { return };
        if self.near_cancels.requests.len() < REMEMBERED {
            self.near_cancels.requests.entry(request).or_insert(NearCancel::OtherType(cancel));
        }
    }

    /// A cancel of progress. Where a request gave the token it is of that one; which one it serves else is not in the log, but none that
    /// was sent after the token was created.
    pub(super) fn note_progress_cancel(&mut self, sender: Side, token: &Id, cancel: Seen) {
        if sender != Side::Client {
            return;
        }
        if let Some(owner) = self.token_owner(sender, token) {
            let owner = self.slot(sender, &owner).map(|slot| slot.exchange.request.frame);
            let room = self.near_cancels.requests.len() < REMEMBERED;
            if let Some(request) = owner.filter(|_| room) {
                self.near_cancels.requests.entry(request).or_insert(NearCancel::Progress(cancel));
            }
            return;
        }
        let created = self.created_tokens.get(token).map_or(cancel.frame, |created| created.request.frame);
        if self.near_cancels.progress.is_none_or(|(before, _)| before < created) {
            self.near_cancels.progress = Some((created, cancel));
        }
    }

    /// The cancel that may have led to the end of a request which was not cancelled itself.
    pub(super) fn near_cancel(&self, slot: &Slot) -> Option<NearCancel> {
        let exchange = &slot.exchange;
        let own = self.near_cancels.requests.get(&exchange.request.frame).copied();
        let of_progress = self.near_cancels.progress.filter(|(created, _)| *created > exchange.request.frame);
        let of_progress = of_progress.filter(|_| exchange.issuer == Side::Client);
        own.or(of_progress.map(|(_, cancel)| NearCancel::Progress(cancel)))
    }
}
