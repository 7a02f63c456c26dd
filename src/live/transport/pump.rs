//! Messages over a byte stream, both ways in one task, so that the order of what is told is the order of what happened:
//! an answer is never told before the message that it answers. Nothing here waits for one direction alone; two sides that
//! write a lot cannot block each other.

use std::collections::VecDeque;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::framing::{Piece, Splitter};
use super::port::{Gone, Port};
use crate::jsonrpc::Framing;
use crate::live::{Arrival, Incoming, Outgoing};
use crate::protocol::Side;

/// No more is read while so many arrivals wait to be taken.
const OUTBOX: usize = 256;

/// How much is read at once, in bytes.
const CHUNK: usize = 64 * 1024;

/// A byte stream and the link it serves.
pub(super) struct Pump<R, W> {
    port: Port,
    reader: Option<R>,
    writer: Option<W>,
    framing: Framing,
    splitter: Splitter,
    chunk: Vec<u8>,
    /// Framed messages, with the number of their stream.
    queue: VecDeque<(u32, Vec<u8>)>,
    /// How much of the first has been written, in bytes.
    written: usize,
    outbox: VecDeque<Arrival>,
    finishing: bool,
    closed: bool,
}

/// What one step came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Something moved.
    Moved,
    /// [`Outgoing::Finish`].
    Finish,
    /// [`Outgoing::Abort`].
    Abort,
    /// The peer does not read any more.
    Deaf,
    /// The link is gone.
    Gone,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Pump<R, W> {
    pub(super) fn new(port: Port, framing: Framing, reader: R, writer: W) -> Pump<R, W> {
        Pump {
            port,
            reader: Some(reader),
            writer: Some(writer),
            framing,
            splitter: Splitter::default(),
            chunk: vec![0; CHUNK],
            queue: VecDeque::new(),
            written: 0,
            outbox: VecDeque::new(),
            finishing: false,
            closed: false,
        }
    }

    /// Tells something in its place.
    pub(super) fn tell(&mut self, what: Incoming) {
        let arrival = self.port.report.now(what);
        self.outbox.push_back(arrival);
    }

    /// Closes the writing direction once everything is written.
    pub(super) fn finish_writing(&mut self) {
        self.finishing = true;
        if self.queue.is_empty() {
            self.writer = None;
        }
    }

    /// Closes the writing direction; what has not been written never will be.
    pub(super) fn stop_writing(&mut self) {
        self.queue.clear();
        self.writer = None;
    }

    /// Stops reading: what is in the buffer is told, and that the connection is closed.
    pub(super) fn stop_reading(&mut self, by: Side, how: &str) {
        self.reader = None;
        if let Some(piece) = self.splitter.finish() {
            self.tell_piece(piece);
        }
        self.tell_closed(by, how);
    }

    /// Tells, once, that the connection is closed.
    pub(super) fn tell_closed(&mut self, by: Side, how: &str) {
        if !std::mem::replace(&mut self.closed, true) {
            self.tell(Incoming::Closed { stream: None, by, how: how.to_string() });
        }
    }

    /// True while the peer can still say something.
    pub(super) fn reading(&self) -> bool {
        self.reader.is_some()
    }

    /// Does the next thing that can be done. Nothing is lost when it is dropped half-way.
    pub(super) async fn step(&mut self) -> Step {
        let (reads, writes) = (self.reader.is_some() && self.outbox.len() < OUTBOX, self.writer.is_some());
        let report = self.port.report.clone();
        tokio::select! {
            () = report.gone() => Step::Gone,
            done = report.deliver(&mut self.outbox), if !self.outbox.is_empty() => match done {
                Ok(()) => Step::Moved,
                Err(Gone) => Step::Gone,
            },
            order = self.port.order() => self.take(order),
            done = write(&mut self.writer, &self.queue, self.written), if writes && !self.queue.is_empty() => self.wrote(done),
            done = read(&mut self.reader, &mut self.chunk), if reads => {
                self.read(done);
                Step::Moved
            }
        }
    }

    /// Waits until everything has been told. Orders are refused from here on, so that nobody waits to give one.
    pub(super) async fn flush(self) {
        let (report, mut outbox) = (self.port.report.clone(), self.outbox);
        drop(self.port);
        while !outbox.is_empty() && report.deliver(&mut outbox).await.is_ok() {}
    }

    fn take(&mut self, order: Outgoing) -> Step {
        match order {
            Outgoing::Message { stream, bytes, .. } if self.writer.is_some() && !self.finishing => {
                self.queue.push_back((stream, self.framing.wrap(&bytes)));
            }
            Outgoing::Finish => return Step::Finish,
            Outgoing::Abort => return Step::Abort,
            _ => {}
        }
        Step::Moved
    }

    fn wrote(&mut self, done: std::io::Result<usize>) -> Step {
        let Ok(count @ 1..) = done else {
            self.stop_writing();
            return Step::Deaf;
        };
        self.written += count;
        let complete = self.queue.front().is_some_and(|(_, bytes)| bytes.len() == self.written);
        if complete && let Some((stream, _)) = self.queue.pop_front() {
            self.written = 0;
            self.tell(Incoming::Sent { stream });
            if self.finishing && self.queue.is_empty() {
                self.writer = None;
            }
        }
        Step::Moved
    }

    fn read(&mut self, done: std::io::Result<usize>) {
        match done {
            Ok(0) => self.stop_reading(Side::Server, "eof"),
            Err(error) => self.stop_reading(Side::Server, how(&error)),
            Ok(count) => {
                self.splitter.push(&self.chunk[..count]);
                while let Some(piece) = self.splitter.next_piece() {
                    self.tell_piece(piece);
                }
            }
        }
    }

    fn tell_piece(&mut self, piece: Piece) {
        self.tell(match piece {
            Piece::Message(bytes) => Incoming::Message { stream: None, bytes, event_id: None },
            Piece::Raw(bytes) => Incoming::Raw { bytes },
        });
    }
}

/// How a connection broke, in a word.
pub(super) fn how(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::ConnectionReset | std::io::ErrorKind::BrokenPipe => "reset",
        std::io::ErrorKind::TimedOut => "timeout",
        _ => "error",
    }
}

async fn write<W: AsyncWrite + Unpin>(
    writer: &mut Option<W>,
    queue: &VecDeque<(u32, Vec<u8>)>,
    written: usize,
) -> std::io::Result<usize> {
    match (writer, queue.front()) {
        (Some(writer), Some((_, bytes))) => writer.write(&bytes[written..]).await,
        _ => std::future::pending().await,
    }
}

async fn read<R: AsyncRead + Unpin>(reader: &mut Option<R>, chunk: &mut [u8]) -> std::io::Result<usize> {
    match reader {
        Some(reader) => reader.read(chunk).await,
        None => std::future::pending().await,
    }
}
