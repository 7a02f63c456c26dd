//! What is missing of a source: it waits for the frames before it, and is told where it stands.

use std::collections::VecDeque;

use super::Out;
use crate::capture::lines::Line;
use crate::capture::place::Place;
use crate::capture::plan::Order;
use crate::capture::unread::quoted;
use crate::capture::{Body, Direction, Frame, Missing, Skip, Why};
use crate::error::Result;

/// A stretch of the whole source: in which turn it was read, lines, direction, why, how many messages, words.
pub(super) struct Waiting {
    turn: u64,
    lines: (u64, u64),
    direction: Direction,
    why: Why,
    lost: Option<u64>,
    words: String,
}

/// The next stretch, where it goes on with the one before.
fn next_of(ripe: &mut VecDeque<Waiting>, run: &Waiting) -> Option<Waiting> {
    let goes_on = ripe.front().is_some_and(|next| (next.why, next.direction) == (run.why, run.direction));
    if goes_on { ripe.pop_front() } else { None }
}

/// How many stretches wait at most; a reader that holds more lines back than that is none of ours.
const WAITING: usize = 64;

impl Out<'_> {
    /// Something is missing that any connection of the source may miss.
    pub(crate) fn missing_anywhere(&mut self, line: u64, direction: Direction, missing: Missing<'_>) -> Result<()> {
        let Missing { why, lost, to_line, words } = missing;
        self.lacks |= matches!(why, Why::Unread | Why::Gap | Why::Torn);
        let lines = (line, to_line.unwrap_or(line));
        let turn = self.turn_of(line);
        self.waiting.push(Waiting { turn, lines, direction, why, lost, words: words.to_string() });
        if self.waiting.len() > WAITING {
            return self.tell_missing(self.waiting[0].turn);
        }
        Ok(())
    }

    /// A line that was passed over although it holds something like messages, or the beginning of one.
    pub(crate) fn unread(&mut self, line: u64, text: &[u8]) -> Result<()> {
        let lost = Some(1);
        let words = quoted(text);
        self.missing_anywhere(line, Direction::Unknown, Missing { lost, words: &words, ..Missing::new(Why::Unread) })
    }

    /// A message in a text that is not UTF-8. Programs write logs in the encoding of their machine: what was sent may well have
    /// been UTF-8, and only those who keep bytes as they were can tell.
    #[cold]
    pub(crate) fn not_utf8(&mut self, line: u64, text: &[u8]) -> Result<()> {
        self.skip(line, Skip::Foreign);
        self.unread(line, text)
    }

    /// A line is read now.
    #[inline]
    pub(crate) fn turn_to(&mut self, line: u64) {
        if self.in_turns || self.plan.order != Order::AsWritten {
            self.turns.read(line);
        }
    }

    /// The reader gives lines in an order of its own, and says of each when its turn is.
    pub(crate) fn reads_in_turns(&mut self) {
        self.in_turns = true;
    }

    /// In which turn a line is read.
    pub(super) fn turn_of(&self, line: u64) -> u64 {
        let as_written = !self.in_turns && self.plan.order == Order::AsWritten;
        if as_written { line } else { self.turns.of(line) }
    }

    /// Hands on what is missing up to a turn. A reader may hold a record back, so stretches wait for the frames before them.
    pub(super) fn tell_missing(&mut self, turn: u64) -> Result<()> {
        let ripe = self.waiting.iter().take_while(|waiting| waiting.turn <= turn).count();
        let mut ripe: VecDeque<Waiting> = self.waiting.drain(..ripe).collect();
        while let Some(mut run) = ripe.pop_front() {
            // Neighbours of one kind are one stretch: no frame stands between them.
            while let Some(next) = next_of(&mut ripe, &run) {
                run.lines = (run.lines.0.min(next.lines.0), run.lines.1.max(next.lines.1));
                run.lost = run.lost.zip(next.lost).map(|(a, b)| a + b);
            }
            self.tell(&run)?;
        }
        Ok(())
    }

    /// Says of the whole source that records were left out of it, if they were.
    pub(crate) fn tell_sampled(&mut self) -> Result<()> {
        if !self.plan.sampled {
            return Ok(());
        }
        let (lines, direction, words) = ((1, 1), Direction::Unknown, String::new());
        self.tell(&Waiting { turn: 0, lines, direction, why: Why::Sampled, lost: None, words })
    }

    /// Says that the part of the log before this one lacks messages, if it does: what is spoken of here may have stood there, whether or
    /// not that part shows anything of its connection.
    pub(crate) fn tell_lack_before(&mut self, lacks: bool) -> Result<()> {
        if !lacks {
            return Ok(());
        }
        let words = "messages of the part of the log before this one were lost, or not read".to_string();
        let (lines, direction) = ((1, 1), Direction::Unknown);
        self.tell(&Waiting { turn: 0, lines, direction, why: Why::Gap, lost: None, words })
    }

    fn tell(&mut self, run: &Waiting) -> Result<()> {
        let Waiting { lines: (line, to), direction, why, lost, words, .. } = run;
        let to_line = Some(*to).filter(|to| to > line);
        let place = Place {
            line: *line,
            byte_offset: 0,
            channel: Frame::WHOLE_SOURCE,
            at_us: None,
            direction: *direction,
            stream: None,
            taps: None,
        };
        let body = Body::Missing(Missing { why: *why, lost: *lost, to_line, words });
        self.sink.frame(&place.frame(self.source, body))
    }

    /// The end of the source: hands on what waits.
    pub(crate) fn end(&mut self) -> Result<()> {
        self.tell_missing(u64::MAX)
    }

    /// A line passed over.
    pub(crate) fn skip(&mut self, line: u64, why: Skip) {
        self.passed = Some((line, why));
        if why == Skip::CutOff {
            self.cut_at = Some(line);
        }
        if why == Skip::CutOff || why.is_loss() {
            let lost = (why == Skip::CutOff).then_some(1);
            let (lines, direction, words) = ((line, line), Direction::Unknown, String::new());
            let turn = self.turn_of(line);
            self.waiting.push(Waiting { turn, lines, direction, why: Why::Torn, lost, words });
        }
        self.sink.skipped(line, why);
    }

    /// A line with the beginning of a message, which is put as a gap of its connection: what is lost is counted there.
    pub(crate) fn cut_off(&mut self, place: &Place) -> Result<()> {
        self.skip(place.line, Skip::CutOff);
        if let Some(told) = self.waiting.last_mut() {
            told.lost = Some(0);
        }
        self.put(place, Body::gap(Some(1)))
    }

    /// A line over the limit, passed over.
    pub(crate) fn skip_oversized(&mut self, line: &Line<'_>) {
        self.skip(line.number, Skip::Oversized);
    }
}
