//! Two loggers of one program: what one says within a second of the other, in the same words, is said once.

use rustc_hash::FxHashMap;

use crate::capture::place::Place;

/// How far apart the two write, in microseconds.
pub(in crate::capture) const APART_US: i64 = 1_000_000;

/// How many messages are remembered before the old ones are forgotten.
const REMEMBERED: usize = 4096;

/// What one logger has said and no other one yet: by the hash of its text, the channel and the time.
#[derive(Default)]
pub(in crate::capture) struct Echoes {
    heard: FxHashMap<u64, (u32, i64)>,
}

impl Echoes {
    /// True for a message, given by the hash of its text, that another logger has said just before. What only one of them says is
    /// no echo, whatever the rest of its messages were.
    pub(in crate::capture) fn repeats(&mut self, place: &Place, text: u64) -> bool {
        let Some(at_us) = place.at_us else { return false };
        let near = |us: i64| (at_us - us).abs() <= APART_US;
        if self.heard.get(&text).is_some_and(|(channel, us)| *channel != place.channel && near(*us)) {
            self.heard.remove(&text);
            return true;
        }
        if self.heard.len() >= REMEMBERED {
            self.heard.retain(|_, (_, us)| near(*us));
        }
        self.heard.insert(text, (place.channel, at_us));
        false
    }
}
