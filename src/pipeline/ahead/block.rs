//! A block of what a reader hands on, with all texts in it: it can go from one thread to another.

use std::ops::Range;

use crate::capture::{Channel, Frame, FrameSink, Skip};
use crate::error::Result;

/// How much text fills a block, in bytes: what is read of it next is still in the cache.
const TEXT: usize = 128 << 10;

/// How many things fill a block.
const ITEMS: usize = 256;

/// The largest text that a block keeps room for, in bytes.
const KEPT: usize = 1 << 20;

/// What a reader handed on, in its order.
#[derive(Default)]
pub(super) struct Block {
    items: Vec<Item>,
    /// All texts, one behind the other.
    text: String,
    /// Where the texts of the frames stand in it, in the order in which [`Frame::map_text`] asks for them.
    places: Vec<Range<usize>>,
    /// Bytes that are no text.
    bytes: Vec<Vec<u8>>,
    /// Of the frame that is put in: kept for the room that it has.
    taken: Taken,
}

enum Item {
    Channel(u32, Box<Channel>),
    /// A frame without its texts.
    Frame(Frame<'static>),
    Skipped(u64, Skip),
    Times(String, String),
    Progress(u64),
}

impl Block {
    /// True if it is to be handed on.
    pub(super) fn is_full(&self) -> bool {
        self.text.len() >= TEXT || self.items.len() >= ITEMS
    }

    /// The same block with nothing in it.
    pub(super) fn emptied(mut self) -> Block {
        self.items.clear();
        self.places.clear();
        self.bytes.clear();
        self.text.clear();
        self.text.shrink_to(KEPT);
        self
    }

    pub(super) fn frame(&mut self, frame: &Frame<'_>) {
        let Block { items, text, places, bytes, taken } = self;
        taken.0.clear();
        let without = frame.map_text(
            &mut |part| {
                places.push(taken.place(part, text));
                ""
            },
            |raw| {
                bytes.push(raw.to_vec());
                &[]
            },
        );
        items.push(Item::Frame(without));
    }

    pub(super) fn channel(&mut self, index: u32, channel: Channel) {
        self.items.push(Item::Channel(index, Box::new(channel)));
    }

    pub(super) fn skipped(&mut self, line: u64, why: Skip) {
        self.items.push(Item::Skipped(line, why));
    }

    pub(super) fn times(&mut self, first: &str, last: &str) {
        self.items.push(Item::Times(first.to_string(), last.to_string()));
    }

    pub(super) fn progress(&mut self, bytes: u64) {
        self.items.push(Item::Progress(bytes));
    }

    /// Hands all of it on, in its order.
    pub(super) fn give(&self, sink: &mut dyn FrameSink) -> Result<()> {
        let mut places = self.places.iter();
        let mut texts = |_| places.next().and_then(|place| self.text.get(place.clone())).unwrap_or("");
        let mut bytes = self.bytes.iter();
        for item in &self.items {
            match item {
                Item::Channel(index, channel) => sink.channel(*index, (**channel).clone())?,
                Item::Frame(frame) => {
                    let whole = frame.map_text(&mut texts, |_| bytes.next().map_or(&[], Vec::as_slice));
                    sink.frame(&whole)?;
                }
                Item::Skipped(line, why) => sink.skipped(*line, *why),
                Item::Times(first, last) => sink.times(first, last),
                Item::Progress(bytes) => sink.progress(*bytes),
            }
        }
        Ok(())
    }
}

/// Texts of one frame that were taken: where each stands in memory, and where in the block. Most others are parts of the first.
#[derive(Default)]
struct Taken(Vec<(Range<usize>, usize)>);

impl Taken {
    /// Where a text stands in the block; it is put there where it is no part of one that is.
    fn place(&mut self, part: &str, text: &mut String) -> Range<usize> {
        let start = part.as_ptr().addr();
        let holds = |(taken, _): &&(Range<usize>, usize)| taken.start <= start && start + part.len() <= taken.end;
        let at = match self.0.iter().find(holds) {
            Some((taken, at)) => at + (start - taken.start),
            None => {
                let at = text.len();
                text.push_str(part);
                self.0.push((start..start + part.len(), at));
                at
            }
        };
        at..at + part.len()
    }
}
