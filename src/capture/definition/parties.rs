//! Processes that talk to each other: two of them are a connection, and who is the client is told by what they send.

use super::pointer::Found;
use crate::capture::Direction;
use crate::json::scan::unquoted;

/// The two processes of a record.
#[derive(Default)]
pub(super) struct Parties {
    pair: String,
}

impl Parties {
    /// The direction of a record from one process to another, where it names both; their pair is current then. What the one sends
    /// whose name sorts first is `sent`, in every file of a log; the session finds out which side that is.
    pub(super) fn meet(&mut self, from: Found<'_>, to: Found<'_>) -> Option<Direction> {
        self.pair.clear();
        let (from, to) = (unquoted(from?.0), unquoted(to?.0));
        let (low, high) = if from <= to { (from, to) } else { (to, from) };
        self.pair.extend([low, "-", high]);
        Some(if from == low { Direction::Sent } else { Direction::Received })
    }

    /// The pair of the record that is read, empty where it names none.
    pub(super) fn pair(&self) -> &str {
        &self.pair
    }
}
