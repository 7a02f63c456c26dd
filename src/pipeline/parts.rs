//! Parts of one rotated log that is in the order of its times, and not of its lines: what one part told late belongs between what the one
//! before it told.
//!
//! HTTP exchanges are written down when they end. A call that was under way when the log was rotated stands in the next part, and was asked
//! before most of what this one holds. So the frames of a part wait for the next one, and both are handed on in the order of their
//! times, as they would be out of one file. Of a part that is larger than what may wait its last frames do.

use std::collections::VecDeque;

use super::ahead::Block;
use crate::capture::Frame;

/// How many bytes of memory what waits for the next part may take.
const WAITING: usize = 16 << 20;

/// A frame that waits.
pub(super) struct Waiting {
    /// When its source was there, as far as times tell it.
    at_us: i64,
    /// The track that it belongs to; none where any of its source may miss what it says.
    pub track: Option<usize>,
    /// The frame alone.
    pub frame: Block,
}

/// What waits between two parts.
#[derive(Default)]
pub(super) struct Parts {
    /// What the parts before this one told.
    earlier: VecDeque<Waiting>,
    /// What is to wait for the next part, in the order of time.
    later: VecDeque<Waiting>,
    bytes: usize,
    /// True if the next part is read behind this one.
    goes_on: bool,
    /// When the part is there that is read.
    now_us: i64,
    /// The streams of the parts before this one, which counts its own from one.
    streams: u32,
    highest: u32,
}

impl Parts {
    /// Begins a source; `goes_on` if the next one is the next part of its log.
    pub(super) fn begin(&mut self, goes_on: bool) {
        self.highest = if self.goes_on { self.highest } else { 0 };
        (self.goes_on, self.now_us, self.streams) = (goes_on, i64::MIN, self.highest);
    }

    /// True for a source that is no part of several.
    pub(super) fn is_idle(&self) -> bool {
        !self.goes_on && self.earlier.is_empty() && self.streams == 0
    }

    /// True where something waits.
    pub(super) fn holds_any(&self) -> bool {
        !self.earlier.is_empty() || !self.later.is_empty()
    }

    /// The number that a stream of this part has among those of all parts.
    pub(super) fn stream(&mut self, frame: &Frame<'_>) -> Option<u32> {
        let stream = frame.stream.map(|stream| stream.saturating_add(self.streams));
        self.highest = self.highest.max(stream.unwrap_or(0));
        stream
    }

    /// The next frame of an earlier part that is to be handed on before the one at this time.
    pub(super) fn before(&mut self, at_us: Option<i64>) -> Option<Waiting> {
        self.now_us = self.now_us.max(at_us.unwrap_or(i64::MIN));
        if self.earlier.front()?.at_us > self.now_us {
            return None;
        }
        self.earlier.pop_front()
    }

    /// The next frame of an earlier part, whenever it was.
    pub(super) fn rest(&mut self) -> Option<Waiting> {
        self.earlier.pop_front()
    }

    /// Keeps a frame of this part for the next one, if there is to be one.
    pub(super) fn keep(&mut self, track: Option<usize>, frame: &Frame<'_>) -> bool {
        if self.goes_on {
            self.wait(Waiting { at_us: self.now_us, track, frame: Block::of(frame) });
        }
        self.goes_on
    }

    /// The same for one of an earlier part; gives it back where there is to be none.
    pub(super) fn keep_on(&mut self, waiting: Waiting) -> Option<Waiting> {
        if !self.goes_on {
            return Some(waiting);
        }
        self.wait(waiting);
        None
    }

    fn wait(&mut self, waiting: Waiting) {
        self.bytes += waiting.frame.size();
        self.later.push_back(waiting);
    }

    /// What is too much to wait any longer.
    pub(super) fn too_much(&mut self) -> Option<Waiting> {
        let first = if self.bytes > WAITING { self.later.pop_front() } else { None }?;
        self.bytes -= first.frame.size();
        Some(first)
    }

    /// Ends a source, when [`Parts::rest`] has nothing more.
    pub(super) fn end(&mut self) {
        (self.earlier, self.bytes) = (std::mem::take(&mut self.later), 0);
    }
}
