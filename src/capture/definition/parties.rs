//! Processes that talk to each other: two of them are a connection, and who is the client is told by what they send.

use rustc_hash::FxHashMap;

use super::pointer::Found;
use crate::capture::Direction;
use crate::json::scan::unquoted;

/// The pairs of processes that were met.
#[derive(Default)]
pub(super) struct Parties {
    /// Who of a pair was met first as a sender. What it sends is `sent`; the session finds out which side that is.
    first: FxHashMap<String, String>,
    pair: String,
}

impl Parties {
    /// The direction of a record from one process to another, where it names both; their pair is current then.
    pub(super) fn meet(&mut self, from: Found<'_>, to: Found<'_>) -> Option<Direction> {
        self.pair.clear();
        let (from, to) = (unquoted(from?.0), unquoted(to?.0));
        let (low, high) = if from <= to { (from, to) } else { (to, from) };
        self.pair.extend([low, "-", high]);
        match self.first.get(&self.pair) {
            Some(first) if first == from => Some(Direction::Sent),
            Some(_) => Some(Direction::Received),
            None => {
                self.first.insert(self.pair.clone(), from.to_string());
                Some(Direction::Sent)
            }
        }
    }

    /// The pair of the record that is read, empty where it names none.
    pub(super) fn pair(&self) -> &str {
        &self.pair
    }
}
