//! How fine the clock of a log is, as its times show it: it may be written with more digits than it tells.

use rustc_hash::FxHashSet;

use crate::capture::time::SECOND;

/// By less than one chance in so many do times of a finer clock fall on the steps of a coarser one throughout.
const CHANCES: u64 = 1_000_000;

/// The step of a clock in microseconds, where its times show one; they are written in units of `unit_us`.
pub(super) fn shown_us(times: &[i64], unit_us: i64) -> Option<i64> {
    match step_us(times, unit_us) {
        Some(SECOND) => Some(SECOND),
        step_us => step_us.max(batches_us(times)),
    }
}

/// The step on which all times fall, where that is no chance and messages share a time, as they do on a coarse clock: where none
/// does, no round trip is shorter than the step anyway. No clock that is written in less steps by more than a second: what falls on
/// minutes was sent so.
fn step_us(times: &[i64], unit_us: i64) -> Option<i64> {
    let common = times.iter().fold(0, |step, time| divisor(step, time.unsigned_abs()));
    let step = if common > SECOND.unsigned_abs() { divisor(common, SECOND.unsigned_abs()) } else { common };
    let units = step / unit_us.max(1).unsigned_abs();
    let differ = times.iter().collect::<FxHashSet<_>>().len();
    let chances = units.saturating_pow(u32::try_from(differ).unwrap_or(u32::MAX));
    let shared = times.windows(2).any(|pair| pair[0] == pair[1]);
    let is_told = units == 1 || shared && differ > 1 && chances >= CHANCES;
    i64::try_from(step).ok().filter(|_| is_told)
}

/// The greatest step on which both fall.
fn divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { divisor(other, one % other) }
}

/// So many times or more tell of batches,
const TIMED: usize = 8;

/// where so many messages of four have the time of the one before: a request and its answer may share theirs on any clock, and what
/// follows has another one.
const OF_FOUR: usize = 3;

/// The longest time between two batches, where most messages have the time of the one before: they were written down together, each at
/// any time since the batch before.
fn batches_us(times: &[i64]) -> Option<i64> {
    let steps = || times.windows(2).map(|pair| pair[1].abs_diff(pair[0]));
    let same = steps().filter(|step| *step == 0).count();
    let longest = steps().max().filter(|longest| *longest > 0)?;
    let longest = i64::try_from(longest).ok()?;
    (times.len() >= TIMED && same * 4 >= (times.len() - 1) * OF_FOUR).then_some(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000;
    /// 2026-05-04T08:00:00Z.
    const DAY: i64 = 1_777_881_600 * SECOND;

    fn step_of(ms: &[i64]) -> Option<i64> {
        let times: Vec<i64> = ms.iter().map(|ms| DAY + ms * MS).collect();
        step_us(&times, MS).map(|us| us / MS)
    }

    #[test]
    fn a_step_on_which_all_times_fall_is_the_clocks_where_that_is_no_chance() {
        assert_eq!(step_of(&[2_000, 2_000, 3_000]), Some(1_000));
        assert_eq!(step_of(&[0, 0, 700, 1_900, 2_000]), Some(100));
        assert_eq!(step_of(&[0, 500, 500, 1_000, 2_500]), Some(500));
        assert_eq!(step_of(&[0, 500, 501]), Some(1));
        assert_eq!(step_of(&[100, 100, 200]), None, "two times may well fall so");
        assert_eq!(step_of(&[0, 700, 1_900, 2_000]), None, "each has its own time");
        assert_eq!(step_of(&[3_000; 9]), None, "one time tells nothing of steps");
    }

    #[test]
    fn no_clock_steps_by_more_than_a_second() {
        assert_eq!(step_of(&[0, 0, 60_000, 120_000]), Some(1_000));
        assert_eq!(step_of(&[1_500, 1_500, 3_000, 4_500, 6_000]), Some(500));
    }

    #[test]
    fn a_clock_is_no_coarser_than_it_is_written_for_being_so() {
        assert_eq!(step_us(&[10 * MS, 13 * MS, 27 * MS], MS), Some(MS));
        assert_eq!(step_us(&[10 * MS, 10 * MS, 13 * MS, 27 * MS], 1), Some(MS), "three digits of six");
        assert_eq!(step_us(&[SECOND, 7 * SECOND], SECOND), Some(SECOND));
        assert_eq!(step_us(&[i64::MIN, i64::MAX], 0), Some(1));
    }
}
