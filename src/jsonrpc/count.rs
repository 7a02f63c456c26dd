//! What the ids of one issuer's requests tell: most issuers count, and what they must have counted and is not there is missing from the
//! log.

use std::hash::Hasher;

use super::Id;

/// How many requests make a count.
const STEADY: i64 = 3;

/// The series of ids that are numbers.
const PLAIN: u64 = 0;

/// An id as a number in a series: `7`, or `7` of `req-` for `"req-7"`. One that does not end in a number is a series of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ordinal {
    series: u64,
    number: i64,
}

impl Ordinal {
    /// The rank of an id.
    pub fn of(id: &Id) -> Ordinal {
        match id {
            Id::Int(number) => Ordinal { series: PLAIN, number: *number },
            Id::Number(_) => Ordinal::alone(id),
            Id::Text(text) => Ordinal::of_text(text).unwrap_or_else(|| Ordinal::alone(id)),
        }
    }

    fn alone(id: &Id) -> Ordinal {
        Ordinal { series: id.hashed(), number: 0 }
    }

    fn of_text(text: &str) -> Option<Ordinal> {
        let digits = text.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (prefix, number) = text.split_at(text.len() - digits);
        // `req-07` and `req-7` are two ids with one number: what is filled up with zeros is a series of its own.
        let width = if digits > 1 && number.starts_with('0') { digits } else { 1 };
        let number = number.parse().ok()?;
        let mut hasher = rustc_hash::FxHasher::default();
        hasher.write(prefix.as_bytes());
        hasher.write_usize(width);
        Some(Ordinal { series: hasher.finish(), number })
    }
}

/// The ids that one issuer has used, in their order.
#[derive(Clone, Copy, Debug, Default)]
pub struct IdCount {
    /// The first of the series that it counts in.
    first: Option<Ordinal>,
    /// The highest of it so far: a higher one cannot have been used before.
    highest: Option<Ordinal>,
    /// True once the count has begun anew behind its first id, in another series.
    begun_anew: bool,
    /// How many ids have raised the highest.
    counted: i64,
}

impl IdCount {
    /// Takes the id of a new request. True if it cannot have been used before: ids count up, and this one is higher than all.
    pub fn up(&mut self, now: Ordinal) -> bool {
        let Some(highest) = self.highest else {
            *self = IdCount { first: Some(now), highest: Some(now), begun_anew: false, counted: 1 };
            return true;
        };
        if highest.series == now.series && now.number > highest.number {
            (self.highest, self.counted) = (Some(now), self.counted + 1);
            return true;
        }
        // The handshake may have an id of its own kind.
        if highest.series != now.series && self.counted == 1 && !self.begun_anew {
            (self.first, self.highest, self.begun_anew) = (Some(now), Some(now), true);
        }
        false
    }

    /// True once a request was counted.
    pub fn has_begun(&self) -> bool {
        self.highest.is_some()
    }

    /// True for an id of the series that it counts in, or may yet count in.
    pub fn is_of(&self, id: Ordinal) -> bool {
        self.highest.is_none_or(|highest| highest.series == id.series)
    }

    /// True for an id behind the last of the count.
    pub fn ends_before(&self, id: Ordinal) -> bool {
        self.highest.is_some_and(|highest| highest.series == id.series && highest.number < id.number)
    }

    /// True where this side counts its requests, and some that it must have counted are missing although these ids, which it did not use,
    /// were answered or cancelled: either more than one is missing that way, or most of the count is there, or it is all there but for
    /// the one, or a third is and others are missing, too.
    pub fn lacks_requests(&self, unasked: &[Ordinal]) -> bool {
        // Who answers again and again what nobody asked was asked all the same.
        let Some((first, last)) = self.ends() else { return unasked.len() as i64 >= STEADY };
        let numbers = self.numbers(unasked);
        let within = numbers.iter().filter(|number| (first..last).contains(number)).count();
        let missing = within + self.goes_on(&numbers, first, last);
        let all_but_it = within == 1 && self.counted > 1 && self.left_out() == 1;
        // Most servers ask once or twice in a session: their count is as good from its beginning on.
        let begun = within == 0 && (0..2).contains(&first) && self.left_out() == 0;
        missing > 1 || missing == 1 && (self.counts() || all_but_it || begun || within == 1 && self.is_thinned())
    }

    /// True where the requests with which this side must have begun to count are missing: they were answered, and nothing else in vain.
    pub fn lacks_first(&self, unasked: &[Ordinal]) -> bool {
        let mut missing = self.numbers(unasked);
        missing.sort_unstable();
        let (Some(start), Some(end)) = (missing.first(), missing.last()) else { return false };
        let in_a_row = missing.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        in_a_row && (0..2).contains(start) && self.first.is_none_or(|first| first.number == end + 1)
    }

    /// True where ids are left out of a count, and most of it is there.
    pub fn skips(&self) -> bool {
        self.counts() && self.left_out() > 1
    }

    /// True if ids that count up had passed this one before the first one that was seen, and that is no beginning: who
    /// begins to count does so with 0 or 1.
    pub fn has_passed(&self, id: Ordinal) -> bool {
        let older =
            |first: Ordinal| first.series == id.series && first.number > 1 && (0..first.number).contains(&id.number);
        self.first.is_some_and(older)
    }

    /// True for the next id of a count that goes on. With 0 or 1 one begins.
    pub fn goes_on_with(&self, id: Ordinal) -> bool {
        id.number > 1 && self.highest == Some(Ordinal { number: id.number - 1, ..id })
    }

    /// True for an id that was first used behind the first of a count: it began below it.
    pub fn holds(&self, id: Ordinal) -> bool {
        self.counts() && self.first.is_some_and(|first| first.series == id.series && id.number > first.number)
    }

    /// Its first and its last number.
    fn ends(&self) -> Option<(i64, i64)> {
        self.first.zip(self.highest).map(|(first, last)| (first.number, last.number))
    }

    /// The numbers of these ids in the series that it counts in, or in that of the first of them.
    fn numbers(&self, unasked: &[Ordinal]) -> Vec<i64> {
        let series = self.highest.or(unasked.first().copied()).map(|rank| rank.series);
        unasked.iter().filter(|rank| Some(rank.series) == series).map(|rank| rank.number).collect()
    }

    /// How many of these numbers the count goes on with behind its last: those next to it, or several that make a count of their own, no
    /// farther from it than it is long. Numbers that hang together like that are no slips.
    fn goes_on(&self, numbers: &[i64], first: i64, last: i64) -> usize {
        let mut behind: Vec<i64> = numbers.iter().copied().filter(|number| *number > last).collect();
        behind.sort_unstable();
        let next = behind.iter().zip(last.saturating_add(1)..).take_while(|(number, next)| *number == next).count();
        let several = (2..=behind.len()).rev().find(|several| {
            let (more, end) = (*several as i64, behind[several - 1]);
            most(more, behind[0], end) && most(self.counted + more, first, end)
        });
        next.max(several.unwrap_or(0))
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
        let Some((first, last)) = self.ends() else { return 0 };
        last.saturating_sub(first).saturating_add(1).saturating_sub(self.counted)
    }
}

/// True if most of the ids from one to another were used.
fn most(used: i64, first: i64, last: i64) -> bool {
    let all = last.saturating_sub(first).saturating_add(1);
    used > all.saturating_sub(used)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(ids: &[i64]) -> Vec<Ordinal> {
        ids.iter().map(|id| Ordinal::of(&Id::Int(*id))).collect()
    }

    fn texts(ids: &[&str]) -> Vec<Ordinal> {
        ids.iter().map(|id| Ordinal::of(&Id::Text((*id).into()))).collect()
    }

    /// An issuer that has used these ids.
    fn counted(ids: &[Ordinal]) -> IdCount {
        let mut count = IdCount::default();
        ids.iter().for_each(|id| {
            count.up(*id);
        });
        count
    }

    #[test]
    fn ids_that_a_count_leaves_out_are_missing() {
        let lacks = |ids: &[i64], unasked: &[i64]| counted(&plain(ids)).lacks_requests(&plain(unasked));
        let steady: Vec<i64> = (1..=STEADY).collect();
        assert!(!lacks(&steady, &[]) && !lacks(&[], &[5, 6]));
        assert!(lacks(&[], &[5, 6, 7]), "one answer may be a slip, three are none");
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
        assert!(!lacks(&[i64::MIN, i64::MAX], &[0]), "no count is as long as that");
    }

    #[test]
    fn random_ids_count_nothing() {
        let lacks = |ids: &[&str], unasked: &[&str]| counted(&texts(ids)).lacks_requests(&texts(unasked));
        assert!(lacks(&[], &["4f-a", "9c-7", "0b-e"]) && !lacks(&[], &["4f-a", "9c-7"]));
        assert!(
            !lacks(&["77-3", "d1-c"], &["4f-a", "9c-7", "0b-e"]),
            "where some of them are there, others are made up"
        );
        assert!(lacks(&["r1", "r2", "r3"], &["r4"]) && !lacks(&["r1", "r2", "r3"], &["s4"]), "another series");
    }

    #[test]
    fn a_count_begins_with_what_was_answered_before_its_first() {
        let lacks = |ids: &[i64], unasked: &[i64]| counted(&plain(ids)).lacks_first(&plain(unasked));
        assert!(lacks(&[], &[0]) && lacks(&[], &[0, 1]) && lacks(&[], &[2, 1]), "nothing of it is there");
        assert!(lacks(&[1], &[0]) && lacks(&[2, 3], &[0, 1]), "it goes on with the next one");
        assert!(!lacks(&[], &[5, 6]) && !lacks(&[], &[0, 9]) && !lacks(&[], &[]), "no count begins so");
        assert!(!lacks(&[3], &[0, 1]) && !lacks(&[0], &[1]), "it goes on with another one");
    }

    #[test]
    fn the_next_of_a_count_cannot_have_been_used_before() {
        let new = |ids: &[Ordinal]| {
            let mut count = IdCount::default();
            ids.iter().fold(None, |_, id| Some(count.up(*id)))
        };
        assert_eq!(new(&plain(&[1, 2, 10])), Some(true));
        assert_eq!([new(&plain(&[1, 1])), new(&plain(&[2, 1]))], [Some(false); 2], "the same again, and one below");
        assert_eq!(new(&texts(&["req-9", "req-10"])), Some(true));
        assert_eq!(new(&texts(&["req-9", "job-10"])), Some(false), "another series");
        assert_eq!(new(&[plain(&[9]), texts(&["10"])].concat()), Some(false), "a number and a text");
        assert_eq!(new(&texts(&["a", "b"])), Some(false), "no numbers");
        assert_eq!(new(&texts(&["req-1", "req-02"])), Some(false), "two ids may have one number");
    }

    #[test]
    fn a_count_knows_what_it_has_passed_and_what_comes_next() {
        let passed = |first: i64, id: i64| counted(&plain(&[first, first + 1])).has_passed(plain(&[id])[0]);
        assert!(passed(5, 4) && !passed(5, 9), "what was counted before the first");
        assert!(!passed(1, 0), "a count that begins");
        let next = |highest: i64, id: i64| counted(&plain(&[highest])).goes_on_with(plain(&[id])[0]);
        assert!(next(1, 2) && next(7, 8) && !next(7, 9), "the next id alone");
        assert!(!next(0, 1) && !next(7, 0) && !next(i64::MIN, i64::MAX), "others may be a beginning");
        let steady = counted(&plain(&[4, 5, 6]));
        assert_eq!([3, 4, 5].map(|id| steady.holds(plain(&[id])[0])), [false, false, true]);
        assert_eq!([6, 7].map(|id| steady.ends_before(plain(&[id])[0])), [false, true]);
        assert!(steady.has_begun() && !IdCount::default().has_begun());
        let of = |count: &IdCount| [count.is_of(plain(&[9])[0]), count.is_of(texts(&["r9"])[0])];
        assert_eq!([of(&steady), of(&IdCount::default())], [[true, false], [true; 2]]);
    }
}
