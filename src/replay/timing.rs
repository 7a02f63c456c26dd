//! How much of the recorded think time passes.

use super::options::{Pace, Speed};

impl Pace {
    /// How long to wait, in microseconds, where the recording waited `think_us`. Cancel delays never go through here.
    pub fn gap(&self, think_us: i64) -> i64 {
        let think = think_us.max(0);
        let gap = match self.speed {
            Speed::Fast => return 0,
            Speed::Times(factor) if factor > 0.0 => (think as f64 / factor) as i64,
            Speed::Times(_) | Speed::Recorded | Speed::Wall => think,
        };
        self.max_idle_us.map_or(gap, |cap| gap.min(cap))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_follow_the_speed_and_the_cap() {
        let gap = |speed, max_idle_us| Pace { speed, max_idle_us }.gap(4_000_000);
        assert_eq!(gap(Speed::Recorded, Some(1_000_000)), 1_000_000);
        assert_eq!(gap(Speed::Wall, None), 4_000_000);
        assert_eq!(gap(Speed::Times(8.0), Some(1_000_000)), 500_000);
        assert_eq!(gap(Speed::Times(0.5), None), 8_000_000);
        assert_eq!(gap(Speed::Fast, None), 0);
        assert_eq!(Pace::default().gap(-5), 0);
    }
}
