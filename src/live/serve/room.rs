//! One client over HTTP: its link, and the streams on which it waits. A stream is one POST; it ends with the answer to the last
//! of its requests.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{mpsc, oneshot};

use super::Port;
use crate::jsonrpc::{NoLift, Parsed, parse};
use crate::live::{Arrival, Clock, Incoming, Outgoing};
use crate::protocol::Side;

/// How many messages wait for a client that has no stream open for them.
const WAITING: usize = 1024;

/// A client.
#[derive(Debug)]
pub(super) struct Room {
    from: mpsc::Sender<Arrival>,
    clock: Clock,
    streams: Mutex<Streams>,
}

#[derive(Debug, Default)]
struct Streams {
    last: u32,
    open: HashMap<u32, Stream>,
    /// The GET stream for what belongs to no request, with a number that tells it from its successor.
    listener: Option<(u32, UnboundedSender<Vec<u8>>)>,
    waiting: VecDeque<Vec<u8>>,
    over: bool,
}

#[derive(Debug)]
struct Stream {
    /// Requests of it that have no answer yet.
    owed: usize,
    /// The response that is open for it; none while its client is to come back.
    out: Option<UnboundedSender<Part>>,
    /// What came meanwhile.
    waiting: Vec<Part>,
    /// How often its client was told where to go on.
    primed: u32,
}

/// A message for a stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The id of its event, of one that carries no message.
    pub(super) id: Option<String>,
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
    /// True for the answer that the client waits for.
    pub(super) answer: bool,
    /// True for the last message of the stream.
    pub(super) last: bool,
}

impl Room {
    /// A client, and what tells when it is gone.
    pub(super) fn open(port: Port, clock: Clock) -> (Arc<Room>, oneshot::Receiver<()>) {
        let Port { mut to, from } = port;
        let room = Arc::new(Room { from, clock, streams: Mutex::default() });
        let (left, gone) = oneshot::channel();
        let own = Arc::clone(&room);
        tokio::spawn(async move {
            own.tell(Incoming::Ready).await;
            while let Some(order) = to.recv().await {
                match order {
                    Outgoing::Message { stream, bytes, .. } => own.deliver(stream, bytes),
                    Outgoing::Prime { stream } => own.prime(stream),
                    Outgoing::CloseStream { stream } => own.close(stream),
                    Outgoing::Finish | Outgoing::Abort => break,
                    Outgoing::OpenStream { .. } | Outgoing::EndSession { .. } => {}
                }
            }
            own.end();
            let _ = left.send(());
        });
        (room, gone)
    }

    fn streams(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports something that the client did.
    pub(super) async fn tell(&self, what: Incoming) {
        let _ = self.from.send(Arrival { at_us: self.clock.us(), what }).await;
    }

    /// A new stream that waits for so many answers; `None` in a session that is over.
    pub(super) fn stream(self: &Arc<Room>, owed: usize) -> Option<Waiting> {
        let mut streams = self.streams();
        if streams.over {
            return None;
        }
        streams.last += 1;
        let number = streams.last;
        let (out, parts) = unbounded_channel();
        streams.open.insert(number, Stream { owed, out: Some(out), waiting: Vec::new(), primed: 0 });
        Some(Waiting { room: Arc::clone(self), number, parts })
    }

    /// A stream that was closed before its answers, for a client that has come back behind this event.
    pub(super) fn resume(self: &Arc<Room>, event: &str) -> Option<Waiting> {
        let number = event.split_once('-')?.0.parse::<u32>().ok()?;
        let mut streams = self.streams();
        let stream = streams.open.get_mut(&number)?;
        let (out, parts) = unbounded_channel();
        for part in stream.waiting.drain(..) {
            let _ = out.send(part);
        }
        stream.out = Some(out);
        if stream.owed == 0 {
            streams.open.remove(&number);
        }
        Some(Waiting { room: Arc::clone(self), number, parts })
    }

    fn prime(&self, number: u32) {
        if let Some(stream) = self.streams().open.get_mut(&number) {
            stream.primed += 1;
            let id = Some(format!("{number}-{}", stream.primed));
            stream.put(Part { id, bytes: Vec::new(), answer: false, last: false });
        }
    }

    /// Closes a stream. One whose client knows where to go on keeps what is still to come.
    fn close(&self, number: u32) {
        let mut streams = self.streams();
        let Some(stream) = streams.open.get_mut(&number) else { return };
        stream.out = None;
        if stream.primed == 0 {
            streams.open.remove(&number);
        }
    }

    /// The stream for what belongs to no request; an earlier one ends.
    pub(super) fn listen(self: &Arc<Room>) -> Option<Listening> {
        let mut streams = self.streams();
        if streams.over {
            return None;
        }
        streams.last += 1;
        let number = streams.last;
        let (out, messages) = unbounded_channel();
        for bytes in streams.waiting.drain(..) {
            let _ = out.send(bytes);
        }
        streams.listener = Some((number, out));
        Some(Listening { room: Arc::clone(self), number, messages })
    }

    fn deliver(&self, stream: u32, bytes: Vec<u8>) {
        let mut streams = self.streams();
        if stream == 0 {
            let left = match &streams.listener {
                Some((_, out)) => out.send(bytes).err().map(|left| left.0),
                None => Some(bytes),
            };
            streams.waiting.extend(left);
            if streams.waiting.len() > WAITING {
                streams.waiting.pop_front();
            }
            return;
        }
        // A client that has closed the stream does not get it any more.
        let Some(open) = streams.open.get_mut(&stream) else { return };
        let answers = answers(&bytes);
        open.owed = open.owed.saturating_sub(answers);
        let last = open.owed == 0;
        open.put(Part { id: None, bytes, answer: answers > 0, last });
        if last && open.out.is_some() {
            streams.open.remove(&stream);
        }
    }

    fn end(&self) {
        let mut streams = self.streams();
        *streams = Streams { last: streams.last, over: true, ..Streams::default() };
    }
}

impl Stream {
    fn put(&mut self, part: Part) {
        match &self.out {
            Some(out) => drop(out.send(part)),
            None => self.waiting.push(part),
        }
    }
}

/// How many answers a text holds.
fn answers(bytes: &[u8]) -> usize {
    let Ok(text) = std::str::from_utf8(bytes) else { return 0 };
    match parse::<NoLift>(text) {
        Ok(Parsed::One(message, _)) => usize::from(message.kind.is_response()),
        Ok(Parsed::Batch(members)) => {
            let response = |(message, _): &(crate::jsonrpc::Message<'_>, NoLift)| message.kind.is_response();
            members.iter().filter_map(|(_, member)| member.as_ref().ok()).filter(|member| response(member)).count()
        }
        Err(_) => 0,
    }
}

/// A client that waits for answers. Dropped before the last of them came, the client has closed the stream.
#[derive(Debug)]
pub(super) struct Waiting {
    room: Arc<Room>,
    /// The stream.
    pub(super) number: u32,
    parts: UnboundedReceiver<Part>,
}

impl Waiting {
    /// The next message; `None` when the stream is to end.
    pub(super) async fn next(&mut self) -> Option<Part> {
        self.parts.recv().await
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut streams = self.room.streams();
        let open = streams.open.get(&self.number).is_some_and(|stream| stream.out.is_some());
        if open {
            streams.open.remove(&self.number);
        }
        drop(streams);
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        if open {
            let (room, stream) = (Arc::clone(&self.room), Some(self.number));
            runtime.spawn(async move {
                room.tell(Incoming::Closed { stream, by: Side::Client, how: "reset".to_string() }).await;
            });
        }
    }
}

/// A client that listens for what belongs to no request.
#[derive(Debug)]
pub(super) struct Listening {
    room: Arc<Room>,
    number: u32,
    messages: UnboundedReceiver<Vec<u8>>,
}

impl Listening {
    /// The next message; `None` when the stream is to end.
    pub(super) async fn next(&mut self) -> Option<Vec<u8>> {
        self.messages.recv().await
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let mut streams = self.room.streams();
        if streams.listener.as_ref().is_some_and(|(number, _)| *number == self.number) {
            streams.listener = None;
        }
        // What it did not get is for the next one.
        self.messages.close();
        while let Ok(bytes) = self.messages.try_recv() {
            streams.waiting.push_back(bytes);
        }
    }
}
