//! What was handed on lately of which the log says who sent it: a record that does not say it, and holds nothing else, quotes it.

use super::Out;
use crate::capture::anywhere::{json_of, next};
use crate::capture::text_hash;
use crate::jsonrpc::Parsed;
use crate::protocol::Facts;
use std::ops::Range;

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

    /// True for a text whose messages were handed on lately.
    #[cold]
    pub(crate) fn quotes(&self, text: &str) -> bool {
        let (mut at, mut quotes) = (0, false);
        let (mut json, mut bytes) = (String::new(), Vec::new());
        while let Some(found) = next(text, at) {
            quotes = json_of(&text[found.start..found.end], &mut json, &mut bytes)
                .is_ok_and(|(json, _)| self.heard.has(json));
            if !quotes {
                return false;
            }
            at = found.end.max(at + 1);
        }
        quotes
    }
}
