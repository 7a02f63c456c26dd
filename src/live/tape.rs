//! The tape: events in, lines of a recording (`rec/1`) out, and never in the way of what is recorded.
//!
//! [`Tape::event`] puts an event into a queue that is bounded in bytes and returns; a thread of its own redacts, formats
//! and writes. Where the disk is slower than the traffic, copies are dropped, counted, and said in a `gap` event. Where it
//! is full, that is said once, and traffic goes on. The place in the queue is the number in the file: both are
//! given under one lock, so that a reader never sees a loss that was none.

mod clean;
mod file;
mod framing;
mod limit;
mod queue;
#[cfg(test)]
mod tests;
mod writer;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::de::IgnoredAny;

use super::Clock;
use crate::capture::{Link, Vantage};
use crate::error::{Error, ErrorKind, Result};
use crate::protocol::Side;
use crate::redact::Custom;
use queue::{Item, Queue};

/// How much may wait for the disk, in bytes.
pub const QUEUE_BYTES: usize = 64 << 20;

/// How much of one message is stored, in bytes.
pub const FRAME_BYTES: usize = 16 << 20;

/// How long the end of a session waits for a disk that takes nothing.
const PATIENCE: Duration = Duration::from_secs(60);

/// Told once that something cannot be written, in a sentence.
pub type Say = Box<dyn Fn(&str) + Send>;

/// What is recorded, and where to.
pub struct TapeOptions {
    /// The file, or the first one where parts are wanted. It must not exist, or be empty.
    pub path: PathBuf,
    /// The protocol (`mcp`), where the user says so.
    pub proto: Option<String>,
    /// Its revision, where the user says so.
    pub revision: Option<String>,
    /// What carries the messages, in a word: `stdio`, `tcp`, `http`, `sse`, `ws`.
    pub transport: String,
    /// How messages are told apart, as [`Framing::as_str`](crate::wire::Framing::as_str) has it, or `auto`; empty where that is no
    /// question. It rules over chunks.
    pub frame: String,
    /// Where the recorder stands.
    pub vantage: Vantage,
    /// The command line of the server. Secrets in it are replaced.
    pub cmd: Vec<String>,
    /// Working directory, with the home shortened to `~`.
    pub cwd: Option<String>,
    /// Names of the environment variables that the server was given; never their values.
    pub env_names: Vec<String>,
    /// What the recorder changes on the wire.
    pub alter: Vec<String>,
    /// The recording that is replayed, where this is the session of a replay.
    pub replay_of: Option<String>,
    /// Secrets to replace beside the usual ones; `None` stores everything as it is.
    pub redact: Option<Custom>,
    /// Another part begins after the line with which a file reaches this size, in bytes.
    pub max_size: Option<u64>,
    /// All parts together take no more than this, in bytes: what comes later is counted as lost. Room for the last lines is a part of
    /// it; those and the header are written even where they take more.
    pub max_total: Option<u64>,
    /// True to have every second on the disk, should the power fail.
    pub durable: bool,
    /// How much may wait for the disk, in bytes.
    pub queue_bytes: usize,
    /// Who is told when something cannot be written. Called from the tape's own thread.
    pub say: Option<Say>,
}

impl TapeOptions {
    /// A recording into a file, redacted, with nothing said about where it comes from.
    pub fn new(path: impl Into<PathBuf>) -> TapeOptions {
        TapeOptions {
            path: path.into(),
            proto: None,
            revision: None,
            transport: "stdio".to_string(),
            frame: String::new(),
            vantage: Vantage::Proxy,
            cmd: Vec::new(),
            cwd: None,
            env_names: Vec::new(),
            alter: Vec::new(),
            replay_of: None,
            redact: Some(Custom::default()),
            max_size: None,
            max_total: None,
            durable: false,
            queue_bytes: QUEUE_BYTES,
            say: None,
        }
    }
}

impl fmt::Debug for TapeOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TapeOptions")
            .field("path", &self.path)
            .field("transport", &self.transport)
            .finish_non_exhaustive()
    }
}

/// What a recorder has seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TapeEvent {
    /// A connection, or one of its streams, was opened.
    Open {
        /// By whom.
        by: Option<Side>,
    },
    /// A connection, or one of its streams, was closed.
    Close {
        /// By whom; `None` for the recorder itself.
        by: Option<Side>,
        /// How, in a word: `eof`, `reset`.
        how: String,
    },
    /// An HTTP stream, one request and its response, was closed.
    StreamEnd {
        /// By whom; `None` for the recorder itself.
        by: Option<Side>,
        /// How, in a word.
        how: String,
        /// Whether a JSON-RPC response had been seen on it.
        answered: bool,
    },
    /// A message or a batch. Without a `head` it is stored as `raw` where it is no JSON.
    Message {
        /// Who sent it.
        from: Side,
        /// Its bytes, without framing. What is beyond [`FRAME_BYTES`] is not stored.
        bytes: Vec<u8>,
        /// The header block before it, where messages are framed by Content-Length.
        head: Option<Vec<u8>>,
    },
    /// A message of which only the beginning was kept.
    Cut {
        /// Who sent it.
        from: Side,
        /// Its beginning.
        bytes: Vec<u8>,
        /// Its length on the wire in bytes, without framing.
        wire_bytes: u64,
        /// As in `Message`.
        head: Option<Vec<u8>>,
    },
    /// Bytes as they came, not told apart yet: that is done by the tape's own thread, with the framing of the options. A
    /// recorder hands a chunk over before it forwards it, so that no answer can stand before its request in the file.
    Chunk {
        /// Where they came from.
        from: Pipe,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Bytes that are no message.
    Raw {
        /// Who sent them.
        from: Side,
        /// The bytes.
        bytes: Vec<u8>,
        /// True if they ended before their end had come: without the newline, or with fewer than were announced.
        cut: bool,
    },
    /// A body in an encoding that is not undone.
    Opaque {
        /// Who sent it.
        from: Side,
        /// The bytes.
        bytes: Vec<u8>,
        /// The encoding: `gzip`.
        encoding: String,
    },
    /// A line of stderr, without its end.
    Stderr {
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// The process ended.
    Exit {
        /// Its exit code.
        code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
    },
    /// Messages were lost before they came here.
    Gap {
        /// Whose.
        from: Option<Side>,
        /// How many, where known.
        lost: Option<u64>,
        /// How many bytes.
        bytes: u64,
        /// Why, in a word.
        why: &'static str,
    },
    /// The head of an HTTP request (from the client) or response.
    Http {
        /// Who sent it.
        from: Side,
        /// A JSON object: `method` or `status`, and `headers`.
        head: String,
    },
    /// What an SSE event says beside its data, or a comment; it stands before the message that it carries.
    Sse {
        /// Who sent it.
        from: Side,
        /// A JSON object: `id`, `event`, `retry`, `comment`.
        event: String,
    },
    /// A remark of the recorder.
    Note {
        /// The text.
        text: String,
    },
}

/// Where bytes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pipe {
    /// What a side sends.
    From(Side),
    /// The standard error of the server.
    Stderr,
}

/// What became of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TapeSummary {
    /// The files, in order.
    pub parts: Vec<PathBuf>,
    /// Messages and batches that were stored, whole or not.
    pub messages: u64,
    /// Messages that were lost, where they could be counted.
    pub lost: u64,
    /// Bytes of them, and of what else was lost.
    pub lost_bytes: u64,
    /// Secrets that were replaced, by kind.
    pub replaced: BTreeMap<&'static str, u64>,
    /// The hash of the last line, where the recording was ended in good order.
    pub last: Option<Link>,
    /// What could not be written, and why, where that happened.
    pub trouble: Option<String>,
}

/// A running recorder. Copies write to the same recording.
#[derive(Clone)]
pub struct Tape {
    queue: Arc<Queue>,
    done: Arc<Mutex<Receiver<TapeSummary>>>,
}

impl fmt::Debug for Tape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tape")
    }
}

impl Tape {
    /// Makes the file (mode 0600) with its header and room for its last lines, and starts the writer. That the disk has none is an
    /// error, as that there is a recording of this name; that it gets full later is none.
    pub fn start(options: TapeOptions, clock: Clock) -> Result<Tape> {
        let queue = Arc::new(Queue::new(options.queue_bytes));
        let writer = writer::Writer::new(options, clock)?;
        let (sender, done) = channel();
        let for_writer = Arc::clone(&queue);
        let write = move || drop(sender.send(writer.run(&for_writer)));
        std::thread::Builder::new()
            .name("tape".to_string())
            .spawn(write)
            .map_err(|error| Error::new(ErrorKind::Io, format!("cannot start the thread that writes: {error}")))?;
        Ok(Tape { queue, done: Arc::new(Mutex::new(done)) })
    }

    /// Hands an event over; `at_us` is the clock's. Never waits for the disk. Nothing is taken any more after `finish`.
    pub fn event(&self, at_us: i64, connection: u32, stream: Option<u32>, event: TapeEvent) {
        self.queue.push(Item { at_us, connection, stream, event: event.capped(), resync: None });
    }

    /// Ends the recording, and waits until it is written, but not for ever: for as long as the disk takes something.
    pub fn finish(self, at_us: i64) -> TapeSummary {
        self.queue.close(at_us);
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        written(&done, PATIENCE, || self.queue.left())
    }
}

/// What the writer says at its end. It is waited for as long as fewer are `left` each time that patience is at its end.
fn written(done: &Receiver<TapeSummary>, patience: Duration, left: impl Fn() -> usize) -> TapeSummary {
    let trouble = |text: &str| TapeSummary { trouble: Some(text.to_string()), ..TapeSummary::default() };
    let mut before = usize::MAX;
    loop {
        match done.recv_timeout(patience) {
            Ok(summary) => return summary,
            Err(RecvTimeoutError::Disconnected) => {
                return trouble("the recorder stopped before its time, or was ended twice");
            }
            Err(RecvTimeoutError::Timeout) => {
                let now = left();
                if now >= before {
                    return trouble("the disk took nothing of the end of the recording for a minute");
                }
                before = now;
            }
        }
    }
}

impl TapeEvent {
    /// With no more of a message than is stored.
    fn capped(self) -> TapeEvent {
        match self {
            TapeEvent::Message { from, mut bytes, head } if bytes.len() > FRAME_BYTES => {
                let wire_bytes = bytes.len() as u64;
                bytes.truncate(FRAME_BYTES);
                bytes.shrink_to_fit();
                TapeEvent::Cut { from, bytes, wire_bytes, head }
            }
            TapeEvent::Raw { from, mut bytes, .. } if bytes.len() > FRAME_BYTES => {
                let wire_bytes = bytes.len() as u64;
                bytes.truncate(FRAME_BYTES);
                bytes.shrink_to_fit();
                TapeEvent::Cut { from, bytes, wire_bytes, head: None }
            }
            event => event,
        }
    }

    /// What it takes in the queue, in bytes; `None` for what is never dropped.
    fn droppable(&self) -> Option<usize> {
        match self {
            TapeEvent::Message { bytes, head, .. } | TapeEvent::Cut { bytes, head, .. } => {
                Some(bytes.len() + head.as_ref().map_or(0, Vec::len))
            }
            TapeEvent::Chunk { bytes, .. }
            | TapeEvent::Raw { bytes, .. }
            | TapeEvent::Opaque { bytes, .. }
            | TapeEvent::Stderr { bytes } => Some(bytes.len()),
            TapeEvent::Http { head: text, .. } | TapeEvent::Sse { event: text, .. } | TapeEvent::Note { text } => {
                Some(text.len())
            }
            TapeEvent::Open { .. }
            | TapeEvent::Close { .. }
            | TapeEvent::StreamEnd { .. }
            | TapeEvent::Exit { .. }
            | TapeEvent::Gap { .. } => None,
        }
    }

    /// How many messages it is, or says are lost.
    fn messages(&self) -> u64 {
        match self {
            TapeEvent::Message { bytes, head, .. } => u64::from(head.is_some() || is_message(bytes)),
            // What is compressed, or longer than what is kept, is one body.
            TapeEvent::Cut { .. } | TapeEvent::Opaque { .. } => 1,
            TapeEvent::Gap { lost, .. } => lost.unwrap_or(1),
            _ => 0,
        }
    }

    /// Who sent it.
    fn from(&self) -> Option<Side> {
        match self {
            TapeEvent::Message { from, .. }
            | TapeEvent::Cut { from, .. }
            | TapeEvent::Raw { from, .. }
            | TapeEvent::Opaque { from, .. }
            | TapeEvent::Http { from, .. }
            | TapeEvent::Sse { from, .. } => Some(*from),
            TapeEvent::Chunk { from: Pipe::From(side), .. } => Some(*side),
            TapeEvent::Gap { from, .. } => *from,
            _ => None,
        }
    }
}

/// True for a JSON object or array, whatever is in it.
pub(super) fn is_message(bytes: &[u8]) -> bool {
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    matches!(first, Some(b'{' | b'[')) && serde_json::from_slice::<IgnoredAny>(bytes).is_ok()
}
