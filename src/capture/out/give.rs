//! Giving lines to a reader, and a look at what it passed over or left of them.

use super::Out;
use crate::capture::format::LineReader;
use crate::capture::lines::Line;
use crate::capture::unread::{behind, breaks_off, is_torn, looks_like_messages, quoted, said_lost, seam};
use crate::capture::{Direction, Missing, Skip, Why};
use crate::error::Result;

/// The shortest text that may hold a message, in bytes.
const SHORTEST: usize = 20;

impl Out<'_> {
    /// Gives a line to a reader, and looks at what it passed over.
    pub(crate) fn give(&mut self, reader: &mut dyn LineReader, line: &Line<'_>) -> Result<()> {
        let last = self.give_all(reader, line)?;
        self.look_back(last.number, last.bytes)
    }

    /// Gives a line to a reader, and what stands behind a record that ends within it as a line of its own: two writers of
    /// one file may glue their records together. The part that was given last.
    pub(crate) fn give_all<'a>(&mut self, reader: &mut dyn LineReader, line: &Line<'a>) -> Result<Line<'a>> {
        let mut rest = *line;
        while let Some(at) = seam(rest.bytes) {
            let first = Line { bytes: &rest.bytes[..at], ended: true, ..rest };
            reader.line(&first, self)?;
            self.look_back(first.number, first.bytes)?;
            rest = rest.from(at);
        }
        reader.line(&rest, self)?;
        while let Some(at) = self.left_over(rest.bytes) {
            rest = rest.from(at);
            reader.line(&rest, self)?;
        }
        Ok(rest)
    }

    /// Gives the beginning of a line over the limit to a reader.
    pub(crate) fn give_oversized(&mut self, reader: &mut dyn LineReader, line: &Line<'_>) -> Result<()> {
        reader.oversized(line, self)?;
        self.look_back(line.number, line.bytes)
    }

    /// A text of the log was read up to its end.
    #[inline]
    pub(crate) fn read_to_end_of(&mut self, text: &str) {
        self.read_to = text.as_ptr().addr() + text.len();
    }

    /// Where a line goes on behind what was read of it, if something like a message stands there.
    #[inline]
    fn left_over(&self, line: &[u8]) -> Option<usize> {
        let read = self.read_to.checked_sub(line.as_ptr().addr()).filter(|read| *read > 0 && *read < line.len())?;
        if line.len() - read < SHORTEST { None } else { behind(line, read) }
    }

    /// Looks at a line that a reader was given: it is told where it was passed over and holds something like messages, or the
    /// beginning of a record, or says that others were left out.
    fn look_back(&mut self, line: u64, text: &[u8]) -> Result<()> {
        match self.passed.filter(|(passed, _)| *passed == line) {
            // What a format promised to be a message is a gap already.
            Some(_) if self.gap_at == Some(line) => Ok(()),
            Some((_, Skip::NotAMessage | Skip::Oversized)) => match said_lost(text) {
                _ if looks_like_messages(text) || is_torn(text) || self.is_cut_line(text) => self.unread(line, text),
                Some(lost) => self.left_out(line, lost, text),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// A line by which a logger says that it left out others.
    fn left_out(&mut self, line: u64, lost: u64, text: &[u8]) -> Result<()> {
        let words = quoted(text);
        let missing = Missing { lost: Some(lost), words: &words, ..Missing::new(Why::Gap) };
        self.missing_anywhere(line, Direction::Unknown, missing)
    }

    /// True for a line that a size limit cut before anything of a message is seen: a record that breaks off where others do.
    fn is_cut_line(&self, text: &[u8]) -> bool {
        self.plan.cut_line == Some(text.len()) && breaks_off(text)
    }
}
