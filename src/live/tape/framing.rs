//! The bytes of a tape as events: messages of each direction, lines of stderr. A wrong guess costs understanding, never traffic.

use std::collections::BTreeMap;

use memchr::memchr;

use super::{FRAME_BYTES, Pipe, TapeEvent, is_message};
use crate::protocol::Side;
use crate::wire::{Framing, Piece, Reader};

/// The longest line of stderr that is kept in one piece, in bytes.
const STDERR_BYTES: usize = 64 << 10;

/// The streams of all connections.
#[derive(Debug)]
pub(super) struct Framers {
    framing: Option<Framing>,
    streams: BTreeMap<(u32, Pipe), Stream>,
}

#[derive(Debug)]
enum Stream {
    Messages(Side, Reader),
    Stderr(Vec<u8>),
}

impl Framers {
    pub(super) fn new(framing: Option<Framing>) -> Framers {
        Framers { framing, streams: BTreeMap::new() }
    }

    fn stream(&mut self, connection: u32, pipe: Pipe) -> &mut Stream {
        let framing = self.framing;
        self.streams.entry((connection, pipe)).or_insert_with(|| match pipe {
            Pipe::From(side) => Stream::Messages(side, Reader::new(framing, FRAME_BYTES)),
            Pipe::Stderr => Stream::Stderr(Vec::new()),
        })
    }

    pub(super) fn feed(&mut self, connection: u32, pipe: Pipe, bytes: &[u8], each: &mut dyn FnMut(TapeEvent)) {
        match self.stream(connection, pipe) {
            Stream::Messages(from, reader) => reader.feed(bytes, &mut |piece| each(event(*from, piece))),
            Stream::Stderr(held) => stderr(held, bytes, each),
        }
    }

    /// Bytes were lost here. False if it cannot be told from their lines how many messages these were; and how many bytes that
    /// were there before go with them.
    pub(super) fn resync(&mut self, connection: u32, pipe: Pipe, mid_line: bool) -> (bool, u64) {
        match self.stream(connection, pipe) {
            Stream::Messages(_, reader) => {
                let begun = reader.begun();
                (reader.resync(mid_line), begun)
            }
            Stream::Stderr(held) => (true, std::mem::take(held).len() as u64),
        }
    }

    /// What one side sends has ended; without a side, all of it.
    pub(super) fn end(&mut self, connection: u32, by: Option<Side>, each: &mut dyn FnMut(TapeEvent)) {
        let pipes = match by {
            Some(side) => vec![Pipe::From(side)],
            None => vec![Pipe::From(Side::Client), Pipe::From(Side::Server), Pipe::Stderr],
        };
        for pipe in pipes {
            match self.streams.remove(&(connection, pipe)) {
                Some(Stream::Messages(from, mut reader)) => reader.end(&mut |piece| each(rest(from, piece))),
                Some(Stream::Stderr(held)) if !held.is_empty() => each(TapeEvent::Stderr { bytes: held }),
                _ => {}
            }
        }
    }

    /// Everything has ended.
    pub(super) fn end_all(&mut self) -> Vec<(u32, TapeEvent)> {
        let mut connections: Vec<u32> = self.streams.keys().map(|(connection, _)| *connection).collect();
        connections.dedup();
        let mut events = Vec::new();
        for connection in connections {
            self.end(connection, None, &mut |event| events.push((connection, event)));
        }
        events
    }
}

/// What `from` has sent.
fn event(from: Side, piece: Piece) -> TapeEvent {
    match piece {
        Piece::Message { bytes, wire_bytes, head } => match wire_bytes > bytes.len() as u64 {
            true => TapeEvent::Cut { from, bytes, wire_bytes, head },
            false => TapeEvent::Message { from, bytes, head },
        },
        Piece::Raw(bytes) => TapeEvent::Raw { from, bytes, cut: false },
    }
}

/// What was left when all of it had come: a message may lack its newline, and what is none its end.
fn rest(from: Side, piece: Piece) -> TapeEvent {
    match event(from, piece) {
        TapeEvent::Message { bytes, .. } if !is_message(&bytes) => TapeEvent::Raw { from, bytes, cut: true },
        TapeEvent::Raw { bytes, .. } => TapeEvent::Raw { from, bytes, cut: true },
        event => event,
    }
}

/// Lines of stderr; one that is too long comes in pieces.
fn stderr(held: &mut Vec<u8>, mut bytes: &[u8], each: &mut dyn FnMut(TapeEvent)) {
    while !bytes.is_empty() {
        let window = &bytes[..bytes.len().min(STDERR_BYTES - held.len())];
        let end = memchr(b'\n', window);
        held.extend_from_slice(&window[..end.unwrap_or(window.len())]);
        bytes = &bytes[end.map_or(window.len(), |end| end + 1)..];
        if end.is_some() || held.len() == STDERR_BYTES {
            let mut line = std::mem::take(held);
            line.truncate(line.strip_suffix(b"\r").map_or(line.len(), <[u8]>::len));
            each(TapeEvent::Stderr { bytes: line });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).into_owned()
    }

    #[test]
    fn what_was_begun_is_lost_with_the_rest_of_it() {
        let mut framers = Framers::new(None);
        let pipe = Pipe::From(Side::Client);
        framers.feed(1, pipe, b"{\"id\":1}\n{\"id\"", &mut |_| ());
        assert_eq!(framers.resync(1, pipe, true), (true, 5));
        assert_eq!(framers.resync(1, pipe, false), (true, 0));
        let mut framers = Framers::new(Some(Framing::ContentLength));
        framers.feed(1, pipe, b"Content-Length: 9\r\n\r\n{\"id\"", &mut |_| ());
        assert_eq!(framers.resync(1, pipe, false), (false, 26));
    }

    #[test]
    fn lines_of_stderr() {
        let mut framers = Framers::new(None);
        let mut lines = Vec::new();
        let mut each = |event| match event {
            TapeEvent::Stderr { bytes } => lines.push(text(&bytes)),
            other => panic!("{other:?}"),
        };
        for chunk in [&b"WARN a\r\nWA"[..], b"RN b\n\n", &vec![b'x'; STDERR_BYTES + 1]] {
            framers.feed(1, Pipe::Stderr, chunk, &mut each);
        }
        framers.end_all().into_iter().for_each(|(_, event)| each(event));
        assert_eq!(lines[..3], ["WARN a", "WARN b", ""]);
        assert_eq!(lines[3..].iter().map(String::len).collect::<Vec<_>>(), [STDERR_BYTES, 1]);
    }
}
