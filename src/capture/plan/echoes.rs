//! Two loggers of one program: what one says within a second of the other, in the same words, is said once.

use rustc_hash::FxHashMap;

use crate::capture::Direction;
use crate::capture::place::Place;

/// How far apart the two write, in microseconds.
pub(in crate::capture) const APART_US: i64 = 1_000_000;

/// How many messages are remembered before the old ones are forgotten.
const REMEMBERED: usize = 4096;

/// What one logger has said and no other one yet: by the hash of its text, who said it in which connection; and the logger and the time.
#[derive(Default)]
pub(in crate::capture) struct Echoes {
    heard: FxHashMap<(u64, u32, Direction), (u64, i64)>,
    voice: u64,
    /// The logger of each record, by the offset at which it begins, where records are not read one by one.
    voices: Vec<(u64, Option<u64>)>,
}

impl Echoes {
    /// The logger of what is read from now on, by a digest.
    pub(in crate::capture) fn speaks(&mut self, voice: u64) {
        self.voice = voice;
    }

    /// The loggers of all records of a text.
    pub(in crate::capture) fn voices_at(&mut self, voices: Vec<(u64, Option<u64>)>) {
        self.voices = voices;
    }

    /// True for a message, given by the hash of its text, that was said just before by another logger, one of the two being the one
    /// that says all. What only one of them says is no echo, whatever the rest of its messages were.
    pub(in crate::capture) fn repeats(&mut self, place: &Place, text: u64, main: u64) -> bool {
        let Some(at_us) = place.at_us else { return false };
        let own = self.voice_of(place);
        let near = |us: i64| (at_us - us).abs() <= APART_US;
        let said = (text, place.channel, place.direction);
        let echoes = |voice: u64| voice != own && (voice == main || own == main);
        if self.heard.get(&said).is_some_and(|(voice, us)| echoes(*voice) && near(*us)) {
            self.heard.remove(&said);
            return true;
        }
        if self.heard.len() >= REMEMBERED {
            self.heard.retain(|_, (_, us)| near(*us));
        }
        self.heard.insert(said, (own, at_us));
        false
    }

    fn voice_of(&self, place: &Place) -> u64 {
        let behind = self.voices.partition_point(|(start, _)| *start <= place.byte_offset);
        behind.checked_sub(1).and_then(|at| self.voices[at].1).unwrap_or(self.voice)
    }
}
