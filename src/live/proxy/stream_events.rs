//! The copy of an event stream, read block by block; a block over the limit is passed over.

use crate::live::tape::FRAME_BYTES;
use crate::wire::{SseEvent, SseReader};

/// Reads a copy.
#[derive(Debug, Default)]
pub(super) struct Events {
    reader: SseReader,
    /// Bytes since the last block ended.
    open: usize,
    /// While a block is passed over: the last bytes, in which its end is looked for.
    skipping: Option<Vec<u8>>,
}

/// What came out of a piece.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub events: Vec<SseEvent>,
    /// Lengths of blocks that were over the limit, in bytes, as far as they had come.
    pub too_long: Vec<usize>,
}

impl Events {
    /// Takes the next piece.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Read {
        let mut read = Read::default();
        let mut bytes = bytes;
        if let Some(tail) = &mut self.skipping {
            let before = tail.len();
            tail.extend_from_slice(bytes);
            match block_end(tail) {
                Some(end) => {
                    bytes = &bytes[end.saturating_sub(before)..];
                    self.skipping = None;
                }
                None => {
                    tail.drain(..tail.len().saturating_sub(3));
                    return read;
                }
            }
        }
        read.events = self.reader.push(bytes);
        self.open = if read.events.is_empty() { self.open + bytes.len() } else { 0 };
        if self.open > FRAME_BYTES {
            read.too_long.push(self.open);
            self.open = 0;
            self.reader = SseReader::default();
            self.skipping = Some(bytes[bytes.len().saturating_sub(3)..].to_vec());
        }
        read
    }

    /// True where the stream would end in the middle of a block: no client is told of that.
    pub(super) fn is_within(&self) -> bool {
        self.skipping.is_none() && self.reader.is_within()
    }
}

/// Where the first block ends, its blank line included.
pub(super) fn block_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'\n', b'\r', &bytes[at..]) {
        let rest = &bytes[at + found..];
        for end in [&b"\n\n"[..], b"\r\n\r\n", b"\r\r", b"\n\r\n"] {
            if rest.starts_with(end) {
                return Some(at + found + end.len());
            }
        }
        at += found + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_over_the_limit_is_passed_over() {
        let mut events = Events::default();
        let data = |read: Read| read.events.into_iter().filter_map(|event| event.data).collect::<Vec<_>>();
        assert_eq!(data(events.push(b"data: a\n\ndata: ")), [b"a"]);
        let piece = vec![b'x'; FRAME_BYTES / 2];
        let mut too_long = Vec::new();
        for _ in 0..4 {
            too_long.extend(events.push(&piece).too_long);
        }
        assert_eq!(too_long.len(), 1);
        assert!(data(events.push(b"x\n")).is_empty());
        assert_eq!(data(events.push(b"\ndata: b\n\ndata: c\n\n")), [b"b", b"c"]);
    }

    #[test]
    fn ends_of_blocks() {
        assert_eq!(block_end(b"a\nb\n\nc"), Some(5));
        assert_eq!(block_end(b"a\r\nb\r\n\r\nc"), Some(8));
        assert_eq!(block_end(b"a\r\rc"), Some(3));
        assert_eq!(block_end(b"a\nb\r\nc"), None);
    }
}
