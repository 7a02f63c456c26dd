//! The most that a recording may take, and what becomes of events behind that: losses are added up by the writer, how a few
//! connections ended is held for the last lines, and the rest is counted. Nothing is written there before the end, so that
//! any number of connections keeps the limit.

use std::collections::BTreeSet;

use super::TapeEvent;
use super::queue::Item;
use crate::capture::Frame;
use crate::number::plural;

/// What a line takes beside its bytes, at most, in bytes: numbers, keys, the hash.
const LINE: u64 = 256;
/// What the lines at the end of a recording may take, in bytes.
pub(super) const LAST_LINES: u64 = 4 << 10;
/// How many ends of connections are held.
const HELD: usize = 4;
/// Why what is behind the limit is lost, in a word.
pub(super) const MAX_TOTAL: &str = "max-total";

/// A limit, and what is behind it.
#[derive(Debug, Default)]
pub(super) struct Limit {
    max: Option<u64>,
    is_reached: bool,
    /// Connections of which something was written.
    known: BTreeSet<u32>,
    held: Vec<Item>,
    connections: u64,
    lines: u64,
}

impl Limit {
    /// So many bytes, or none.
    pub(super) fn new(max: Option<u64>) -> Limit {
        Limit { max, ..Limit::default() }
    }

    /// True once it was reached.
    pub(super) fn is_reached(&self) -> bool {
        self.is_reached
    }

    /// True if so many bytes more would leave room for the last lines.
    pub(super) fn has_room(&self, written: u64, more: u64) -> bool {
        self.max.is_none_or(|max| written + more + LAST_LINES <= max)
    }

    /// True for what is behind it. Without one connection there is no recording: that one has its beginning.
    pub(super) fn is_behind(&mut self, item: &Item, written: u64) -> bool {
        if self.max.is_none() {
            return false;
        }
        let first = self.known.is_empty() && matches!(item.event, TapeEvent::Open { .. });
        self.is_reached |= !first && !self.has_room(written, length(&item.event));
        if !self.is_reached && !matches!(item.event, TapeEvent::Note { .. }) {
            self.known.insert(item.connection);
        }
        self.is_reached
    }

    /// The connection under which a loss is told: one of which nothing was written has no name in the recording.
    pub(super) fn told_of(&self, connection: u32) -> u32 {
        match self.is_reached && !self.known.contains(&connection) {
            true => Frame::WHOLE_SOURCE,
            false => connection,
        }
    }

    /// Takes what is behind it and is no loss by itself.
    pub(super) fn leave_out(&mut self, item: &Item) {
        let is_end = matches!(item.event, TapeEvent::Close { .. } | TapeEvent::Exit { .. });
        if is_end && self.held.len() < HELD && self.known.contains(&item.connection) {
            return self.held.push(Item { event: item.event.clone(), ..*item });
        }
        match item.event {
            TapeEvent::Open { .. } if item.stream.is_none() => self.connections += 1,
            _ => self.lines += 1,
        }
    }

    /// The ends of connections that are held.
    pub(super) fn held(&mut self) -> Vec<Item> {
        std::mem::take(&mut self.held)
    }

    /// How much was left out beside messages, and beside these lines that no gap tells.
    pub(super) fn note(&self, at_us: i64, untold: u64) -> Option<Item> {
        let (connections, lines) = (self.connections, self.lines + untold);
        if !self.is_reached || connections + lines == 0 {
            return None;
        }
        let text = format!(
            "{MAX_TOTAL}: beside messages, {} and {} were left out",
            plural(connections, "connection"),
            plural(lines, "other line")
        );
        let event = TapeEvent::Note { text };
        Some(Item { at_us, connection: Frame::WHOLE_SOURCE, stream: None, event, resync: None })
    }
}

/// How long the line of an event becomes, at most, but for the names of secrets.
fn length(event: &TapeEvent) -> u64 {
    let text = match event {
        TapeEvent::Message { bytes, head, .. } | TapeEvent::Cut { bytes, head, .. } => {
            quoted(bytes) + head.as_deref().map_or(0, quoted)
        }
        TapeEvent::Raw { bytes, .. } | TapeEvent::Opaque { bytes, .. } | TapeEvent::Stderr { bytes } => quoted(bytes),
        TapeEvent::Note { text } => quoted(text.as_bytes()),
        event => event.droppable().unwrap_or(0),
    };
    text as u64 + LINE
}

/// Bytes in a string of JSON; what is no UTF-8 stands in base64, which takes a third more.
fn quoted(bytes: &[u8]) -> usize {
    let more = |byte: &u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' => 1,
        0..0x20 => 5,
        _ => 0,
    };
    bytes.len() + bytes.iter().map(more).sum::<usize>().max(if bytes.is_ascii() { 0 } else { bytes.len() / 3 + 3 })
}
