//! Lines of text that a word keeps apart: each value has a reader of its own, so that what one reads of a record does not
//! run into another.

use crate::capture::format::{Format, LineReader, Reader};
use crate::capture::lines::Line;
use crate::capture::out::Out;
use crate::capture::sample::Sample;
use crate::error::Result;

/// How many values are kept apart; what comes later goes with the first.
const LANES: usize = 4096;

/// What stands before the message of a line: all before the first brace, but labels in braces (`{app="x", pod="y"}`) are no message.
pub(super) fn prefix(line: &str) -> &str {
    let opens = |at: &usize| {
        let inside = line[at + 1..].trim_start();
        inside.starts_with(['"', '\'', '\\', '}']) || !inside.contains('{')
    };
    let mut braces = memchr::memchr_iter(b'{', line.as_bytes());
    &line[..braces.find(opens).unwrap_or(line.len())]
}

/// The words of what stands before a message: between blanks and bars; what stands in square brackets is one.
pub(super) fn words(prefix: &str) -> impl Iterator<Item = &str> {
    let parts = |c: char| c.is_whitespace() || c == '|';
    let mut rest = prefix;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(parts);
        let bracket = rest.starts_with('[').then(|| rest.find(']')).flatten().unwrap_or(0);
        let end = rest[bracket..].find(parts).map_or(rest.len(), |end| bracket + end);
        let word;
        (word, rest) = rest.split_at(end);
        (!word.is_empty()).then_some(word)
    })
}

/// See the module.
pub(in crate::capture) struct Lanes<'f> {
    /// Which word, from 0.
    word: usize,
    format: &'static dyn Format,
    sample: &'f Sample,
    lanes: Vec<(String, Box<dyn LineReader>)>,
    last: usize,
}

impl<'f> Lanes<'f> {
    /// Lines of a format, kept apart by their `word`th word, counted from 1.
    pub(in crate::capture) fn new(word: usize, format: &'static dyn Format, sample: &'f Sample) -> Lanes<'f> {
        Lanes { word: word - 1, format, sample, lanes: Vec::new(), last: 0 }
    }

    /// The lane of a line; one that starts with white space goes on with what the line before began.
    fn lane(&mut self, line: &Line<'_>) -> Option<usize> {
        let text = line.text();
        let Some(word) = words(prefix(&text)).nth(self.word).filter(|_| !text.starts_with(char::is_whitespace)) else {
            return Some(self.last).filter(|last| *last < self.lanes.len());
        };
        let known = self.lanes.iter().position(|(known, _)| known == word);
        let at = match known {
            Some(at) => at,
            None if self.lanes.len() >= LANES => 0,
            None => {
                let (Reader::Lines(reader) | Reader::Ordered(reader)) = self.format.reader(self.sample) else {
                    return None;
                };
                self.lanes.push((word.to_string(), reader));
                self.lanes.len() - 1
            }
        };
        self.last = at;
        Some(at)
    }
}

impl LineReader for Lanes<'_> {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let Some(at) = self.lane(line) else {
            out.skip(line.number, crate::capture::Skip::NotAMessage);
            return Ok(());
        };
        let (name, reader) = &mut self.lanes[at];
        out.enter(name, line.number, None, None);
        let done = reader.line(line, out);
        out.leave(name);
        done
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<()> {
        for (name, reader) in &mut self.lanes {
            out.enter_again(name);
            reader.end(out)?;
            out.leave(name);
        }
        Ok(())
    }
}
