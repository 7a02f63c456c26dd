//! A frame as a place and a time.

/// Number of a frame, global to one fold: the row id in the store.
pub type FrameId = u64;

/// One frame as a place and a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The frame.
    pub frame: FrameId,
    /// Microseconds since the epoch, where the log has a usable time.
    pub at_us: Option<i64>,
}

impl Seen {
    /// Microseconds from `earlier` to this one, where both have a time.
    pub fn since(self, earlier: Seen) -> Option<i64> {
        Some(self.at_us? - earlier.at_us?)
    }
}
