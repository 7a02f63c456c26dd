//! Records that quote what others say: no message of either side.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use crate::capture::Direction;
use crate::capture::place::Place;

/// How many messages are remembered that may be quoted.
const REMEMBERED: usize = 4096;

/// In a log that names who sent its messages, records that say again what one of them says, and name nobody.
#[derive(Clone, Debug, Default)]
pub(in crate::capture) struct Quotes {
    /// Where those of the head stand.
    offsets: FxHashSet<u64>,
    /// Hashes of the newest messages whose sender is named, and the order in which they came.
    told: FxHashSet<u64>,
    newest: VecDeque<u64>,
}

impl Quotes {
    /// Those of a head, by their offsets.
    pub(in crate::capture) fn new(offsets: FxHashSet<u64>) -> Quotes {
        Quotes { offsets, ..Quotes::default() }
    }

    /// How many the head has.
    pub(in crate::capture) fn count(&self) -> usize {
        self.offsets.len()
    }

    /// True if a message, given by the hash of its text, is a quotation. A log whose head has none is not asked.
    pub(in crate::capture) fn has(&mut self, place: &Place, text: u64) -> bool {
        if place.direction == Direction::Unknown {
            return self.offsets.contains(&place.byte_offset) || self.told.contains(&text);
        }
        if self.told.insert(text) {
            self.newest.push_back(text);
        }
        if self.newest.len() > REMEMBERED
            && let Some(oldest) = self.newest.pop_front()
        {
            self.told.remove(&oldest);
        }
        false
    }
}
