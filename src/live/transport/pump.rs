//! Messages over a byte stream, both ways in one task, so that the order of what is told is the order of what happened:
//! an answer is never told before the message that it answers. Nothing here waits for one direction alone; two sides that
//! write a lot cannot block each other.

use std::collections::VecDeque;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::framing::{Piece, Spoken};
use super::port::{Gone, Port};
use crate::live::{Arrival, Incoming, Outgoing};
use crate::protocol::Side;
use crate::wire::Framing;

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
    spoken: Spoken,
    chunk: Vec<u8>,
    /// What is to be written, in order.
    queue: VecDeque<Write>,
    /// True while the last of it waits for the message that goes out with it.
    more: bool,
    /// How much of the first has been written, in bytes.
    written: usize,
    outbox: VecDeque<Arrival>,
    finishing: bool,
    closed: bool,
}

/// Framed messages that go out together.
#[derive(Default)]
struct Write {
    bytes: Vec<u8>,
    /// Where each of them ends, with the number of its stream.
    ends: VecDeque<(usize, u32)>,
}

/// What one step came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pumped {
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
            spoken: Spoken::default(),
            chunk: vec![0; CHUNK],
            queue: VecDeque::new(),
            more: false,
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
        (self.finishing, self.more) = (true, false);
        if self.queue.is_empty() {
            self.writer = None;
        }
    }

    /// Closes the writing direction; what has not been written never will be.
    pub(super) fn stop_writing(&mut self) {
        self.queue.clear();
        self.more = false;
        self.writer = None;
    }

    /// Stops reading: what is in the buffer is told, and that the connection is closed.
    pub(super) fn stop_reading(&mut self, by: Side, how: &str) {
        self.reader = None;
        self.spoken.end().into_iter().for_each(|piece| self.tell_piece(piece, true));
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
    pub(super) async fn step(&mut self) -> Pumped {
        let reads = self.reader.is_some() && self.outbox.len() < OUTBOX;
        let writes = self.writer.is_some() && self.queue.len() > usize::from(self.more);
        let report = self.port.report.clone();
        tokio::select! {
            () = report.gone() => Pumped::Gone,
            done = report.deliver(&mut self.outbox), if !self.outbox.is_empty() => match done {
                Ok(()) => Pumped::Moved,
                Err(Gone) => Pumped::Gone,
            },
            order = self.port.order() => self.take(order),
            done = write(&mut self.writer, &self.queue, self.written), if writes => self.wrote(done),
            done = read(&mut self.reader, &mut self.chunk), if reads => {
                self.read(done);
                Pumped::Moved
            }
        }
    }

    /// Waits until everything has been told. Orders are refused from here on, so that nobody waits to give one.
    pub(super) async fn flush(self) {
        let (report, mut outbox) = (self.port.report.clone(), self.outbox);
        drop(self.port);
        while !outbox.is_empty() && report.deliver(&mut outbox).await.is_ok() {}
    }

    fn take(&mut self, order: Outgoing) -> Pumped {
        match order {
            Outgoing::Message { stream, bytes, more, .. } if self.writer.is_some() && !self.finishing => {
                if !std::mem::replace(&mut self.more, more) {
                    self.queue.push_back(Write::default());
                }
                if let Some(last) = self.queue.back_mut() {
                    last.bytes.extend(self.framing.wrap(&bytes));
                    last.ends.push_back((last.bytes.len(), stream));
                }
            }
            Outgoing::Finish => return Pumped::Finish,
            Outgoing::Abort => return Pumped::Abort,
            _ => {}
        }
        Pumped::Moved
    }

    fn wrote(&mut self, done: std::io::Result<usize>) -> Pumped {
        let Ok(count @ 1..) = done else {
            self.stop_writing();
            return Pumped::Deaf;
        };
        self.written += count;
        while let Some(stream) = self.taken() {
            self.tell(Incoming::Sent { stream });
        }
        if self.queue.front().is_some_and(|write| write.ends.is_empty()) {
            self.queue.pop_front();
            self.written = 0;
            if self.finishing && self.queue.is_empty() {
                self.writer = None;
            }
        }
        Pumped::Moved
    }

    /// The stream of the next message that is written whole and was not told yet.
    fn taken(&mut self) -> Option<u32> {
        let ends = &mut self.queue.front_mut()?.ends;
        let (_, stream) = *ends.front().filter(|(end, _)| *end <= self.written)?;
        ends.pop_front();
        Some(stream)
    }

    fn read(&mut self, done: std::io::Result<usize>) {
        match done {
            Ok(0) => self.stop_reading(Side::Server, "eof"),
            Err(error) => self.stop_reading(Side::Server, how(&error)),
            Ok(count) => {
                let pieces = self.spoken.feed(&self.chunk[..count]);
                pieces.into_iter().for_each(|piece| self.tell_piece(piece, false));
            }
        }
    }

    fn tell_piece(&mut self, piece: Piece, cut: bool) {
        self.tell(match piece {
            Piece::Message(bytes) => Incoming::Message { stream: None, bytes, event_id: None },
            Piece::Raw(bytes) => Incoming::Raw { bytes, cut },
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
    queue: &VecDeque<Write>,
    written: usize,
) -> std::io::Result<usize> {
    match (writer, queue.front()) {
        (Some(writer), Some(write)) => writer.write(&write.bytes[written..]).await,
        _ => std::future::pending().await,
    }
}

async fn read<R: AsyncRead + Unpin>(reader: &mut Option<R>, chunk: &mut [u8]) -> std::io::Result<usize> {
    match reader {
        Some(reader) => reader.read(chunk).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use tokio::io::{DuplexStream, ReadHalf, WriteHalf, duplex, split};
    use tokio::sync::mpsc;

    use super::*;
    use crate::live::Clock;

    /// A pump that orders are handed to directly, with the peer's end of its stream and what it reports.
    struct Bench {
        pump: Pump<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>,
        peer: DuplexStream,
        told: mpsc::Receiver<Arrival>,
        _orders: mpsc::Sender<Outgoing>,
    }

    fn bench() -> Bench {
        let (peer, near) = duplex(1 << 16);
        let (reader, writer) = split(near);
        let (orders, to) = mpsc::channel(1);
        let (from, told) = mpsc::channel(16);
        let pump = Pump::new(Port::new(to, from, Clock::start()), Framing::Lines, reader, writer);
        Bench { pump, peer, told, _orders: orders }
    }

    impl Bench {
        fn order(&mut self, stream: u32, more: bool) {
            let bytes = stream.to_string().into_bytes();
            self.pump.take(Outgoing::Message { stream, bytes, revision: None, more });
        }

        /// Steps until nothing can be done any more; what was written and told meanwhile.
        fn settle(&mut self) -> (String, Vec<u32>) {
            while at_once(self.pump.step()).is_some() {}
            let mut chunk = vec![0; 64];
            let read = at_once(self.peer.read(&mut chunk)).map_or(0, |count| count.unwrap_or(0));
            chunk.truncate(read);
            let sent = std::iter::from_fn(|| match self.told.try_recv().ok()?.what {
                Incoming::Sent { stream } => Some(stream),
                _ => None,
            });
            (String::from_utf8(chunk).unwrap(), sent.collect())
        }
    }

    /// What comes of it without waiting.
    fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(done) => Some(done),
            Poll::Pending => None,
        }
    }

    #[test]
    fn what_goes_out_together_waits_for_the_last_of_it() {
        let mut bench = bench();
        bench.order(1, true);
        assert_eq!(bench.settle(), (String::new(), vec![]));
        bench.order(2, false);
        bench.order(3, false);
        assert_eq!(bench.pump.queue.len(), 2, "the first two are one write");
        assert_eq!(bench.settle(), ("1\n2\n3\n".to_string(), vec![1, 2, 3]));
    }

    #[test]
    fn at_the_end_nothing_is_held_back() {
        let mut bench = bench();
        bench.order(1, true);
        bench.pump.finish_writing();
        assert_eq!(bench.settle(), ("1\n".to_string(), vec![1]));
    }
}
