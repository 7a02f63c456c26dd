//! Records that quote: a warning or an audit line with a message in it that a record behind it says, whose it is.

use rustc_hash::FxHashSet;

use super::note::{Notes, UNTOLD};

impl Notes {
    /// True if some message does not name its sender.
    pub(super) fn name_not_all(&self) -> bool {
        self.list.iter().any(|note| note.sender == UNTOLD)
    }

    /// Takes out what says what is said behind it by a record that names its sender, and gives where it stands. Where many records name
    /// none, and say what no other does, they are messages of a logger that does not name all its senders.
    pub(super) fn take_quotes(&mut self) -> FxHashSet<u64> {
        let untold = || self.list.iter().filter(|note| note.sender == UNTOLD);
        if !self.name_not_all() {
            return FxHashSet::default();
        }
        let told: FxHashSet<u64> =
            self.list.iter().filter(|note| note.sender != UNTOLD).map(|note| note.words()).collect();
        let quotes: FxHashSet<u64> =
            untold().filter(|note| told.contains(&note.words())).map(|note| note.offset).collect();
        if quotes.len() * 4 < untold().count() * 3 {
            return FxHashSet::default();
        }
        self.list.retain(|note| !quotes.contains(&note.offset));
        quotes
    }
}
