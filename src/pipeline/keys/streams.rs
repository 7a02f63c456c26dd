//! The HTTP streams of a channel, by the connection that opened each.

use std::collections::{BTreeMap, VecDeque};

/// How many HTTP streams are remembered to be an earlier connection's.
const STREAMS: usize = 8_192;

/// The HTTP streams of a channel: what comes on one belongs to the connection that opened it, whatever has begun since.
#[derive(Default)]
pub(super) struct Streams {
    /// Those of the connection at which the channel is, oldest first.
    current: VecDeque<u32>,
    /// Those of connections before it.
    pub earlier: BTreeMap<u32, u32>,
}

impl Streams {
    pub(super) fn note(&mut self, stream: u32) {
        if self.current.back() != Some(&stream) {
            self.current.push_back(stream);
            if self.current.len() > STREAMS {
                self.current.pop_front();
            }
        }
    }

    /// The connection that a message begins has the stream of that message, whose head came while the one before was all there was.
    pub(super) fn take_back(&mut self, stream: Option<u32>) {
        stream.map(|stream| self.earlier.remove(&stream));
    }

    /// The channel leaves `connection`.
    pub(super) fn leave(&mut self, connection: u32) {
        self.earlier.extend(self.current.drain(..).map(|stream| (stream, connection)));
        while self.earlier.len() > STREAMS {
            self.earlier.pop_first();
        }
    }
}
