//! Where the ids of a side that counts leave numbers out: those requests were sent, and the log has lost them.

use super::rare::Empty;
use crate::session::seen::FrameId;

/// How many places are kept apart; of more, the last reaches to the newest.
const KEPT: usize = 64;

/// Numbers that are left out.
struct Leap {
    /// The numbers before and behind them.
    over: (i64, i64),
    /// How many of them no request has used yet.
    lacks: i64,
    /// The requests with the numbers before and behind them.
    frames: (FrameId, FrameId),
}

/// All places of one side.
pub(in crate::session) struct Leaps {
    list: Vec<Leap>,
}

impl Empty for Leaps {
    const NEW: Self = Leaps { list: Vec::new() };
    const EMPTY: &'static Self = &Self::NEW;
}

impl Leaps {
    /// Notes that the numbers between two are left out, between the requests with these two.
    pub(super) fn note(&mut self, over: (i64, i64), frames: (FrameId, FrameId)) {
        let lacks = over.1.saturating_sub(over.0).saturating_sub(1);
        let full = self.list.len() >= KEPT;
        match self.list.last_mut().filter(|_| full) {
            Some(last) => {
                (last.over.1, last.frames.1) = (over.1, frames.1);
                last.lacks = last.lacks.saturating_add(lacks);
            }
            None => self.list.push(Leap { over, lacks, frames }),
        }
    }

    /// A request has a number that was left out: it only came late.
    pub(super) fn fill(&mut self, number: i64) {
        let of = |leap: &Leap| leap.over.0 < number && number < leap.over.1;
        self.list.iter_mut().filter(|leap| of(leap)).for_each(|leap| leap.lacks -= 1);
        self.list.retain(|leap| leap.lacks > 0);
    }

    /// How many places there are, and how many numbers are left out.
    pub(super) fn count(&self) -> (usize, i64) {
        (self.list.len(), self.list.iter().fold(0, |all, leap| all.saturating_add(leap.lacks)))
    }

    /// Between which requests they are.
    pub(super) fn frames(&self) -> impl Iterator<Item = (FrameId, FrameId)> + '_ {
        self.list.iter().map(|leap| leap.frames)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_come_late_are_not_left_out() {
        let mut leaps = Leaps::NEW;
        leaps.note((3, 6), (10, 20));
        leaps.note((6, 8), (20, 30));
        assert_eq!(leaps.count(), (2, 3));
        [5, 7, 9].into_iter().for_each(|number| leaps.fill(number));
        assert_eq!((leaps.count(), leaps.frames().collect::<Vec<_>>()), ((1, 1), vec![(10, 20)]));
    }

    #[test]
    fn more_places_than_are_kept_are_one() {
        let mut leaps = Leaps::NEW;
        (0..KEPT as i64 + 2).for_each(|at| leaps.note((at * 2, at * 2 + 2), (at as u64, at as u64 + 1)));
        assert_eq!(leaps.count(), (KEPT, KEPT as i64 + 2));
        assert_eq!(leaps.frames().last(), Some((KEPT as u64 - 1, KEPT as u64 + 2)));
    }
}
