//! What one side has issued.

use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::named::Named;
use super::rare::Rare;
use super::slot::Slot;
use super::suspect::Suspect;
use crate::jsonrpc::{Id, IdCount, Ordinal};
use crate::session::race::Witness;
use crate::session::seen::{FrameId, Seen};

/// How many ids without a request are remembered.
const UNASKED: usize = 64;

/// How many methods that were answered are remembered; a log with more is no log of one side's silence.
const METHODS: usize = 1024;

/// The shortest id that may be made at random, in bytes.
const RANDOM: usize = 8;

/// Requests issued by one side.
#[derive(Default)]
pub(in crate::session) struct Issued {
    /// Newest instance of each id: in flight, or settled and still remembered.
    pub(in crate::session) live: FxHashMap<Id, Box<Slot>>,
    /// Progress tokens to ids, where the two differ.
    pub(in crate::session) tokens: Rare<FxHashMap<Id, Id>>,
    /// Calls in flight by method and parameters.
    pub(in crate::session) calls: FxHashMap<u64, Seen>,
    /// Cancels that found no request; one that follows soon is a hint.
    pub(in crate::session) early_cancels: Rare<Vec<Suspect>>,
    /// True once something was dropped behind the window.
    pub(in crate::session) evicted: bool,
    /// When the first message with a time came, in microseconds since the epoch.
    pub(in crate::session) heard_first_us: Option<i64>,
    /// The last notification.
    pub(in crate::session) notified: Option<Seen>,
    /// True once something came whose answer would have no id: a request without a usable one, or bytes that are no message.
    pub(in crate::session) nameless: bool,
    /// True once an id was used again before its request was answered.
    pub(in crate::session) superseded: bool,
    /// The tokens that requests gave whose ids were used again so, and those that others gave while they were in flight.
    pub(in crate::session) lost_tokens: Rare<FxHashSet<Id>>,
    /// What its ids tell.
    pub(in crate::session) count: IdCount,
    /// Ids that were answered or cancelled, and that no request had.
    pub(in crate::session) unasked: Rare<Vec<Ordinal>>,
    /// True once an id was answered or cancelled that no request had, whatever id.
    pub(in crate::session) missed: bool,
    /// Requests that the log does not have and messages name, though nothing before them is known to be missing.
    pub(in crate::session) named: Rare<Named>,
    /// True once an id came that may have been used before by a request that was dropped.
    pub(in crate::session) unsure: bool,
    /// Later requests whose reuse of an id was reported in the pass.
    pub(in crate::session) reused: Rare<Vec<FrameId>>,
    /// Methods of this side's requests that were answered.
    pub(in crate::session) heard: FxHashSet<Rc<str>>,
    /// True once one of its requests was answered with an error.
    pub(in crate::session) refused: bool,
    /// Answers that this side has sent.
    pub(in crate::session) answers: u64,
    /// How many answers to this side had no id, and the last of them.
    pub(in crate::session) untold: (u64, FrameId),
    /// Messages of this side without `jsonrpc`.
    pub(in crate::session) versions_missing: u32,
    /// Newest request of the *other* side that this side has answered: proof of what it had received.
    pub(in crate::session) acknowledged: Option<Witness>,
    /// The last answer that this side needed for its work, where nothing tells for which.
    pub(in crate::session) awaited: Option<Seen>,
    /// True once this side has acknowledged a cancel.
    pub(in crate::session) supports_cancel: bool,
    /// Requests sent towards this side since its last answer.
    pub(in crate::session) waiting: Option<(Seen, u32)>,
}

impl Issued {
    /// Drops a request that is remembered no longer, unless another one has its id by now.
    pub(in crate::session) fn forget(&mut self, id: Id, request: FrameId) -> Option<Box<Slot>> {
        let Entry::Occupied(entry) = self.live.entry(id) else { return None };
        if entry.get().exchange.request.frame != request {
            return None;
        }
        let slot = entry.remove();
        self.evicted = true;
        Some(slot)
    }

    /// Notes that a request is known no longer whose id was used again before it was answered.
    #[cold]
    pub(in crate::session) fn supersede(&mut self, old: &Slot) {
        self.superseded = true;
        if self.lost_tokens.len() < UNASKED {
            let given = old.exchange.progress_token.iter().chain(old.partial_token.as_deref());
            self.lost_tokens.extend(given.cloned());
        }
    }

    /// Notes that another request gives the token of one that is in flight: progress may be about either.
    #[cold]
    pub(in crate::session) fn take_over(&mut self, token: &Id) {
        if self.lost_tokens.len() < UNASKED {
            self.lost_tokens.insert(token.clone());
        }
    }

    /// True for a token that such a request may have given.
    pub(in crate::session) fn may_have_lost(&self, token: &Id) -> bool {
        self.lost_tokens.len() >= UNASKED || self.lost_tokens.contains(token)
    }

    /// Gives back the room that its maps do not need: most of many connections have nothing in flight. Calls come and go one by
    /// one; their room is kept while anything is remembered.
    pub(in crate::session) fn give_back(&mut self) {
        give_back(&mut self.live);
        self.tokens.held().into_iter().for_each(give_back);
        if self.live.is_empty() {
            give_back(&mut self.calls);
        }
    }

    /// Notes that a token is no other request's any more.
    pub(in crate::session) fn free_token(&mut self, token: &Id) {
        if let Some(tokens) = self.tokens.held() {
            tokens.remove(token);
        }
    }

    /// Notes that a request with this method was answered.
    pub(in crate::session) fn hear(&mut self, method: Rc<str>, is_error: bool) {
        self.refused |= is_error;
        if self.heard.len() < METHODS {
            self.heard.insert(method);
        }
    }

    /// Notes a new id. Most issuers count up; then no id has to be looked up among the requests that were dropped.
    pub(in crate::session) fn count_up(&mut self, id: &Id) {
        let rank = Ordinal::of(id);
        if let Some(unasked) = self.unasked.held() {
            unasked.retain(|unasked| *unasked != rank);
        }
        self.unsure |= !self.count.up(rank) && self.evicted;
    }

    /// Notes an id that was answered or cancelled, and that no request had so far. Where it is `explained` by what the log misses before
    /// it, only a count that has passed it tells more.
    pub(in crate::session) fn miss(&mut self, id: &Id, explained: bool) {
        self.missed = true;
        let rank = Ordinal::of(id);
        let tells = !explained || self.count.is_of(rank);
        if tells && self.unasked.len() < UNASKED && !self.unasked.contains(&rank) {
            self.unasked.push(rank);
        }
    }

    /// True where this side must have sent requests that the log does not have: see [`IdCount::lacks_requests`].
    pub(in crate::session) fn lacks_requests(&self) -> bool {
        self.count.lacks_requests(&self.unasked)
    }

    /// The same of those with which it must have begun.
    pub(in crate::session) fn lacks_first(&self) -> bool {
        self.count.lacks_first(&self.unasked)
    }

    /// True where the other side names a request that is not there by an id like those that this side makes at random.
    pub(in crate::session) fn lost_random_id(&self) -> bool {
        self.named.ids_by_peer().any(|id| !self.count.is_of(Ordinal::of(id)) && is_like(id, self.live.keys()))
    }

    /// True where nothing that this side sent is in the log, and the other side answers it all the same.
    pub(in crate::session) fn is_unlogged(&self) -> bool {
        let silent = self.live.is_empty() && !self.evicted && self.notified.is_none() && !self.nameless;
        silent && self.answers == 0 && self.missed
    }
}

/// True for a text as long as one of these ids, and long enough to be made at random.
fn is_like<'i>(id: &Id, mut others: impl Iterator<Item = &'i Id>) -> bool {
    let Id::Text(text) = id else { return false };
    text.len() >= RANDOM && others.any(|other| matches!(other, Id::Text(other) if other.len() == text.len()))
}

/// Gives back the room of a map that is empty, or nearly so.
fn give_back<K: Eq + Hash, V>(map: &mut FxHashMap<K, V>) {
    const SMALL: usize = 16;
    if map.is_empty() || map.capacity() > SMALL && map.len() < map.capacity() / 8 {
        map.shrink_to(map.len() * 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_gives_its_room_back_when_it_is_nearly_empty() {
        let after = |held: i64, left: i64| {
            let mut map: FxHashMap<Id, ()> = (0..held).map(|id| (Id::Int(id), ())).collect();
            map.retain(|id, ()| matches!(id, Id::Int(id) if *id < left));
            let before = map.capacity();
            give_back(&mut map);
            (map.capacity() < before, map.len() as i64 == left)
        };
        assert_eq!(after(2_000, 10), (true, true));
        assert_eq!(after(2_000, 1_900), (false, true), "it is in use");
        assert_eq!(after(8, 1), (false, true), "a small one costs nothing");
        assert_eq!(after(8, 0), (true, true), "one that is empty costs nothing at all");
    }

    #[test]
    fn who_is_answered_and_is_not_in_the_log_has_asked() {
        let mut unseen = Issued::default();
        unseen.miss(&Id::Text("a".into()), true);
        assert!(unseen.is_unlogged());
        unseen.answers = 1;
        assert!(!unseen.is_unlogged(), "who is in the log, and did not ask");
    }

    #[test]
    fn ids_that_are_made_at_random_are_as_long_as_each_other() {
        let like =
            |id: &str, other: &str| is_like(&Id::Text(id.into()), [&Id::Int(1), &Id::Text(other.into())].into_iter());
        assert!(like("53560663-dd09", "4dad2986-ce83"));
        assert!(!like("53560663", "4dad2986-ce83") && !like("5c", "a1"), "another length, or too short");
        assert!(!is_like(&Id::Int(12345678), [&Id::Int(87654321)].into_iter()), "a number is counted");
    }

    #[test]
    fn an_id_that_is_used_behind_its_answer_is_not_missing() {
        let mut issued = Issued::default();
        [1, 9].iter().for_each(|id| issued.count_up(&Id::Int(*id)));
        [5, 6].iter().for_each(|id| issued.miss(&Id::Int(*id), true));
        assert!(issued.lacks_requests());
        issued.count_up(&Id::Int(5));
        assert!(!issued.lacks_requests());
    }

    #[test]
    fn only_ids_that_do_not_count_up_have_to_be_looked_up() {
        let unsure = |evicted: bool, ids: [i64; 2]| {
            let mut issued = Issued { evicted, ..Issued::default() };
            ids.iter().for_each(|id| issued.count_up(&Id::Int(*id)));
            issued.unsure
        };
        assert_eq!([unsure(true, [2, 1]), unsure(true, [1, 2]), unsure(false, [2, 1])], [true, false, false]);
    }

    #[test]
    fn tokens_of_requests_whose_ids_were_used_again_are_remembered() {
        let token = |number: i64| Id::Int(number);
        let mut issued = Issued::default();
        assert!(!issued.may_have_lost(&token(1)));
        issued.lost_tokens.insert(token(1));
        assert_eq!([1, 2].map(|number| issued.may_have_lost(&token(number))), [true, false]);
        issued.lost_tokens.extend((0..UNASKED as i64).map(token));
        assert!(issued.may_have_lost(&Id::Text("x".into())), "of more than are remembered it may be one");
    }
}
