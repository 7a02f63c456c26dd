//! The copies on their way from the connections, where bytes are forwarded, to the one thread that reads them.
//!
//! Sending never waits. What has been copied and not been read yet is bounded in bytes: beyond that the copy is dropped and
//! its length told instead.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use bytes::Bytes;
use hyper::HeaderMap;

use crate::live::Clock;
use crate::protocol::Side;

/// Something that passed.
#[derive(Debug)]
pub(super) struct Copy {
    pub at_us: i64,
    /// The exchange of HTTP that it belongs to; 0 for none.
    pub stream: u32,
    pub what: Passing,
}

/// What passed.
#[derive(Debug)]
pub(super) enum Passing {
    /// The head of a request.
    Request {
        peer: SocketAddr,
        method: String,
        /// Path and query, as the client asked.
        target: String,
        /// True if that is the endpoint which is recorded.
        endpoint: bool,
        headers: HeaderMap,
    },
    /// A piece of a body.
    Body { from: Side, bytes: Bytes },
    /// A piece of a body that was not copied, and its length.
    Lost { from: Side, bytes: usize },
    /// The whole request has passed.
    RequestEnd,
    /// The head of a response.
    Response {
        status: u16,
        headers: HeaderMap,
        /// The place that it sends the client to, where that is past the recorder.
        past: Option<String>,
    },
    /// The response ended: `eof`, or how it broke off.
    ResponseEnd { how: &'static str },
    /// The client went away before that.
    ClientGone { how: &'static str },
    /// No answer could be had from the server, and the client was told so.
    NoAnswer { how: &'static str, why: String },
    /// A TCP connection of a client is over.
    HungUp { peer: SocketAddr },
    /// The recorder stops.
    Stop,
}

/// Where copies are handed over. Clones lead to the same place.
#[derive(Clone, Debug)]
pub(super) struct Copier {
    clock: Clock,
    sender: Sender<Copy>,
    waiting: Arc<AtomicUsize>,
    limit: usize,
    streams: Arc<AtomicU32>,
}

/// Where they are taken.
#[derive(Debug)]
pub(super) struct Copies {
    receiver: Receiver<Copy>,
    waiting: Arc<AtomicUsize>,
}

/// Both ends; at most `limit` bytes are on their way.
pub(super) fn copies(clock: Clock, limit: usize) -> (Copier, Copies) {
    let (sender, receiver) = channel();
    let waiting = Arc::new(AtomicUsize::new(0));
    let copier = Copier { clock, sender, waiting: Arc::clone(&waiting), limit, streams: Arc::new(AtomicU32::new(0)) };
    (copier, Copies { receiver, waiting })
}

impl Copier {
    /// A number for the next exchange.
    pub(super) fn stream(&self) -> u32 {
        self.streams.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(super) fn send(&self, stream: u32, what: Passing) {
        // Nobody takes it any more once the recorder has stopped.
        let _ = self.sender.send(Copy { at_us: self.clock.us(), stream, what });
    }

    /// A piece of a body; the bytes themselves are shared, not copied.
    pub(super) fn body(&self, stream: u32, from: Side, bytes: &Bytes) {
        if bytes.is_empty() {
            return;
        }
        let waiting = self.waiting.fetch_add(bytes.len(), Ordering::Relaxed);
        if waiting + bytes.len() > self.limit {
            self.waiting.fetch_sub(bytes.len(), Ordering::Relaxed);
            return self.send(stream, Passing::Lost { from, bytes: bytes.len() });
        }
        self.send(stream, Passing::Body { from, bytes: bytes.clone() });
    }
}

impl Copies {
    /// The next one; `None` when there will be none.
    pub(super) fn next(&self) -> Option<Copy> {
        let copy = self.receiver.recv().ok()?;
        if let Passing::Body { bytes, .. } = &copy.what {
            self.waiting.fetch_sub(bytes.len(), Ordering::Relaxed);
        }
        Some(copy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_is_told_by_its_length() {
        let (copier, copies) = copies(Clock::start(), 10);
        let stream = copier.stream();
        let piece = Bytes::from_static(b"123456");
        copier.body(stream, Side::Server, &piece);
        copier.body(stream, Side::Server, &piece);
        assert!(matches!(copies.next().unwrap().what, Passing::Body { .. }));
        copier.body(stream, Side::Server, &piece);
        assert!(matches!(copies.next().unwrap().what, Passing::Lost { bytes: 6, .. }));
        assert!(matches!(copies.next().unwrap().what, Passing::Body { .. }), "there is room again");
    }
}
