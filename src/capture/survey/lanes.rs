//! Lines of text that a word keeps apart: each value has a reader of its own, so that what one reads of a record does not
//! run into another.

use crate::capture::anywhere;
use crate::capture::format::{Format, LineReader, Reader};
use crate::capture::lines::Line;
use crate::capture::out::Out;
use crate::capture::peel::cri_piece;
use crate::capture::sample::Sample;
use crate::capture::spoken::{Telling, said};
use crate::error::Result;

/// How many values are kept apart; what comes later goes with the first.
const LANES: usize = 4096;

/// See the module.
pub(in crate::capture) struct Lanes<'f> {
    /// What each line says there, one behind the other, is the name of its lane.
    telling: Vec<Telling>,
    format: &'static dyn Format,
    sample: &'f Sample,
    lanes: Vec<(String, Box<dyn LineReader>)>,
    last: usize,
    /// The streams of a container of which a record goes on in the next line, and its lane.
    pieces: Vec<(String, usize)>,
    /// True for lines that may be pieces.
    has_pieces: bool,
}

impl<'f> Lanes<'f> {
    /// Lines of a format, kept apart by what they say there.
    pub(in crate::capture) fn new(telling: Vec<Telling>, format: &'static dyn Format, sample: &'f Sample) -> Lanes<'f> {
        let has_pieces = format.name() == "kubernetes-cri";
        Lanes { telling, format, sample, lanes: Vec::new(), last: 0, pieces: Vec::new(), has_pieces }
    }

    /// The lane of a line: a piece goes where the first of its record went, which alone has all that stands before a message.
    fn lane(&mut self, line: &Line<'_>) -> Option<usize> {
        let text = line.text();
        let Some((stream, is_last)) = cri_piece(&text).filter(|_| self.has_pieces) else { return self.by_word(&text) };
        let begun = self.pieces.iter().position(|(known, _)| known == stream);
        let at = match begun {
            Some(begun) => Some(self.pieces[begun].1),
            None => self.by_word(&text),
        };
        match (begun, at) {
            (Some(begun), _) if is_last => drop(self.pieces.swap_remove(begun)),
            (None, Some(at)) if !is_last => self.pieces.push((stream.to_string(), at)),
            _ => {}
        }
        at
    }

    /// The lane that the words of a line name; one that starts with white space goes on with what the line before began, unless it has a
    /// message of its own, as where all lines are indented.
    fn by_word(&mut self, text: &str) -> Option<usize> {
        let goes_on = text.starts_with(char::is_whitespace) && anywhere::next(text, 0).is_none();
        let said = said(&self.telling, text).filter(|_| !goes_on);
        let Some(word) = said else { return Some(self.last).filter(|last| *last < self.lanes.len()) };
        let known = self.lanes.iter().position(|(known, _)| *known == word);
        let at = match known {
            Some(at) => at,
            None if self.lanes.len() >= LANES => 0,
            None => {
                let (Reader::Lines(reader) | Reader::Ordered(reader)) = self.format.reader(self.sample) else {
                    return None;
                };
                self.lanes.push((word.into_owned(), reader));
                self.lanes.len() - 1
            }
        };
        self.last = at;
        Some(at)
    }
}

impl LineReader for Lanes<'_> {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let lane = self.lane(line);
        if lane.is_some() || line.bytes.contains(&b'{') {
            out.key_is_told(lane.is_some());
        }
        let Some(at) = lane else {
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
