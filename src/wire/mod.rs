//! Messages in bytes: lines, header blocks, events of a stream. Captures, recorders and live peers read by it. Knows no JSON-RPC.

mod coding;
mod header;
mod reader;
mod sse;

pub use coding::Coding;
pub use header::{FrameError, Framing, Header, begins_header, find_length, opens_header, read_header};
pub use reader::{Piece, Reader};
pub use sse::{SseEvent, SseReader};

#[cfg(test)]
pub(crate) mod testing;
