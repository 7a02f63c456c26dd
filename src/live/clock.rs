//! The one clock of a run: microseconds that never run backwards, and the moment they count from.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A running clock. Copies tell the same time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
    epoch_us: i64,
}

impl Clock {
    /// Starts it.
    #[expect(clippy::disallowed_methods, reason = "a live run is what time is measured of")]
    pub fn start() -> Clock {
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Clock { start: Instant::now(), epoch_us: i64::try_from(epoch.as_micros()).unwrap_or(i64::MAX) }
    }

    /// Microseconds since the start.
    pub fn us(&self) -> i64 {
        i64::try_from(self.start.elapsed().as_micros()).unwrap_or(i64::MAX)
    }

    /// When it was started, in microseconds since the epoch.
    pub fn epoch_us(&self) -> i64 {
        self.epoch_us
    }

    /// The instant at which it shows `us`.
    pub fn instant(&self, us: i64) -> Instant {
        self.start + std::time::Duration::from_micros(u64::try_from(us).unwrap_or(0))
    }
}
