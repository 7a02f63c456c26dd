//! What one side has issued.

use std::collections::hash_map::Entry;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::rare::Rare;
use super::slot::Slot;
use super::suspect::Suspect;
use crate::jsonrpc::Id;
use crate::session::race::Witness;
use crate::session::seen::{FrameId, Seen};

/// How many ids without a request are remembered.
const UNASKED: usize = 64;

/// How many methods that were answered are remembered; a log with more is no log of one side's silence.
const METHODS: usize = 1024;

/// How many requests make a count.
const STEADY: i64 = 3;

/// Requests issued by one side.
#[derive(Default)]
pub(in crate::session) struct Issued {
    /// Newest instance of each id: in flight, or settled and still remembered.
    pub(in crate::session) live: FxHashMap<Id, Box<Slot>>,
    /// Progress tokens to ids, where the two differ.
    pub(in crate::session) tokens: FxHashMap<Id, Id>,
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
    /// The tokens that requests gave whose ids were used again so.
    pub(in crate::session) lost_tokens: Rare<FxHashSet<Id>>,
    /// The highest id so far, where ids count up: a higher one cannot have been used before.
    pub(in crate::session) highest: Option<(u64, i64)>,
    /// The first id, where it is a number in a series.
    pub(in crate::session) first: Option<(u64, i64)>,
    /// True once the count has begun anew behind its first id, in another series.
    pub(in crate::session) begun_anew: bool,
    /// How many ids have raised the highest.
    pub(in crate::session) counted: i64,
    /// Ids of this series that were answered or cancelled, and that no request had.
    pub(in crate::session) unasked: Rare<Vec<i64>>,
    /// True once an id was answered or cancelled that no request had, whatever id.
    pub(in crate::session) missed: bool,
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

    /// True for a token that such a request may have given.
    pub(in crate::session) fn may_have_lost(&self, token: &Id) -> bool {
        self.lost_tokens.len() >= UNASKED || self.lost_tokens.contains(token)
    }

    /// Gives back the room that its maps do not need: most of many connections have nothing in flight. Calls come and go one by
    /// one; their room is kept while anything is remembered.
    pub(in crate::session) fn give_back(&mut self) {
        give_back(&mut self.live);
        give_back(&mut self.tokens);
        if self.live.is_empty() {
            give_back(&mut self.calls);
        }
    }

    /// Notes a new id. Most issuers count up; then no id has to be looked up among the requests that were dropped.
    pub(in crate::session) fn count_up(&mut self, id: &Id) {
        if self.highest.is_none() {
            self.first = rank(id);
        }
        let (Some(now), before) = (rank(id), self.highest) else {
            self.unsure |= self.evicted;
            return;
        };
        match before {
            Some((series, highest)) if series == now.0 && now.1 <= highest => self.unsure |= self.evicted,
            // The handshake may have an id of its own kind.
            Some((series, _)) if series != now.0 && self.counted == 1 && !self.begun_anew => {
                self.begun_anew = true;
                self.unsure |= self.evicted;
                self.unasked.take_all();
                (self.first, self.highest) = (Some(now), Some(now));
            }
            Some((series, _)) if series != now.0 => self.unsure |= self.evicted,
            _ => {
                self.highest = Some(now);
                self.counted += 1;
            }
        }
        if let Some(unasked) = self.unasked.held() {
            unasked.retain(|unasked| *unasked != now.1);
        }
    }

    /// Notes that a request with this method was answered.
    pub(in crate::session) fn hear(&mut self, method: Rc<str>, is_error: bool) {
        self.refused |= is_error;
        if self.heard.len() < METHODS {
            self.heard.insert(method);
        }
    }

    /// Notes an id that was answered or cancelled, and that no request had so far.
    pub(in crate::session) fn miss(&mut self, id: &Id) {
        self.missed = true;
        if let Some((series, number)) = rank(id)
            && self.highest.is_none_or(|(own, _)| own == series)
            && self.unasked.len() < UNASKED
            && !self.unasked.contains(&number)
        {
            self.unasked.push(number);
        }
    }

    /// True where this side counts its requests, and some that it must have counted are missing although they were answered
    /// or cancelled: either more than one is missing that way, or most of the count is there, or it is all there but for the one, or a
    /// third is and others are missing, too. Those that the count would go on with are missing where no other request can have been meant.
    pub(in crate::session) fn lacks_requests(&self) -> bool {
        let (Some((_, first)), Some((_, last))) = (self.first, self.highest) else {
            // Who answers again and again what nobody asked was asked all the same.
            return self.live.is_empty() && self.unasked.len() as i64 >= STEADY;
        };
        let within = self.unasked.iter().filter(|number| (first..last).contains(number)).count();
        let behind = (last.saturating_add(1)..).take_while(|number| self.unasked.contains(number)).count();
        let waits = |slot: &Slot| slot.exchange.in_flight() && slot.exchange.cancels.is_empty();
        let none_behind = self.live.values().any(|slot| waits(slot));
        let missing = within + if none_behind { 0 } else { behind };
        let all_but_it = within == 1 && self.counted > 1 && self.left_out() == 1;
        // Most servers ask once or twice in a session: their count is as good from its beginning on.
        let begun = within == 0 && (0..2).contains(&first) && self.left_out() == 0;
        missing > 1 || missing == 1 && (self.counts() || all_but_it || begun || within == 1 && self.is_thinned())
    }

    /// True where nothing that this side sent is in the log, and the other side answers it all the same.
    pub(in crate::session) fn is_unlogged(&self) -> bool {
        let silent = self.live.is_empty() && !self.evicted && self.notified.is_none() && !self.nameless;
        silent && self.answers == 0 && self.missed
    }

    /// True where the request with which this side must have begun to count is missing: it was answered, and nothing else in vain.
    pub(in crate::session) fn lacks_first(&self) -> bool {
        let first = self.first.map(|(_, first)| first);
        matches!(self.unasked[..], [number @ (0 | 1)] if first.is_none_or(|first| first == number + 1))
    }

    /// True where ids are left out of a count, and most of it is there.
    pub(in crate::session) fn skips_ids(&self) -> bool {
        self.counts() && self.left_out() > 1
    }

    /// True if most of the ids from the first to the highest were used.
    fn counts(&self) -> bool {
        self.counted >= STEADY && self.counted > self.left_out()
    }

    /// True if a third and more of these ids were used, and several were not.
    fn is_thinned(&self) -> bool {
        self.counted >= STEADY && (2..=2 * self.counted).contains(&self.left_out())
    }

    fn left_out(&self) -> i64 {
        let (Some((_, first)), Some((_, last))) = (self.first, self.highest) else { return 0 };
        last.saturating_sub(first).saturating_add(1).saturating_sub(self.counted)
    }

    /// True if ids that count up had passed this one before the first one that was seen, and that is no beginning: who
    /// begins to count does so with 0 or 1.
    pub(in crate::session) fn counts_before(&self, id: &Id) -> bool {
        let (Some((series, first)), Some(now)) = (self.first, rank(id)) else { return false };
        series == now.0 && first > 1 && (0..first).contains(&now.1)
    }

    /// True for the next id of a count that goes on. With 0 or 1 one begins.
    pub(in crate::session) fn counts_on_with(&self, id: &Id) -> bool {
        rank(id).is_some_and(|(series, now)| now > 1 && self.highest == Some((series, now - 1)))
    }

    /// True for an id that was first used in the log: ids count up there, and began below it.
    pub(in crate::session) fn counted_in(&self, id: &Id) -> bool {
        let (Some((series, first)), Some(now)) = (self.first, rank(id)) else { return false };
        self.counts() && series == now.0 && now.1 > first
    }
}

/// Gives back the room of a map that is empty, or nearly so.
fn give_back<K: Eq + Hash, V>(map: &mut FxHashMap<K, V>) {
    const SMALL: usize = 16;
    if map.is_empty() || map.capacity() > SMALL && map.len() < map.capacity() / 8 {
        map.shrink_to(map.len() * 2);
    }
}

/// An id as a number in a series: `7`, or `7` of `req-` for `"req-7"`.
fn rank(id: &Id) -> Option<(u64, i64)> {
    match id {
        Id::Int(number) => Some((0, *number)),
        Id::Number(_) => None,
        Id::Text(text) => {
            let digits = text.bytes().rev().take_while(u8::is_ascii_digit).count();
            let (prefix, number) = text.split_at(text.len() - digits);
            // `req-07` and `req-7` are two ids with one number: what is filled up with zeros is a series of its own.
            let width = if digits > 1 && number.starts_with('0') { digits } else { 1 };
            let number = number.parse().ok()?;
            let mut hasher = rustc_hash::FxHasher::default();
            hasher.write(prefix.as_bytes());
            hasher.write_usize(width);
            Some((hasher.finish(), number))
        }
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
    fn ids_that_a_count_leaves_out_are_missing() {
        let lacks = |ids: &[i64], unasked: &[i64]| {
            let mut issued = Issued::default();
            ids.iter().for_each(|id| issued.count_up(&Id::Int(*id)));
            unasked.iter().for_each(|id| issued.miss(&Id::Int(*id)));
            issued.lacks_requests()
        };
        let steady: Vec<i64> = (1..=STEADY).collect();
        assert!(!lacks(&steady, &[]) && !lacks(&[], &[5, 6]));
        assert!(lacks(&[], &[5, 6, 7]), "one answer may be a slip, three are none");
        let mut unseen = Issued::default();
        unseen.miss(&Id::Text("a".into()));
        assert!(unseen.is_unlogged(), "who is answered has asked");
        unseen.answers = 1;
        assert!(!unseen.is_unlogged(), "who is in the log, and did not ask");
        assert!(lacks(&steady, &[STEADY + 1]), "the next one");
        assert!(!lacks(&steady, &[STEADY + 2]), "a number that the count does not go on with");
        assert!(!lacks(&[1, 9], &[5]) && lacks(&[1, 9], &[5, 6]), "one number may be a slip");
        assert!(lacks(&[0, 2], &[1]) && !lacks(&[0, 2], &[4]), "all but the one between them");
        assert!(!lacks(&[1, 9], &[9]) && !lacks(&[5, 9], &[3, 4]), "those were asked, or before the count");
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

    #[test]
    fn ids_that_count_up_need_not_be_looked_up() {
        let unsure = |ids: &[Id]| {
            let mut issued = Issued { evicted: true, ..Issued::default() };
            ids.iter().for_each(|id| issued.count_up(id));
            issued.unsure
        };
        let text = |text: &str| Id::Text(text.into());
        assert!(!unsure(&[Id::Int(1), Id::Int(2), Id::Int(10)]));
        assert!(unsure(&[Id::Int(1), Id::Int(1)]), "the same again");
        assert!(unsure(&[Id::Int(2), Id::Int(1)]), "one below");
        assert!(!unsure(&[text("req-9"), text("req-10")]));
        assert!(unsure(&[text("req-9"), text("job-10")]), "another series");
        assert!(unsure(&[Id::Int(9), text("10")]), "a number and a text");
        assert!(unsure(&[text("a"), text("b")]), "no numbers");
        assert!(unsure(&[text("req-1"), text("req-02")]), "two ids may have one number");
        let counted = |first: i64, id: i64| {
            let mut issued = Issued::default();
            [Id::Int(first), Id::Int(first + 1)].iter().for_each(|id| issued.count_up(id));
            issued.counts_before(&Id::Int(id))
        };
        assert!(counted(5, 4) && !counted(5, 9), "what was counted before the first");
        assert!(!counted(1, 0), "a count that begins");
        let next = |highest: i64, id: i64| {
            Issued { highest: Some((0, highest)), ..Issued::default() }.counts_on_with(&Id::Int(id))
        };
        assert!(next(1, 2) && next(7, 8) && !next(7, 9), "the next id alone");
        assert!(!next(0, 1) && !next(7, 0) && !next(i64::MIN, i64::MAX), "others may be a beginning");
        let mut fresh = Issued::default();
        [Id::Int(2), Id::Int(1)].iter().for_each(|id| fresh.count_up(id));
        assert!(!fresh.unsure, "nothing was dropped yet");
    }
}
