//! The place of a frame.

use super::{Body, Direction, Frame, Stamp};

/// Where a frame stands and what the log says of it, without what it holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub line: u64,
    pub byte_offset: u64,
    pub channel: u32,
    pub at_us: Option<i64>,
    pub direction: Direction,
    pub stream: Option<u32>,
    pub taps: Option<[Option<Stamp>; 2]>,
}

impl Place {
    /// The frame with `body` at this place.
    #[inline(always)]
    pub(crate) fn frame<'a>(&self, source: u32, body: Body<'a>) -> Frame<'a> {
        Frame {
            source,
            line: self.line,
            byte_offset: self.byte_offset,
            channel: self.channel,
            at_us: self.at_us,
            direction: self.direction,
            stream: self.stream,
            taps: self.taps,
            in_file: None,
            body,
        }
    }
}
