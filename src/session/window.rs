//! The window: settled exchanges are remembered for a while, over all connections, and then dropped.

use std::collections::VecDeque;

use super::seen::FrameId;
use crate::jsonrpc::Id;
use crate::protocol::Side;

/// One settled exchange: where it is, and which instance of its id.
pub(super) struct Kept {
    pub(super) connection: u32,
    pub(super) issuer: Side,
    pub(super) id: Id,
    pub(super) request: FrameId,
    pub(super) stream: Option<u32>,
}

/// Settled exchanges, oldest first.
pub(super) struct Settled {
    ring: VecDeque<Kept>,
    size: usize,
}

impl Settled {
    pub(super) fn new(size: usize) -> Settled {
        Settled { ring: VecDeque::new(), size: size.max(1) }
    }

    pub(super) fn push(&mut self, kept: Kept) {
        let (held, room) = (self.ring.len(), self.ring.capacity());
        if held == room && held <= self.size {
            // What the window holds, and one that falls out of it.
            self.ring.reserve_exact(held.max(64).min(self.size + 1 - held));
        }
        self.ring.push_back(kept);
    }

    /// The oldest one, once there are more than the window holds.
    pub(super) fn overflow(&mut self) -> Option<Kept> {
        if self.ring.len() > self.size { self.ring.pop_front() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(request: FrameId) -> Kept {
        Kept { connection: 0, issuer: Side::Client, id: Id::Int(1), request, stream: None }
    }

    #[test]
    fn the_oldest_falls_out_once_there_are_more_than_the_window_holds() {
        for size in [1, 2, 64, 65, 200] {
            let mut settled = Settled::new(size);
            let fallen: Vec<_> = (0..300)
                .map(|request| {
                    settled.push(kept(request));
                    settled.overflow().map(|old| old.request)
                })
                .collect();
            let want: Vec<_> = (0..300).map(|request: FrameId| request.checked_sub(size as FrameId)).collect();
            assert_eq!(fallen, want, "a window of {size}");
            assert!(settled.overflow().is_none());
            assert!(settled.ring.capacity() <= (size + 1).max(64), "{} places for {size}", settled.ring.capacity());
        }
        assert_eq!(Settled::new(0).size, 1, "the last one is remembered at least");
    }
}
