//! Records that stand twice: what was delivered at least once, or sent again after a reconnect.

use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::Plan;
use super::seam::Seam;
use crate::capture::place::Place;

/// How many messages are remembered.
const REMEMBERED: usize = 4096;

/// How many records stand twice in a log that repeats many, where it does not tell who sent them.
const SEVERAL: usize = 3;

/// How many records are, of those that hold several messages.
const RECORDS: usize = 1 << 16;

/// Whether a message was handed on before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::capture) enum Known {
    No,
    Yes,
    /// The same was, at the same time; nothing tells whether it was said twice or delivered twice.
    Perhaps,
}

/// Who has said what stands twice with one time and nothing newer between the two. One side may say a thing twice by mistake, but hardly
/// both of them.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::capture) struct Repeated([usize; 3]);

impl Repeated {
    /// Takes down a record that stands twice, by the number of its sender.
    pub(in crate::capture) fn note(&mut self, sender: u8) {
        if let Some(count) = self.0.get_mut(usize::from(sender)) {
            *count += 1;
        }
    }

    /// True where they are the log's doing, which repeats many records, whoever sent them.
    pub(in crate::capture) fn are_the_logs(&self) -> bool {
        let [one, other, untold] = self.0;
        one > 0 && other > 0 || untold >= SEVERAL
    }
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
    /// Of a log whose records stand twice, one right behind the other: the digest of the last one.
    last: Option<u64>,
    /// True once the log has surely said a thing twice: then whatever stands twice is the log's doing.
    met: bool,
    /// Requests and answers that stood twice.
    repeated: Repeated,
    /// Of a log that holds everything twice: digests of what was met once and not yet again.
    single: FxHashSet<u64>,
    /// Digests of the last records of this log, and of those of the part before it.
    records: VecDeque<u64>,
    earlier_records: FxHashSet<u64>,
    seam: Seam,
}

impl Twins {
    /// The next channel of a log: by its name, or by how many were before it. What is handed on is a part of the same log.
    pub(in crate::capture) fn channel(&mut self, name: Option<&str>) {
        let mut hasher = FxHasher::default();
        match name {
            Some(name) => name.hash(&mut hasher),
            None => self.channels.len().hash(&mut hasher),
        }
        self.channels.push(hasher.finish());
    }

    /// What the next log has to know of this one.
    pub(in crate::capture) fn of_next(self) -> Twins {
        let earlier_records = self.records.into_iter().collect();
        Twins { earlier: self.seen, earlier_records, seam: self.seam.of_next(), ..Twins::default() }
    }

    /// A part follows this one: what has no time is remembered for it.
    pub(in crate::capture) fn is_followed(&mut self) {
        self.seam.is_followed = true;
    }

    /// Notes a record that is read as one, by its digest; true if the part before this one delivered it. Not all of its messages need to
    /// have times, by which they would be known.
    pub(in crate::capture) fn was_delivered(&mut self, record: u64) -> bool {
        if self.records.len() >= RECORDS {
            self.records.pop_front();
        }
        self.records.push_back(record);
        self.earlier_records.contains(&record)
    }

    fn digest(&self, place: &Place, text: u64) -> u64 {
        let mut hasher = FxHasher::default();
        let channel = self.channels.get(place.channel as usize);
        (channel, place.direction, place.at_us, text).hash(&mut hasher);
        hasher.finish()
    }

    /// Whether a message or a batch, given by the hash of its text, was handed on before: byte for byte, and with the same time. Where
    /// the clock tells too little, it may as well have been said again. So it may where the log repeats nothing else: twins are told by
    /// newer messages between them, or by requests and answers of both sides that stand twice. A log that holds everything twice is asked
    /// so about what its second writer has not written.
    #[inline]
    pub(in crate::capture) fn knows(&mut self, plan: &Plan, place: &Place, text: u64, has_id: bool) -> Known {
        let digest = self.digest(place, text);
        if plan.doubled && self.is_second(digest) {
            return Known::Yes;
        }
        let Some(at_us) = place.at_us else {
            let again = plan.stutters && self.last.replace(digest) == Some(digest);
            return if self.seam.repeats(digest) || again { Known::Perhaps } else { Known::No };
        };
        let newest = self.newest.unwrap_or(i64::MIN);
        let stands_before = self.remember(digest) && newest >= at_us;
        self.newest = Some(newest.max(at_us));
        let of_earlier = self.earlier.contains_key(&digest);
        if !stands_before && !of_earlier {
            return Known::No;
        }
        if has_id {
            self.repeated.note(place.direction.number());
        }
        let is_told = of_earlier || plan.resent || self.met || newest > at_us || self.repeated.are_the_logs();
        if plan.doubts || !is_told {
            return Known::Perhaps;
        }
        self.met = true;
        Known::Yes
    }

    /// True for what the second of two writers wrote.
    fn is_second(&mut self, digest: u64) -> bool {
        let second = self.single.remove(&digest);
        if !second {
            self.single.insert(digest);
        }
        second
    }

    /// Remembers a digest; true if it is known.
    fn remember(&mut self, digest: u64) -> bool {
        self.count += 1;
        let known = self.seen.insert(digest, self.count).is_some_and(|number| number + REMEMBERED > self.count);
        if self.seen.len() >= 2 * REMEMBERED {
            let oldest = self.count - REMEMBERED;
            self.seen.retain(|_, number| *number > oldest);
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_both_sides_repeat_is_the_logs_doing() {
        let told = |senders: &[u8]| {
            let mut repeated = Repeated::default();
            senders.iter().for_each(|sender| repeated.note(*sender));
            repeated.are_the_logs()
        };
        assert!(!told(&[]) && !told(&[1]) && !told(&[1, 1, 1, 1]) && !told(&[2, 2]));
        assert!(told(&[0, 1]) && told(&[2, 2, 2]));
    }

    #[test]
    fn the_records_of_the_part_before_are_known_and_no_others() {
        let mut first = Twins::default();
        assert!(
            ![1, 2, 2].into_iter().any(|record| first.was_delivered(record)),
            "within a part nothing is said of it"
        );
        let mut second = first.of_next();
        assert_eq!([2, 3].map(|record| second.was_delivered(record)), [true, false]);
        assert_eq!([1, 2, 3].map(|record| second.was_delivered(record)), [true, true, false]);
    }
}
