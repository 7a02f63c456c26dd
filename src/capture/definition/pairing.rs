//! Requests and their answers in a log without ids: the order alone tells what belongs together.

use rustc_hash::FxHashMap;

use crate::capture::Direction;

/// Requests in a log without ids: an answer belongs to the only one that is open.
#[derive(Default)]
pub(super) struct Pairing {
    open: FxHashMap<(u32, Direction), Open>,
    exchanges: u32,
}

#[derive(Default)]
struct Open {
    last: u64,
    requests: Vec<u64>,
    /// Answers that may have been to any of several requests.
    untold: usize,
}

impl Pairing {
    /// A number for a request.
    pub(super) fn asked(&mut self, channel: u32, direction: Direction) -> u64 {
        let open = self.open.entry((channel, direction)).or_default();
        open.last += 1;
        open.requests.push(open.last);
        open.last
    }

    /// The number of the request that an answer belongs to, where that can be told.
    pub(super) fn answered(&mut self, channel: u32, direction: Direction) -> Option<u64> {
        let open = self.open.get_mut(&(channel, answering(direction)))?;
        if open.requests.len() == 1 && open.untold == 0 {
            return open.requests.pop();
        }
        open.untold += 1;
        if open.untold >= open.requests.len() {
            open.requests.clear();
            open.untold = 0;
        }
        None
    }

    /// A number for an exchange, which is a stream of its own.
    pub(super) fn exchanges(&mut self) -> u32 {
        self.exchanges += 1;
        self.exchanges
    }
}

/// Who answers what was sent so.
pub(super) fn answering(direction: Direction) -> Direction {
    match direction {
        Direction::By(side) => Direction::By(side.peer()),
        Direction::Sent => Direction::Received,
        Direction::Received => Direction::Sent,
        Direction::Unknown => Direction::Unknown,
    }
}
