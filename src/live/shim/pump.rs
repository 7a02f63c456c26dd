//! One direction: read, copy, write.

use std::io::{ErrorKind, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::live::Clock;
use crate::live::tape::{Pipe, Tape, TapeEvent};
use crate::protocol::Side;

/// How much is read at once, in bytes: as much as a pipe holds.
const CHUNK: usize = 64 << 10;

/// Whether anything still moves.
#[derive(Debug, Default)]
pub(super) struct Progress {
    chunks: AtomicU64,
    answers: AtomicU64,
    writing: AtomicUsize,
}

impl Progress {
    /// How many chunks have passed.
    pub(super) fn seen(&self) -> u64 {
        self.chunks.load(Ordering::Relaxed)
    }

    /// How many of them were the server's messages.
    pub(super) fn answers(&self) -> u64 {
        self.answers.load(Ordering::Relaxed)
    }

    /// True while a chunk of the server waits for its reader.
    pub(super) fn is_writing(&self) -> bool {
        self.writing.load(Ordering::SeqCst) > 0
    }
}

/// How a direction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Its writer has closed it.
    Eof,
    /// Its reader has.
    NobodyReads,
}

/// A direction that is recorded.
pub(super) struct Pump {
    pub from: Pipe,
    pub tape: Tape,
    pub clock: Clock,
    pub progress: Arc<Progress>,
}

impl Pump {
    /// Passes on until one end is closed; then both are.
    ///
    /// A chunk gets its place on the tape before it is passed on, or the answer to it could get an earlier one. That takes a
    /// copy and never waits; the messages in it are looked for later, by the tape's own thread.
    pub(super) fn run(&self, mut from: impl Read, mut to: impl Write) -> End {
        let mut chunk = vec![0; CHUNK];
        loop {
            let count = match from.read(&mut chunk) {
                Ok(0) => return End::Eof,
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => return End::Eof,
            };
            let bytes = &chunk[..count];
            self.tape.event(self.clock.us(), 1, None, TapeEvent::Chunk { from: self.from, bytes: bytes.to_vec() });
            let counts = usize::from(self.from != Pipe::From(Side::Client));
            self.progress.writing.fetch_add(counts, Ordering::SeqCst);
            let written = to.write_all(bytes).and_then(|()| to.flush());
            self.progress.writing.fetch_sub(counts, Ordering::SeqCst);
            self.progress.chunks.fetch_add(1, Ordering::Relaxed);
            self.progress.answers.fetch_add(u64::from(self.from == Pipe::From(Side::Server)), Ordering::Relaxed);
            if written.is_err() {
                return End::NobodyReads;
            }
        }
    }
}
