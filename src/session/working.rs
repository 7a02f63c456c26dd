//! Signs that the receiver of a request is at work on it, beside its progress: what it asks for it, and what it sends on its stream.
//!
//! Who hangs up on a request that was visibly in work shortly before cannot know whether it would have been answered.

use super::seen::Seen;
use super::state::{Conn, Handle, Incoming, Slot};
use crate::protocol::{Method, Role, Side};

impl Conn {
    /// A request serves another one. Pings keep a stream open, and are no work.
    pub(super) fn note_nested(&mut self, parent: &Handle, method: &str, seen: Seen) {
        if method != "ping"
            && let Some(slot) = self.known_mut(parent)
        {
            slot.worked = Some(Box::new(seen));
        }
    }

    /// A notification comes on the stream of a request.
    pub(super) fn note_on_stream(&mut self, m: &Incoming<'_>) {
        if m.stream.is_some()
            && let Some(parent) = self.stream_parent(m)
        {
            self.note_nested(&parent, m.message.method(), m.seen);
        }
    }

    /// A request is answered: what its issuer works on could not go on before.
    pub(super) fn note_awaited(
        &mut self,
        issuer: Side,
        parent: Option<Box<Handle>>,
        method: &str,
        known: Option<&'static Method>,
        answer: Seen,
    ) {
        match parent {
            Some(parent) => self.note_nested(&parent, method, answer),
            None if known.is_some_and(|known| known.asks_person || known.feeds_work) => {
                self.side_mut(issuer).awaited = Some(answer);
            }
            None => {}
        }
    }

    /// When the receiver of a request was last seen at work on it, or what it may have waited for was given; `since` where neither was.
    pub(super) fn last_work(&self, slot: &Slot, since: Seen) -> Seen {
        let awaited = self.side(slot.exchange.issuer.peer()).awaited;
        let signs = slot.sign_of_work().into_iter().chain(self.work_of_turn(slot)).chain(awaited);
        signs.chain([since]).max_by_key(|seen| seen.frame).unwrap_or(since)
    }

    /// Work on the newest prompt of the session: updates name no prompt, and may be of an older one that is not answered either.
    fn work_of_turn(&self, slot: &Slot) -> Option<Seen> {
        let topic = slot.topic.as_ref().filter(|_| slot.role == Role::Prompt)?;
        self.known(self.turns.get(topic)?.prompts.last()?)?.sign_of_work()
    }
}
