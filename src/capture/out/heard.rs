//! What was handed on lately of which the log says who sent it: a record that does not say it, and holds nothing else, quotes it.

use std::ops::Range;

use super::Out;
use crate::capture::place::Place;
use crate::capture::{Direction, text_hash};
use crate::jsonrpc::Parsed;
use crate::protocol::Facts;

/// How many messages are remembered.
const HEARD: usize = 4096;

/// Hashes of the newest messages.
#[derive(Default)]
pub(super) struct Heard {
    hashes: Vec<u64>,
    at: usize,
}

impl Heard {
    #[inline]
    pub(super) fn note(&mut self, hash: u64) {
        match self.hashes.get_mut(self.at) {
            Some(oldest) => *oldest = hash,
            None => self.hashes.push(hash),
        }
        self.at = (self.at + 1) % HEARD;
    }

    fn has(&self, text: &str) -> bool {
        self.hashes.contains(&text_hash(text.as_bytes()))
    }
}

impl Out<'_> {
    /// True for a message that stands in the head and quotes what is said behind it; what names its sender may be quoted from here on.
    #[inline(never)]
    pub(super) fn is_quoted(&mut self, place: &Place, hash: u64) -> bool {
        if place.direction == Direction::Unknown {
            return self.plan.quotes.contains(&place.byte_offset);
        }
        self.heard.note(hash);
        false
    }

    /// True for what was handed on lately, whole or, of an array, each of its members.
    #[cold]
    pub(crate) fn has_heard(&self, text: &str, range: &Range<usize>, parsed: &Parsed<'_, Facts<'_>>) -> bool {
        match parsed {
            Parsed::One(..) => self.heard.has(&text[range.clone()]),
            Parsed::Batch(members) => {
                !members.is_empty() && members.iter().all(|(member, _)| self.heard.has(&text[member.clone()]))
            }
        }
    }

    /// True for the text of a message that was handed on lately.
    #[cold]
    pub(crate) fn has_heard_text(&self, text: &str) -> bool {
        self.heard.has(text)
    }
}
