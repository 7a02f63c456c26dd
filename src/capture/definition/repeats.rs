//! A message that a program logs twice under different words: as it came (`raw: b'...'`), and once it was understood.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::capture::Direction;
use crate::capture::anywhere::Piece;
use crate::capture::encoded::json_of;
use crate::capture::plan::APART_US;
use crate::capture::time::{self, Time};

/// How many messages back a message is looked for.
const BACK: usize = 8;

/// The shortest message that is known again where the log does not say who sent it, in bytes.
const TELLING: usize = 40;

/// How many words before a message are told apart.
const WORDS: usize = 32;

/// A message: what it holds, what stands before it, and who sent it.
#[derive(Clone, Copy)]
struct Known {
    message: u64,
    words: Words,
    time: Option<Time>,
    direction: Direction,
}

impl Known {
    /// True if another one is the same, said by the same program in other words, as far as both tell.
    fn is_said_as(&self, other: &Known) -> bool {
        self.message == other.message
            && self.direction == other.direction
            && self.words.are_others_than(&other.words)
            && self.time.zip(other.time).is_none_or(|(one, two)| (one.us - two.us).abs() <= APART_US)
    }
}

/// The last messages.
#[derive(Default)]
pub(super) struct Repeats {
    last: [Option<Known>; BACK],
    at: usize,
    scratch: String,
    bytes: Vec<u8>,
}

impl Repeats {
    /// True if the same message was logged just before under other words, as sent by the same side. Under the same words, or at another
    /// time (`said`, as far as the log tells it), it was sent twice.
    pub(super) fn is_repeated(&mut self, piece: &Piece<'_>, said: Option<&str>, direction: Direction) -> bool {
        let json = json_of(piece.payload, &mut self.scratch, &mut self.bytes).map_or(piece.payload, |(json, _)| json);
        let message = hash(json.bytes().filter(|byte| !byte.is_ascii_whitespace()));
        let own = Known { message, words: Words::of(piece.before), time: said.and_then(time::parse), direction };
        let newest = (self.at + BACK - 1) % BACK;
        let near = |at: usize| direction != Direction::Unknown || at == newest && json.len() > TELLING;
        let again = self
            .last
            .iter()
            .enumerate()
            .any(|(at, known)| near(at) && known.is_some_and(|known| known.is_said_as(&own)));
        if !again {
            self.last[self.at] = Some(own);
            self.at = (self.at + 1) % BACK;
        }
        again
    }
}

/// The words before a message, without numbers, names that hold digits (of sessions, requests, threads), and signs.
#[derive(Clone, Copy, Default)]
struct Words {
    /// The first ones.
    first: [u64; WORDS],
    /// All of them, and the last one.
    all: u64,
    last: u64,
}

impl Words {
    fn of(before: &str) -> Words {
        let mut words = Words::default();
        // A bracket before a message is of the array that holds it.
        let spoken = before.split_whitespace().filter(|word| letters(word).next().is_some());
        let each = spoken.map(|word| hash(letters(word)));
        for (at, word) in each.enumerate() {
            words.all = words.all.rotate_left(5) ^ word;
            words.last = word;
            if let Some(place) = words.first.get_mut(at) {
                *place = word;
            }
        }
        words
    }

    /// True for other words. One word alone that differs, and not the one next to the message, is the name of whoever
    /// wrote the line: a pod, a client. Two of those that say the same are two messages.
    fn are_others_than(&self, other: &Words) -> bool {
        let differ = self.first.iter().zip(&other.first).filter(|(one, two)| one != two).count();
        self.all != other.all && !(differ == 1 && self.last == other.last)
    }
}

fn letters(text: &str) -> impl Iterator<Item = u8> + '_ {
    let parts = text.as_bytes().split(u8::is_ascii_punctuation);
    parts.filter(|part| !part.iter().any(u8::is_ascii_digit)).flatten().copied()
}

fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    let mut hasher = FxHasher::default();
    bytes.for_each(|byte| hasher.write_u8(byte));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_make_no_other_words() {
        let mut repeats = Repeats::default();
        let mut seen = |before: &str| {
            let payload = r#"{"jsonrpc":"2.0","id":2,"result":{}}"#;
            let piece = Piece { before, above: false, payload, line: 1, offset: 0, joined: false, enclosed: false };
            repeats.is_repeated(&piece, before.trim_start().get(..8), Direction::Sent)
        };
        assert_eq!(["08:00:01 << ", " 08:00:02  << ", "08:00:02 raw: sent "].map(&mut seen), [false, false, true]);
        assert!(!seen("08:00:03 << ["), "an array that holds the same");
        assert!(!seen("08:00:05 raw: sent "), "at another time");
    }
}
