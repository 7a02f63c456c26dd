//! What the ids of one side's requests tell: most issuers count, and what they must have counted and is not there is missing from the log.

use std::hash::Hasher;

use super::issued::{Issued, UNASKED};
use crate::jsonrpc::Id;

/// How many requests make a count.
const STEADY: i64 = 3;

impl Issued {
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
    /// third is and others are missing, too.
    pub(in crate::session) fn lacks_requests(&self) -> bool {
        let (Some((_, first)), Some((_, last))) = (self.first, self.highest) else {
            // Who answers again and again what nobody asked was asked all the same.
            return self.unasked.len() as i64 >= STEADY;
        };
        let within = self.unasked.iter().filter(|number| (first..last).contains(number)).count();
        let missing = within + self.goes_on(first, last);
        let all_but_it = within == 1 && self.counted > 1 && self.left_out() == 1;
        // Most servers ask once or twice in a session: their count is as good from its beginning on.
        let begun = within == 0 && (0..2).contains(&first) && self.left_out() == 0;
        missing > 1 || missing == 1 && (self.counts() || all_but_it || begun || within == 1 && self.is_thinned())
    }

    /// How many of these ids the count goes on with behind its last: those next to it, or several that make a count of their own, no
    /// farther from it than it is long. Numbers that hang together like that are no slips.
    fn goes_on(&self, first: i64, last: i64) -> usize {
        let mut behind: Vec<i64> = self.unasked.iter().copied().filter(|number| *number > last).collect();
        behind.sort_unstable();
        let next = behind.iter().zip(last.saturating_add(1)..).take_while(|(number, next)| *number == next).count();
        let several = (2..=behind.len()).rev().find(|several| {
            let (more, end) = (*several as i64, behind[several - 1]);
            most(more, behind[0], end) && most(self.counted + more, first, end)
        });
        next.max(several.unwrap_or(0))
    }

    /// True where the requests with which this side must have begun to count are missing: they were answered, and nothing else in vain.
    pub(in crate::session) fn lacks_first(&self) -> bool {
        let mut missing = self.unasked.to_vec();
        missing.sort_unstable();
        let (Some(start), Some(end)) = (missing.first(), missing.last()) else { return false };
        let in_a_row = missing.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        in_a_row && (0..2).contains(start) && self.first.is_none_or(|(_, first)| first == end + 1)
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

/// True if most of the ids from one to another were used.
fn most(used: i64, first: i64, last: i64) -> bool {
    let all = last.saturating_sub(first).saturating_add(1);
    used > all.saturating_sub(used)
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

    /// A side that asked with these ids, and was answered to others that it did not ask with.
    fn counted(ids: &[i64], unasked: &[i64]) -> Issued {
        let mut issued = Issued::default();
        ids.iter().for_each(|id| issued.count_up(&Id::Int(*id)));
        unasked.iter().for_each(|id| issued.miss(&Id::Int(*id)));
        issued
    }

    #[test]
    fn ids_that_a_count_leaves_out_are_missing() {
        let lacks = |ids: &[i64], unasked: &[i64]| counted(ids, unasked).lacks_requests();
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
        assert!(lacks(&[0, 1, 2, 3, 4, 5], &[9, 8, 7]) && lacks(&[0, 2], &[4, 5, 6]), "several behind a gap");
        assert!(
            !lacks(&[0, 1, 2, 3, 4, 5], &[7, 77]) && !lacks(&steady, &[40, 41]),
            "far apart, or far from the count"
        );
        assert!(!lacks(&[1, 9], &[9]) && !lacks(&[5, 9], &[3, 4]), "those were asked, or before the count");
    }

    #[test]
    fn a_count_begins_with_what_was_answered_before_its_first() {
        let lacks = |ids: &[i64], unasked: &[i64]| counted(ids, unasked).lacks_first();
        assert!(lacks(&[], &[0]) && lacks(&[], &[0, 1]) && lacks(&[], &[2, 1]), "nothing of it is there");
        assert!(lacks(&[1], &[0]) && lacks(&[2, 3], &[0, 1]), "it goes on with the next one");
        assert!(!lacks(&[], &[5, 6]) && !lacks(&[], &[0, 9]) && !lacks(&[], &[]), "no count begins so");
        assert!(!lacks(&[3], &[0, 1]) && !lacks(&[0], &[1]), "it goes on with another one");
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
