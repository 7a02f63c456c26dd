//! The clock of a log, as far as its times show it: where it was set back, and where it may have been set forward again.

use super::rare::{Empty, Rare};
use crate::session::seen::{FrameId, Seen};

/// How many places are remembered at which the clock may have been set forward; of more the newest two become one, which can only
/// take proof away.
const JUMPS: usize = 64;

/// The clock of the log.
#[derive(Default)]
pub(in crate::session) struct Clock {
    /// The time of the message before.
    pub(in crate::session) last_us: Option<i64>,
    /// What a clock shows that was set: most never are.
    pub(in crate::session) set: Rare<Set>,
}

/// Where a clock was set.
pub(in crate::session) struct Set {
    pub(in crate::session) steps_back: u64,
    pub(in crate::session) worst_us: i64,
    pub(in crate::session) worst_at: Option<Seen>,
    /// The latest time from before it was set back, until it shows that time again.
    ahead_us: Option<i64>,
    /// The last frame in which it was set back.
    stepped: Option<FrameId>,
    /// The frames before which it may have been set forward, and by how much at most.
    jumps: Vec<(FrameId, i64)>,
}

impl Empty for Set {
    const NEW: Self =
        Set { steps_back: 0, worst_us: 0, worst_at: None, ahead_us: None, stepped: None, jumps: Vec::new() };
    const EMPTY: &'static Self = &Self::NEW;
}

impl Clock {
    /// Takes the time of a frame. Gives how far the clock was set back before it, where that is more than the slack that times have anyway.
    /// `begins_file`: a file begins with it before the end of another, which is no clock's doing as far as anybody knows.
    pub(in crate::session) fn tick(&mut self, seen: Seen, slack_us: i64, begins_file: bool) -> Option<i64> {
        let now = seen.at_us?;
        let before = self.last_us.replace(now)?;
        if now < before {
            if !begins_file {
                self.set.note_step(seen, before - now);
            }
            return (before - now > slack_us).then(|| self.set.step_back(seen, before - now));
        }
        if let Some(set) = self.set.held() {
            set.tick(seen.frame, before, now);
        }
        None
    }

    /// How much of the difference between the times of two frames may be no time at all.
    pub(in crate::session) fn jumped_between(&self, first: FrameId, second: FrameId) -> i64 {
        let between = self.set.jumps.iter().filter(|(frame, _)| *frame > first && *frame <= second);
        between.map(|(_, us)| *us).sum()
    }

    /// True if it was set back behind this frame.
    pub(in crate::session) fn stepped_since(&self, frame: FrameId) -> bool {
        self.set.stepped.is_some_and(|stepped| stepped > frame)
    }
}

impl Set {
    /// A clock that was put right again shows a later time than before it went wrong.
    fn tick(&mut self, frame: FrameId, before: i64, now: i64) {
        if let Some(ahead) = self.ahead_us.filter(|ahead| now >= *ahead) {
            self.ahead_us = None;
            if before < ahead {
                self.jump(frame, now - before);
            }
        }
    }

    fn note_step(&mut self, seen: Seen, by_us: i64) {
        self.steps_back += 1;
        if by_us > self.worst_us {
            (self.worst_us, self.worst_at) = (by_us, Some(seen));
        }
    }

    fn step_back(&mut self, seen: Seen, by_us: i64) -> i64 {
        let before = seen.at_us.unwrap_or_default().saturating_add(by_us);
        self.ahead_us = Some(self.ahead_us.map_or(before, |ahead| ahead.max(before)));
        self.stepped = Some(seen.frame);
        by_us
    }

    fn jump(&mut self, frame: FrameId, us: i64) {
        let full = self.jumps.len() >= JUMPS;
        match self.jumps.last_mut().filter(|_| full) {
            Some(last) => *last = (frame, last.1.saturating_add(us)),
            None => self.jumps.push((frame, us)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(times: &[i64]) -> Clock {
        let mut clock = Clock::default();
        for (frame, at) in times.iter().enumerate() {
            clock.tick(Seen { frame: frame as FrameId, at_us: Some(*at) }, 10, false);
        }
        clock
    }

    #[test]
    fn what_a_clock_jumps_over_when_it_is_put_right_is_no_time() {
        let to_and_fro = clock(&[0, 5_000, 3_500, 5_508, 6_000]);
        assert_eq!(to_and_fro.jumped_between(2, 3), 2_008);
        assert_eq!([(0, 1), (1, 2), (3, 4)].map(|(first, second)| to_and_fro.jumped_between(first, second)), [0; 3]);
        assert!(to_and_fro.stepped_since(1) && !to_and_fro.stepped_since(2));
    }

    #[test]
    fn a_file_that_begins_before_the_end_of_another_is_no_step_of_the_clock() {
        let mut clock = clock(&[5_000]);
        assert_eq!(clock.tick(Seen { frame: 1, at_us: Some(3_000) }, 10, true), Some(2_000), "times prove no delay");
        assert_eq!((clock.set.steps_back, clock.set.worst_at), (0, None), "nothing is said of the clock");
    }

    #[test]
    fn a_clock_that_runs_on_from_where_it_was_set_to_measures() {
        let once = clock(&[5_000, 3_500, 4_000, 4_900, 5_100, 9_000]);
        assert_eq!(once.jumped_between(0, 5), 200, "it was put right at that place at most");
        assert_eq!(clock(&[5_000, 4_995, 9_000]).jumped_between(0, 2), 0, "within the slack");
    }
}
