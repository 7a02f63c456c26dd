//! A block of what a reader hands on, with all texts in it: it can go from one thread to another.

use std::ops::Range;
use std::slice::Iter;
use std::sync::LazyLock;

use crate::capture::{Carry, Channel, Frame, FrameSink, Skip};
use crate::error::Result;
use crate::protocol::Found;

/// How much text fills a block, in bytes: what is read of it next is still in the cache.
const TEXT: usize = 128 << 10;

/// How many things fill a block.
const ITEMS: usize = 256;

/// The largest text that a block keeps room for, in bytes.
const KEPT: usize = 1 << 20;

/// What a reader handed on, in its order.
#[derive(Default)]
pub(in crate::pipeline) struct Block {
    items: Vec<Item>,
    /// All texts, one behind the other.
    text: String,
    /// Where the texts of the frames stand in it, in the order in which [`Frame::carried`] asks for them.
    places: Vec<Range<usize>>,
    /// What was found in the messages.
    found: Vec<Found>,
    /// Bytes that are no text.
    bytes: Vec<Vec<u8>>,
    /// The texts of the frame that is put in: where each stands in memory, and where in the block.
    taken: Vec<(Range<usize>, usize)>,
}

#[expect(
    clippy::large_enum_variant,
    reason = "nearly all are frames, and a box for each would be an allocation for each message"
)]
enum Item {
    Channel(u32, Box<Channel>),
    /// A frame without its texts.
    Frame(Frame<'static>),
    Skipped(u64, Skip),
    Times(String, String),
    Progress(u64),
}

impl Block {
    /// A block of one frame, with no room for more.
    pub(in crate::pipeline) fn of(frame: &Frame<'_>) -> Block {
        let mut block = Block { items: Vec::with_capacity(1), ..Block::default() };
        block.frame(frame);
        block.taken = Vec::new();
        block.text.shrink_to_fit();
        block.places.shrink_to_fit();
        block.found.shrink_to_fit();
        block
    }

    /// How many bytes of memory it takes.
    pub(in crate::pipeline) fn size(&self) -> usize {
        let items = self.items.capacity() * size_of::<Item>() + self.found.capacity() * size_of::<Found>();
        let bytes: usize = self.bytes.iter().map(Vec::capacity).sum();
        size_of::<Block>() + items + self.places.capacity() * size_of::<Range<usize>>() + self.text.capacity() + bytes
    }

    /// True if it is to be handed on.
    pub(super) fn is_full(&self) -> bool {
        self.text.len() >= TEXT || self.items.len() >= ITEMS
    }

    /// The same block with nothing in it.
    pub(super) fn emptied(mut self) -> Block {
        self.items.clear();
        self.places.clear();
        self.found.clear();
        self.bytes.clear();
        self.text.clear();
        self.text.shrink_to(KEPT);
        self
    }

    pub(super) fn frame(&mut self, frame: &Frame<'_>) {
        self.taken.clear();
        let without = frame.carried(&mut In(self));
        self.items.push(Item::Frame(without));
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
    pub(in crate::pipeline) fn give(&self, sink: &mut dyn FrameSink) -> Result<()> {
        let (places, bytes, found) = (self.places.iter(), self.bytes.iter(), self.found.iter());
        let mut out = Out { text: &self.text, places, bytes, found };
        for item in &self.items {
            match item {
                Item::Channel(index, channel) => sink.channel(*index, (**channel).clone())?,
                Item::Frame(frame) => sink.frame(&frame.carried(&mut out))?,
                Item::Skipped(line, why) => sink.skipped(*line, *why),
                Item::Times(first, last) => sink.times(first, last),
                Item::Progress(bytes) => sink.progress(*bytes),
            }
        }
        Ok(())
    }
}

/// Puts what a frame borrows into a block.
struct In<'b>(&'b mut Block);

/// Stands in the block for what lies beside the frame.
static NOTHING: LazyLock<Found> = LazyLock::new(Found::default);

impl Carry<'_, 'static> for In<'_> {
    /// Most texts are parts of the first of their frame.
    fn text(&mut self, part: &str) -> &'static str {
        let Block { text, places, taken, .. } = &mut *self.0;
        let start = part.as_ptr().addr();
        let holds = |(taken, _): &&(Range<usize>, usize)| taken.start <= start && start + part.len() <= taken.end;
        let at = match taken.iter().find(holds) {
            Some((taken, at)) => at + (start - taken.start),
            None => {
                let at = text.len();
                text.push_str(part);
                taken.push((start..start + part.len(), at));
                at
            }
        };
        places.push(at..at + part.len());
        ""
    }

    fn bytes(&mut self, bytes: &[u8]) -> &'static [u8] {
        self.0.bytes.push(bytes.to_vec());
        &[]
    }

    fn found(&mut self, found: &Found) -> &'static Found {
        self.0.found.push(*found);
        &NOTHING
    }
}

/// Takes out of a block what its frames borrow, in the order in which it was put in.
struct Out<'b> {
    text: &'b str,
    places: Iter<'b, Range<usize>>,
    bytes: Iter<'b, Vec<u8>>,
    found: Iter<'b, Found>,
}

impl<'b> Carry<'_, 'b> for Out<'b> {
    fn text(&mut self, _: &str) -> &'b str {
        self.places.next().and_then(|place| self.text.get(place.clone())).unwrap_or("")
    }

    fn bytes(&mut self, _: &[u8]) -> &'b [u8] {
        self.bytes.next().map_or(&[], Vec::as_slice)
    }

    fn found(&mut self, _: &Found) -> &'b Found {
        self.found.next().unwrap_or(&NOTHING)
    }
}
