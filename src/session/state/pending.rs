//! Messages that wait until the protocol and the sides are known.

use crate::capture::{Direction, Stamp};
use crate::session::detail::Batch;
use crate::session::seen::{FrameId, Seen};

/// Where a message stands, before it is known who sent it.
#[derive(Clone, Copy)]
pub(in crate::session) struct MessagePlace {
    pub(in crate::session) seen: Seen,
    pub(in crate::session) line: u64,
    pub(in crate::session) direction: Direction,
    pub(in crate::session) stream: Option<u32>,
    pub(in crate::session) batch: Option<FrameId>,
    pub(in crate::session) taps: Option<[Option<Stamp>; 2]>,
}

/// A message that waits: its text is parsed again when its turn comes.
pub(in crate::session) struct Pending {
    pub(in crate::session) place: MessagePlace,
    pub(in crate::session) text: PendingText,
}

impl Pending {
    /// True if only the logger's side tells who sent it.
    pub(in crate::session) fn is_relative(&self) -> bool {
        matches!(self.place.direction, Direction::Sent | Direction::Received)
    }
}

/// What waits.
pub(in crate::session) enum PendingText {
    Message(String),
    Malformed(String),
    Batch(Batch),
}
