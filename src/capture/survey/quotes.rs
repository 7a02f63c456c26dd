//! Records that quote: a warning, an audit line or an error with a message in it that another record says, whose it is.

use rustc_hash::FxHashSet;

use super::note::Notes;
use crate::capture::plan::Quotes;

/// The sender that is not told.
const UNTOLD: u8 = 2;

impl Notes {
    /// Takes out what only says again what is said by a record that names its sender. Where more than a few records name none, and
    /// say what no other does, they are messages of a logger that does not name all its senders.
    pub(super) fn take_quotes(&mut self) -> Quotes {
        let untold = || self.list.iter().filter(|note| note.sender == UNTOLD);
        let quotes: FxHashSet<u64> =
            untold().filter(|note| self.told.contains(&note.text)).map(|note| note.offset).collect();
        if quotes.is_empty() || quotes.len() * 4 < untold().count() * 3 {
            return Quotes::default();
        }
        self.list.retain(|note| !quotes.contains(&note.offset));
        Quotes::new(quotes)
    }
}
