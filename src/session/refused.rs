//! POSTs that were refused: what they carried has come to nobody. The head of the response decides that, and not the end of its stream: a
//! client reads the status, and asks again while the body is still open.

use super::http_stream::HttpStream;
use super::race::Judgement;
use super::seen::FrameId;
use super::state::{Conn, Incoming, Post, Slot, Step};
use crate::jsonrpc::Id;
use crate::protocol::Side;
use crate::protocol::http::refuses;

/// Why a message proves nothing of who was to have it.
const NOT_TAKEN: &str = "its POST was refused, so nothing shows that it was taken";
/// The same.
const DIED: &str = "its POST ended without a status, so nothing shows that it ever came";
/// The status of a POST that was taken, and whose answers come elsewhere, if any.
pub(super) const TAKEN: u16 = 202;

impl Conn {
    /// The POST of a request, or of an array of them, was refused: no answer is due, and nothing is in flight.
    #[cold]
    pub(super) fn post_refused(&mut self, step: &mut Step<'_>, stream: u32) {
        let focus = self.focus(Some(stream), None);
        for id in self.asked_on(stream) {
            self.refuse(stream, &id);
        }
        self.unfocus(step, focus);
    }

    /// The requests that a POST carried.
    fn asked_on(&self, stream: u32) -> Vec<Id> {
        let Some(opener) = self.opener(Some(stream)) else { return Vec::new() };
        if self.slot(opener.issuer, &opener.id).is_none_or(|own| own.exchange.batch.is_none()) {
            return vec![opener.id.clone()];
        }
        let all = self.side(opener.issuer).live.values().map(|slot| &slot.exchange);
        all.filter(|exchange| exchange.stream == Some(stream)).map(|exchange| exchange.id.clone()).collect()
    }

    fn refuse(&mut self, stream: u32, id: &Id) {
        let own = |slot: &&mut Slot| slot.exchange.stream == Some(stream) && slot.exchange.in_flight();
        let Some(slot) = self.slot_mut(Side::Client, id).filter(own) else { return };
        slot.post = Post::Refused;
        if let Some(call) = slot.call {
            self.side_mut(Side::Client).calls.remove(&call);
        }
        self.forgive_waiting(Side::Server);
    }

    /// Why a notification or an answer of the client may never have come to the server: its POST was refused, or is over and has no status,
    /// in a log that shows those of others.
    #[cold]
    pub(super) fn untaken(&self, told: FrameId) -> Option<&'static str> {
        self.never_came(self.http.streams.values().find(|stream| stream.told == Some(told))?)
    }

    fn never_came(&self, post: &HttpStream) -> Option<&'static str> {
        let shows_others = || self.http.streams.values().any(|other| other.response.is_some());
        match post.status() {
            Some(status) => refuses(status).then_some(NOT_TAKEN),
            None => (post.closed && shows_others()).then_some(DIED),
        }
    }

    /// How sure it is that an answer of the client, which it posts again, had come before; `None` where it had not.
    #[cold]
    pub(super) fn answered_before(&self, m: &Incoming<'_>, answered_on: Option<u32>) -> Option<Judgement> {
        let post = answered_on.filter(|_| m.sender == Side::Client && answered_on != m.stream);
        match post.and_then(|post| self.never_came(self.http.streams.get(&post)?)) {
            Some(NOT_TAKEN) => None,
            why => Some(why.map_or(Judgement::EXACT, Judgement::undecidable)),
        }
    }
}
