//! Which of several times that stand with a message is its own, and not that of a batch, a session or a delivery.

use std::cmp::Reverse;

use rustc_hash::FxHashSet;

use super::Time;

/// A place of a time, with what it says in the records of a sample.
pub(crate) struct Stamp {
    /// Its times.
    pub times: Vec<Time>,
    /// How many objects around the message it stands in, too.
    pub near: usize,
    /// True if it is called a time, and none of receiving or shipping.
    pub named: bool,
    /// How little else tells that it is the time: the least is taken of several as good.
    pub rank: (usize, usize),
}

/// The place of the message's own time. One that is the same in many records is that of what they came in, where another one tells them
/// apart; of two that say the same, the finer is taken; and of others, the one nearer to the message is its own: who ships a record puts his
/// time around it.
pub(crate) fn own(all: &[Stamp]) -> Option<usize> {
    let is_blunt = |one: &Stamp| all.iter().any(|other| one.is_blunt_beside(other));
    let is_rounded = |one: &Stamp| all.iter().any(|other| one.is_rounded_from(other));
    (0..all.len()).min_by_key(|at| {
        let one = &all[*at];
        (is_blunt(one), !one.is_dated(), is_rounded(one), !one.named, Reverse(one.near), one.rank)
    })
}

/// So many times more times at another place show that a place has those of something greater.
const MORE: usize = 4;

impl Stamp {
    fn is_dated(&self) -> bool {
        self.times.iter().all(|time| time.dated)
    }

    /// How many of its times a clock tells apart that counts such units.
    fn steps(&self, unit_us: i64) -> usize {
        self.times.iter().map(|time| time.us.div_euclid(unit_us)).collect::<FxHashSet<_>>().len()
    }

    fn resolution_us(&self) -> i64 {
        self.times.iter().map(|time| time.resolution_us).min().unwrap_or(1).max(1)
    }

    /// True if the other place tells records apart to which this one gives one time, and a coarser clock does not explain that.
    fn is_blunt_beside(&self, other: &Stamp) -> bool {
        if !other.named || other.times.len() < self.times.len() {
            return false;
        }
        let unit_us = self.resolution_us().max(other.resolution_us());
        let (own, others) = (self.steps(unit_us), other.steps(unit_us));
        others > 1 && (own == 1 || own * MORE <= others)
    }

    /// True if the other place, beside this one, has the same times in smaller units.
    fn is_rounded_from(&self, fine: &Stamp) -> bool {
        let unit_us = self.resolution_us();
        let pairs = || self.times.iter().zip(&fine.times);
        fine.named
            && fine.near == self.near
            && fine.times.len() == self.times.len()
            && fine.resolution_us() < unit_us
            && (pairs().all(|(own, fine)| own.us == fine.us - fine.us.rem_euclid(unit_us))
                || pairs().all(|(own, fine)| (own.us - fine.us).abs() * 2 <= unit_us))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::time::parse;

    fn stamp(near: usize, texts: &[&str]) -> Stamp {
        let times = texts.iter().map(|text| parse(text).expect("a time")).collect();
        Stamp { times, near, named: true, rank: (near, 0) }
    }

    #[test]
    fn the_nearer_time_is_the_messages_unless_it_tells_less() {
        let own_of = |around: &[&str], near: &[&str]| own(&[stamp(0, around), stamp(1, near)]);
        let fine = ["2026-11-21T06:44:16.100Z", "2026-11-21T06:44:16.200Z", "2026-11-21T06:44:16.300Z"];
        assert_eq!(own_of(&["2026-11-21T06:44:30Z"; 3], &fine), Some(1), "a batch around");
        assert_eq!(own_of(&fine, &["2026-11-21T06:44:16.000Z"; 3]), Some(0), "the start of a session beside");
        assert_eq!(own_of(&fine, &["1795243456", "1795243456", "1795243456"]), Some(1), "a coarse clock of its own");
        assert_eq!(own_of(&fine, &["06:44:16.1", "06:44:16.2", "06:44:16.3"]), Some(0), "no date");
    }

    #[test]
    fn of_two_that_say_the_same_the_finer_is_taken() {
        let coarse = stamp(0, &["1795243456", "1795243456", "1795243457"]);
        let fine = |texts| Stamp { rank: (90, 0), ..stamp(0, texts) };
        let nanos = ["1795243456100000000", "1795243456900000001", "1795243457000000000"];
        let rounded = ["2026-11-21T06:44:15.900Z", "2026-11-21T06:44:16.400Z", "2026-11-21T06:44:17.100Z"];
        let other = ["2026-11-21T06:44:16.100Z", "2026-11-21T06:44:17.200Z", "2026-11-21T06:44:17.300Z"];
        let own_of =
            |fine| own(&[Stamp { rank: (0, 0), ..stamp(0, &["1795243456", "1795243456", "1795243457"]) }, fine]);
        assert_eq!((own_of(fine(&nanos)), own_of(fine(&rounded)), own_of(fine(&other))), (Some(1), Some(1), Some(0)));
        assert_eq!(own(&[coarse, Stamp { named: false, ..fine(&nanos) }]), Some(0));
    }

    #[test]
    fn what_is_called_no_time_of_the_message_is_taken_last() {
        let other = |texts| Stamp { named: false, ..stamp(1, texts) };
        let (same, differ) = (["2026-11-21T06:44:16Z"; 2], ["2026-11-21T06:44:16Z", "2026-11-21T06:44:17Z"]);
        assert_eq!(own(&[stamp(0, &same), other(&differ)]), Some(0));
        assert_eq!(own(&[other(&differ)]), Some(0));
        assert_eq!(own(&[]), None);
    }
}
