//! What the log does not show: stretches of it, of a connection or of a whole source.

use std::collections::BTreeMap;

use super::seen::FrameId;
use crate::capture::{Body, Direction, Frame, Missing, Why};
use crate::protocol::Side;

/// The connection of a stretch that any connection of its source may miss.
pub const NO_CONNECTION: u32 = Frame::WHOLE_SOURCE;

/// How many stretches are kept apart; beyond that a new one joins the newest of its kind, which can only take proof away.
const KEPT: usize = 256;

/// A stretch that the log does not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Why.
    pub why: Why,
    /// Whose messages are missing, where known.
    pub side: Option<Side>,
    /// The first and the last frame that it covers.
    pub frames: (FrameId, FrameId),
    /// Its first and last line; 0 where it has none.
    pub lines: (u64, u64),
    /// True if what may be missing neither asks nor answers.
    pub notifies: bool,
}

impl Stretch {
    /// Why nothing can be concluded from absence here, as the end of a sentence.
    pub fn reason(&self) -> String {
        let (first, last) = self.lines;
        let (one, lines) = match last > first {
            true => (false, format!("lines {first} to {last}")),
            false => (true, format!("line {first}")),
        };
        match self.why {
            Why::Head => "the log does not show how the connection began".to_string(),
            Why::Tail => "the log ends before the connection does".to_string(),
            Why::Gap => format!("messages were lost at {lines}"),
            Why::Unrecorded => format!("what stands at {lines} is about a message that no record shows"),
            Why::Unread if one => format!("{lines} holds something like a message that was not read"),
            Why::Unread => format!("{lines} hold something like messages that were not read"),
            Why::Torn => format!("the log is cut at {lines}"),
            Why::Dropped => format!("from {lines} on the log leaves messages out"),
            Why::Guessed if one => format!("whose message stands at {lines} was guessed"),
            Why::Guessed => format!("whose messages stand at {lines} was guessed"),
            Why::TakenOut => format!("parts of the message at {lines} were taken out before it was logged"),
            Why::Doubtful if one => format!("{lines} does not say who sent it, as other messages do, and may be none"),
            Why::Doubtful => format!("{lines} do not say who sent them, as other messages do, and may be none"),
            Why::Twice => {
                format!("{lines} says what a record before it says, and may be that one again")
            }
            Why::Untimed => format!("{lines} does not tell when the request was answered"),
            Why::Unordered => format!("nothing tells what comes first of {lines} and what stands beside it"),
            Why::Foreign => {
                format!("{lines} may be of another protocol: no `jsonrpc`, and members that JSON-RPC does not know")
            }
            Why::Behind => format!("the file of {lines} goes back in time behind the one that was read before it"),
            Why::Sampled => "the log shows what followed from records that it lacks".to_string(),
            Why::Mixed => format!("from {lines} on several connections stand in one stream"),
        }
    }

    /// True for what is in the log, at a place that is not told: nothing is missing there.
    fn is_there(&self) -> bool {
        matches!(self.why, Why::Unordered | Why::Untimed)
    }

    pub(super) fn covers(&self, side: Option<Side>, from: FrameId, to: FrameId) -> bool {
        let whose = self.side.is_none() || side.is_none() || self.side == side;
        whose && self.frames.0 <= to && from <= self.frames.1
    }
}

/// The stretches of a connection, or of a source, in their order.
#[derive(Clone, Debug, Default)]
pub struct Stretches {
    pub(super) list: Vec<Stretch>,
    /// From here on it is known that nothing was before.
    pub(super) begins: FrameId,
    /// The time to which a later file went back: what an earlier one shows after it may have been before what it seems to follow.
    back_us: Option<i64>,
    /// Its reader knows that records were left out of it.
    left_out: bool,
}

impl Stretches {
    /// Of a connection of which nothing is known yet but whether its beginning is in the log.
    pub(super) fn new(complete_head: bool) -> Stretches {
        let head = Stretch { why: Why::Head, side: None, frames: (0, 0), lines: (0, 0), notifies: false };
        Stretches {
            list: if complete_head { Vec::new() } else { vec![head] },
            begins: 0,
            back_us: None,
            left_out: false,
        }
    }

    /// Takes down a stretch; where there are as many as are kept, the newest of its kind and side reaches to it.
    pub(super) fn note(&mut self, mut stretch: Stretch) {
        let alike =
            |kept: &Stretch| (kept.why, kept.side, kept.notifies) == (stretch.why, stretch.side, stretch.notifies);
        if self.list.len() >= KEPT
            && let Some(at) = self.list.iter().rposition(alike)
        {
            let before = self.list.remove(at);
            stretch.frames = (before.frames.0.min(stretch.frames.0), before.frames.1.max(stretch.frames.1));
            stretch.lines.0 = before.lines.0;
        }
        self.list.push(stretch);
    }

    /// A file goes back in time from this frame on, to this time.
    pub(super) fn go_back(&mut self, id: FrameId, line: u64, to_us: i64) {
        self.note(Stretch {
            why: Why::Behind,
            side: None,
            frames: (id, FrameId::MAX),
            lines: (line, line),
            notifies: false,
        });
        self.back_us = Some(self.back_us.map_or(to_us, |known| known.min(to_us)));
    }

    /// True if a file goes back in time from this frame on.
    pub(super) fn goes_back_at(&self, id: FrameId) -> bool {
        self.back_us.is_some() && self.list.iter().any(|stretch| stretch.why == Why::Behind && stretch.frames.0 == id)
    }

    /// It has come back with this frame to where the file before it was.
    pub(super) fn catch_up(&mut self, id: FrameId) {
        let behind = self.list.iter_mut().filter(|stretch| stretch.why == Why::Behind);
        behind.for_each(|stretch| stretch.frames.1 = stretch.frames.1.min(id.saturating_sub(1)));
    }

    /// The file that goes back behind this time, if any.
    pub(super) fn went_back(&self, at_us: i64) -> Option<&Stretch> {
        self.back_us.filter(|back| at_us > *back)?;
        self.list.iter().find(|stretch| stretch.why == Why::Behind)
    }

    /// The log ends with this frame, and the connection does not: what comes later nobody knows.
    pub(super) fn end_open(&mut self, last: FrameId) {
        self.note(Stretch {
            why: Why::Tail,
            side: None,
            frames: (last + 1, FrameId::MAX),
            lines: (0, 0),
            notifies: false,
        });
    }

    /// True if records were left out of it, nobody knows where: what rests on absence is told so once all of a connection is there.
    pub(super) fn lacks_records(&self) -> bool {
        self.left_out
    }

    /// What a frame says is missing; `side` is the one its direction means.
    pub(super) fn note_missing(&mut self, id: FrameId, frame: &Frame<'_>, missing: &Missing<'_>, side: Option<Side>) {
        if missing.why == Why::Sampled {
            self.left_out = true;
            return;
        }
        let lasting = matches!(missing.why, Why::Dropped | Why::Mixed);
        let frames = (id, if lasting { FrameId::MAX } else { id });
        let lines = (frame.line, missing.to_line.unwrap_or(frame.line));
        self.note(Stretch { why: missing.why, side, frames, lines, notifies: missing.notifies() });
    }

    /// Records were left out of the log, nobody knows where.
    pub(super) fn sampled(&mut self) {
        self.note(Stretch { why: Why::Sampled, side: None, frames: (0, FrameId::MAX), lines: (0, 0), notifies: false });
    }

    /// The last stretch begins as early as this.
    pub(super) fn extend_back(&mut self, from: FrameId) {
        if let Some(last) = self.list.last_mut() {
            last.frames.0 = last.frames.0.min(from);
        }
    }

    /// The frame after a guess, on the same line, is what was guessed about.
    pub(super) fn extend_guess(&mut self, to: FrameId) {
        if let Some(last) = self.list.last_mut().filter(|last| last.why == Why::Guessed) {
            last.frames.1 = to;
        }
    }

    /// It turned out whose the message of this frame is.
    pub(super) fn withdraw_guess(&mut self, frame: FrameId) {
        let about_it = |stretch: &Stretch| stretch.why == Why::Guessed && stretch.frames == (frame, frame);
        if let Some(at) = self.list.iter().rposition(about_it) {
            self.list.remove(at);
        }
    }

    /// The connection begins with this frame: what the source may have missed before is none of its own.
    pub(super) fn begin(&mut self, frame: FrameId) {
        let before = frame.saturating_sub(1);
        if self.list.iter().all(|stretch| stretch.why == Why::Head || stretch.is_there()) {
            self.begins = frame;
            self.list.iter_mut().filter(|stretch| stretch.why == Why::Head).for_each(|head| head.frames.1 = before);
        }
    }

    /// What was taken for the beginning is not: something older shows.
    pub(super) fn begin_before(&mut self) {
        self.begins = 0;
    }

    /// True if nothing shows where the connection begins, or only its handshake.
    pub(super) fn head_unstated(&self) -> bool {
        self.list.iter().any(|stretch| stretch.why == Why::Head)
    }

    /// That an answer stands where it can first have come, if so.
    pub(super) fn untimed(&self, frame: FrameId) -> Option<&Stretch> {
        self.list.iter().find(|stretch| stretch.why == Why::Untimed && stretch.covers(None, frame, frame))
    }

    /// The same of requests and answers alone.
    pub(super) fn call_hole(&self, side: Option<Side>, from: FrameId, to: FrameId) -> Option<&Stretch> {
        let calls = |stretch: &&Stretch| !stretch.is_there() && !stretch.notifies;
        self.list.iter().find(|stretch| calls(stretch) && stretch.covers(side, from, to))
    }

    /// Where a message of a side may be missing between two frames, themselves included.
    pub(super) fn hole(&self, side: Option<Side>, from: FrameId, to: FrameId) -> Option<&Stretch> {
        self.list.iter().find(|stretch| !stretch.is_there() && stretch.covers(side, from, to))
    }
}

/// What whole sources miss, by source.
pub(super) type Shelf = BTreeMap<u32, Stretches>;

/// What a source misses, or what a frame of it tells about the next one.
pub(super) fn shelve(shelf: &mut Shelf, id: FrameId, frame: &Frame<'_>) {
    if let Body::Missing(missing) = &frame.body {
        let side = match frame.direction {
            Direction::By(side) => Some(side),
            _ => None,
        };
        shelf.entry(frame.source).or_default().note_missing(id, frame, missing, side);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_beginning_that_nothing_shows_is_unstated() {
        assert!(!Stretches::new(true).head_unstated());
        assert!(Stretches::new(false).head_unstated());
        let mut whole = Stretches::new(true);
        whole.sampled();
        assert!(!whole.head_unstated(), "records are missing, not the head");
    }

    #[test]
    fn records_that_a_source_lacks_anywhere_are_told_at_the_end() {
        let frame = Frame::missing(0, 1, Missing::new(Why::Sampled));
        let mut shelf = Shelf::new();
        shelve(&mut shelf, 1, &frame);
        let stretches = shelf.values().next().expect("of the source");
        assert!(stretches.lacks_records() && stretches.hole(None, 0, FrameId::MAX).is_none());
    }

    #[test]
    fn a_stretch_covers_its_frames_and_its_side() {
        let of = |side| Stretch { why: Why::Gap, side, frames: (10, 20), lines: (1, 1), notifies: false };
        let frames = [(0, 9), (0, 10), (12, 15), (20, 30), (21, 30)];
        assert_eq!(frames.map(|(from, to)| of(None).covers(None, from, to)), [false, true, true, true, false]);
        let sides = [(None, Side::Server), (Some(Side::Server), Side::Server), (Some(Side::Client), Side::Server)];
        assert_eq!(sides.map(|(own, asked)| of(own).covers(Some(asked), 0, 10)), [true, true, false]);
        assert!(of(Some(Side::Client)).covers(None, 0, 10), "nobody knows whose");
    }

    #[test]
    fn of_more_stretches_than_are_kept_those_of_a_kind_are_one() {
        let mut many = Stretches::new(true);
        for at in 0..KEPT as u64 + 8 {
            let (why, side) = if at % 2 == 0 { (Why::Torn, Some(Side::Client)) } else { (Why::Guessed, None) };
            many.note(Stretch { why, side, frames: (at * 10, at * 10), lines: (at, at), notifies: false });
        }
        many.note(Stretch {
            why: Why::Tail,
            side: None,
            frames: (9_000, FrameId::MAX),
            lines: (0, 0),
            notifies: false,
        });
        let (from, to) = (KEPT as u64 - 2, KEPT as u64 + 6);
        let newest =
            |why| many.list.iter().rfind(|stretch| stretch.why == why).map(|last| (last.side, last.frames, last.lines));
        assert_eq!(many.list.len(), KEPT + 1, "nothing like the end was there");
        assert_eq!(newest(Why::Torn), Some((Some(Side::Client), (from * 10, to * 10), (from, to))));
        assert_eq!(newest(Why::Guessed), Some((None, (from * 10 + 10, to * 10 + 10), (from + 1, to + 1))));
        assert!(many.list.iter().all(|stretch| stretch.why != Why::Gap), "no message was lost");
    }

    #[test]
    fn what_a_later_file_may_have_been_before_has_a_later_time() {
        let mut stretches = Stretches::new(true);
        assert!(stretches.went_back(i64::MAX).is_none());
        stretches.go_back(7, 1, 1_000);
        stretches.go_back(9, 1, 2_000);
        assert_eq!([1_000, 1_001].map(|us| stretches.went_back(us).is_some()), [false, true]);
        stretches.catch_up(12);
        assert!(stretches.list.iter().all(|stretch| stretch.frames.1 == 11));
    }
}
