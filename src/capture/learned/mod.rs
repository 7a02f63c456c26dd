//! Text logs of programs' own making: the shape is learned from the log, not listed.
//!
//! Nearly every such log is a prefix, a word or a sign for the direction, and a message. `evidence` says what the messages
//! prove of their senders, `separate` which words go with that, `shape` writes what was learned as a definition. The
//! log is then read by that definition like by any other, so what `formats --explain` prints reads it the same.

mod evidence;
mod separate;
mod shape;
mod times;
mod tokens;

#[cfg(test)]
mod tests;

use super::definition;
use super::format::{Format, Match, Reader};
use super::sample::Sample;
use shape::Shape;

/// The format.
pub(crate) struct TextLog;

/// How specific a learned shape is: any format that knows its emitter goes first, bare messages do not.
const SCORE: u8 = 54;

/// The same where some messages have nothing before them, so that reading bare messages would read a part only.
const MIXED: u8 = 52;

/// The same where most have nothing before them: only if no other format reads them (objects as Python prints them).
const BARE: u8 = 10;

/// The same where no word was learned: a wrapper that is known goes first, with bare messages in it.
const WORDLESS: u8 = 45;

/// The shape of a log, which is learned once of each.
fn learn(sample: &Sample) -> Option<Shape> {
    Option::clone(&sample.learned(Shape::learn))
}

impl Format for TextLog {
    fn name(&self) -> &'static str {
        "text-log"
    }

    fn about(&self) -> &'static str {
        "a program's own text log: a message in a line, behind a time, a word or a sign; learned from the log"
    }

    fn most(&self) -> u8 {
        SCORE
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        // Colours would be taken for words; there is a wrapper that takes them off.
        if memchr::memchr(0x1b, sample.text().as_bytes()).is_some() {
            return None;
        }
        let shape = learn(sample)?;
        let score = match (shape.has_words(), shape.mixed) {
            (true, _) => SCORE,
            (false, true) if shape.bare => BARE,
            (false, true) => MIXED,
            (false, false) => WORDLESS,
        };
        Match::new(score, shape.sentence())
    }

    fn reader(&self, sample: &Sample) -> Reader {
        let shape = learn(sample).unwrap_or_default();
        match definition::learned(&shape.definition()).reader(sample) {
            // A message over several lines cannot be taken up in its middle.
            Reader::Lines(reader) if shape.joined => Reader::Ordered(reader),
            reader => reader,
        }
    }

    fn definition(&self, sample: &Sample) -> Option<String> {
        Some(learn(sample).unwrap_or_default().definition())
    }
}
