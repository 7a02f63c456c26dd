//! Giving lines to a reader, and a look at what it passed over or left of them.

use super::Out;
use crate::capture::format::LineReader;
use crate::capture::harm::{begins_anew, holds_rest, is_rest, second_object, zeros};
use crate::capture::lines::Line;
use crate::capture::unread::{behind, breaks_off, is_torn, looks_like_messages, quoted, said_lost, seam, times_again};
use crate::capture::{Direction, Missing, Skip, Why};
use crate::error::Result;
use std::ops::Range;

/// The shortest text that may hold a message, in bytes.
const SHORTEST: usize = 20;

/// How many records behind words are taken apart on one line at most: each is looked for up to the end of the line.
const GLUED: usize = 8;

impl Out<'_> {
    /// Gives a line to a reader, and looks at what it passed over.
    pub(crate) fn give(&mut self, reader: &mut dyn LineReader, line: &Line<'_>) -> Result<()> {
        let last = self.give_all(reader, line)?;
        self.look_back(last.number, last.bytes)
    }

    /// Gives a line to a reader, and what stands behind a record that ends within it as a line of its own: two writers of
    /// one file may glue their records together. The part that was given last.
    pub(crate) fn give_all<'a>(&mut self, reader: &mut dyn LineReader, line: &Line<'a>) -> Result<Line<'a>> {
        self.turn_to(line.number);
        let mut rest = *line;
        while let Some((from, to)) = zeros(rest.bytes) {
            self.give_first(reader, &rest, from)?;
            if to - from > 1 {
                self.zeroed(rest.number)?;
            }
            if !begins_anew(rest.bytes, from, to) {
                self.unread(rest.number, &rest.bytes[to..])?;
                return Ok(rest.from(rest.bytes.len()));
            }
            rest = rest.from(to);
        }
        while let Some(at) = seam(rest.bytes) {
            self.give_first(reader, &rest, at)?;
            rest = rest.from(at);
        }
        for _ in 0..GLUED {
            let Some(at) = self.heads.second(rest.bytes) else { break };
            self.give_broken(reader, &rest, at)?;
            rest = rest.from(at);
        }
        if reader.reads_parts()
            && let Some(at) = second_object(rest.bytes)
        {
            self.give_broken(reader, &rest, at)?;
            rest = rest.from(at);
        }
        self.read_by(reader, &rest)?;
        while let Some(at) = self.left_over(rest.bytes) {
            rest = rest.from(at);
            self.read_by(reader, &rest)?;
        }
        Ok(rest)
    }

    fn read_by(&mut self, reader: &mut dyn LineReader, line: &Line<'_>) -> Result<()> {
        let start = line.bytes.as_ptr().addr();
        (self.read, self.given) = (0..0, start..start + line.bytes.len());
        reader.line(line, self)
    }

    /// Gives the first bytes of a line as a line of their own.
    fn give_first(&mut self, reader: &mut dyn LineReader, line: &Line<'_>, length: usize) -> Result<()> {
        let first = Line { bytes: &line.bytes[..length], ended: true, ..*line };
        self.read_by(reader, &first)?;
        self.looked_at(first.number, first.bytes)
    }

    /// The same, where another record begins within the line: if nothing is read of the one before, it broke off there.
    #[cold]
    fn give_broken(&mut self, reader: &mut dyn LineReader, line: &Line<'_>, length: usize) -> Result<()> {
        let first = Line { bytes: &line.bytes[..length], ended: true, ..*line };
        self.read_by(reader, &first)?;
        // A reader may wait for the rest of it.
        let is_lost = self.passed == Some((first.number, Skip::NotAMessage)) || breaks_off(first.bytes);
        if is_lost && self.put_at != first.number {
            // What is told of the line is told once.
            (self.passed, self.gap_at) = (None, Some(first.number));
            return self.unread(first.number, first.bytes);
        }
        self.looked_at(first.number, first.bytes)
    }

    /// Looks at a record that was given, of which others may stand on its line.
    pub(crate) fn looked_at(&mut self, line: u64, text: &[u8]) -> Result<()> {
        self.look_back(line, text)?;
        self.passed = None;
        Ok(())
    }

    /// Zeros in the place of what was written: blocks that a file system never got.
    #[cold]
    fn zeroed(&mut self, line: u64) -> Result<()> {
        let missing = Missing { words: "zeros", ..Missing::new(Why::Gap) };
        self.missing_anywhere(line, Direction::Unknown, missing)
    }

    /// Gives the beginning of a line over the limit to a reader.
    pub(crate) fn give_oversized(&mut self, reader: &mut dyn LineReader, line: &Line<'_>) -> Result<()> {
        self.turn_to(line.number);
        reader.oversized(line, self)?;
        self.look_back(line.number, line.bytes)
    }

    /// A text was read up to its end. What was written anew is none of the line.
    #[inline]
    pub(crate) fn read_to_end_of(&mut self, text: &str) {
        let start = text.as_ptr().addr();
        if start < self.given.start || self.given.end < start + text.len() {
            return;
        }
        let first = if self.read.is_empty() { start } else { self.read.start.min(start) };
        self.read = first..start + text.len();
    }

    /// Where the messages that were read stand on a line, from the first to the last, if they do.
    #[inline]
    fn read_on(&self, line: &[u8]) -> Option<Range<usize>> {
        let start = self.read.start.checked_sub(line.as_ptr().addr())?;
        let end = start + self.read.len();
        (0 < end && end <= line.len()).then_some(start..end)
    }

    /// Where a line goes on behind what was read of it, if something like a message stands there.
    #[inline]
    fn left_over(&self, line: &[u8]) -> Option<usize> {
        let read = self.read_on(line)?.end;
        if line.len() - read < SHORTEST { None } else { behind(line, read) }
    }

    /// Where another record begins in a text that begins as a line does: at a time that lines of this log do not have before
    /// their messages. Shippers and viewers put a second one there.
    #[inline]
    pub(crate) fn begins_again(&self, text: &[u8]) -> Option<usize> {
        match text.first() {
            None | Some(b'{') => None,
            Some(_) => times_again(text, 0).nth(self.plan.times),
        }
    }

    /// Looks at a line that a reader was given: it is told where it was passed over and holds something like messages, or the
    /// beginning of a record, or says that others were left out.
    fn look_back(&mut self, line: u64, text: &[u8]) -> Result<()> {
        match self.passed.filter(|(passed, _)| *passed == line) {
            // What a format promised to be a message is a gap already.
            Some(_) if self.gap_at == Some(line) => Ok(()),
            Some((_, Skip::NotAMessage | Skip::Oversized)) => match said_lost(text) {
                _ if self.held_messages(text) => self.unread(line, text),
                Some(lost) => self.left_out(line, lost, text),
                None => Ok(()),
            },
            Some(_) => Ok(()),
            None => self.look_beside(line, text),
        }
    }

    /// Looks at what stands beside the message of a line.
    #[inline]
    fn look_beside(&mut self, line: u64, text: &[u8]) -> Result<()> {
        let Some(read) = self.read_on(text) else {
            // What was read was written anew: it stands in brackets. Of what was cut nothing was read.
            if self.gap_at != Some(line) {
                self.heads.learn(text, memchr::memchr(b'{', text).unwrap_or(0));
            }
            return Ok(());
        };
        // Where all of a record makes the message, brackets hold its parameters.
        let start = if read.start == 0 { memchr::memchr(b'{', text).unwrap_or(0) } else { read.start };
        self.heads.learn(text, start);
        let broke_off = self.begins_again(&text[..read.start]).is_some();
        if broke_off || holds_rest(text, read.start, read.end) { self.unread(line, text) } else { Ok(()) }
    }

    /// A line, all of which stands before the message of a record.
    pub(crate) fn learn_head(&mut self, line: &[u8]) {
        self.heads.learn(line, line.len());
    }

    /// True for a line that breaks off in what stands before a message on others.
    pub(crate) fn breaks_off_early(&self, line: &[u8]) -> bool {
        self.heads.breaks_off(line)
    }

    /// True for a line that holds something like messages, or what harm has left of a record.
    fn held_messages(&self, text: &[u8]) -> bool {
        looks_like_messages(text)
            || is_torn(text)
            || is_rest(text)
            || self.is_cut_line(text)
            || self.heads.breaks_off(text)
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
