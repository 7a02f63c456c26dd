//! Records that stand twice: what was delivered at least once, or sent again after a reconnect.

use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use super::Plan;
use crate::capture::place::Place;

/// How many messages of one time are remembered where the clock tells too little.
const BLOCK: usize = 8;

/// How many messages are remembered.
const REMEMBERED: usize = 4096;

/// Whether a message was handed on before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::capture) enum Known {
    No,
    Yes,
    /// The same was, at the same time; nothing tells whether it was said twice or delivered twice.
    Perhaps,
}

/// The messages that were handed on, of a log or of one of its parts.
#[derive(Default)]
pub(in crate::capture) struct Twins {
    /// What each channel of the log is known by.
    channels: Vec<u64>,
    /// Digests of what the part before this one handed on.
    earlier: FxHashMap<u64, usize>,
    /// Digests of time and text, and the number of the message that had each last.
    seen: FxHashMap<u64, usize>,
    count: usize,
    newest: Option<i64>,
    /// True once a request or an answer stood twice: then what has no id may do so, too.
    met: bool,
    /// Digests of the newest messages of one time, in a log whose clock tells too little.
    newest_of_time: VecDeque<u64>,
    /// That time, and whether the message before said what was said in it.
    time_of_newest: Option<i64>,
    repeated: bool,
    /// Of a log that holds everything twice: whether a text was met an odd number of times.
    odd: FxHashMap<u64, bool>,
}

impl Twins {
    /// The next channel of a log: by its name, or one of this source alone.
    pub(in crate::capture) fn channel(&mut self, source: u32, name: Option<&str>) {
        let mut hasher = FxHasher::default();
        match name {
            Some(name) => name.hash(&mut hasher),
            None => (source, self.channels.len()).hash(&mut hasher),
        }
        self.channels.push(hasher.finish());
    }

    /// What the next log has to know of this one.
    pub(in crate::capture) fn of_next(self) -> Twins {
        Twins { earlier: self.seen, ..Twins::default() }
    }

    fn digest(&self, place: &Place, text: u64) -> u64 {
        let mut hasher = FxHasher::default();
        let channel = self.channels.get(place.channel as usize);
        (channel, place.direction, place.at_us, text).hash(&mut hasher);
        hasher.finish()
    }

    /// Whether a message or a batch, given by the hash of its text, was handed on before: byte for byte, and with the same time. Two
    /// notifications may well be equal; they are twins for sure only where requests or answers are, or where newer ones stand
    /// between them.
    #[inline]
    pub(in crate::capture) fn knows(&mut self, plan: &Plan, place: &Place, text: u64, has_id: bool) -> Known {
        if plan.doubled {
            let odd = self.odd.entry(self.digest(place, text)).or_default();
            *odd = !*odd;
            return if *odd { Known::No } else { Known::Yes };
        }
        let Some(at_us) = place.at_us else { return Known::No };
        let digest = self.digest(place, text);
        if self.earlier.contains_key(&digest) {
            return Known::Yes;
        }
        let newest = self.newest.unwrap_or(i64::MIN);
        let is_told = plan.resent || self.met || newest > at_us || has_id;
        let mut known = Known::No;
        if newest < at_us {
            self.newest = Some(at_us);
        } else if self.remembers(digest) {
            if is_told {
                self.met = true;
                return Known::Yes;
            }
            known = Known::Perhaps;
        }
        self.remember(digest);
        known
    }

    /// True for a message that says, with the same time, what the one before it says, or that is a part of several which
    /// a request begins and which stand there again.
    pub(in crate::capture) fn repeats(&mut self, place: &Place, text: u64, asks: bool) -> bool {
        if place.at_us.is_none() || self.time_of_newest != place.at_us {
            self.newest_of_time.clear();
            self.time_of_newest = place.at_us;
        }
        let digest = self.digest(place, text);
        let follows = self.newest_of_time.back() == Some(&digest) || asks || self.repeated;
        self.repeated = place.at_us.is_some() && follows && self.newest_of_time.contains(&digest);
        if self.newest_of_time.len() == BLOCK {
            self.newest_of_time.pop_front();
        }
        self.newest_of_time.push_back(digest);
        self.repeated
    }

    fn remember(&mut self, digest: u64) {
        self.count += 1;
        self.seen.insert(digest, self.count);
        if self.seen.len() >= 2 * REMEMBERED {
            let oldest = self.count - REMEMBERED;
            self.seen.retain(|_, number| *number > oldest);
        }
    }

    fn remembers(&self, digest: u64) -> bool {
        self.seen.get(&digest).is_some_and(|number| *number + REMEMBERED > self.count)
    }
}
