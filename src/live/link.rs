//! The two ends of a link to a live peer, as plain data.
//!
//! Times are microseconds on one monotonic clock that starts with the run; only transports read it.

use std::path::PathBuf;

use crate::protocol::Side;

/// In the place of a stream number, where a request has none.
pub const NO_STREAM: u32 = u32::MAX;

/// How a stream ended that was cut off, see [`Incoming::Closed`].
pub const RESET: &str = "reset";

/// A live peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A process that is started, in a process group of its own, and spoken to over its standard streams.
    Command(Command),
    /// An MCP endpoint over Streamable HTTP.
    Http(String),
    /// An MCP endpoint over the HTTP+SSE of 2024-11-05: a GET that names the place to POST to.
    HttpSse(String),
    /// `host:port`.
    Tcp(String),
    /// A Unix socket.
    Unix(PathBuf),
    /// `ws://host:port/path`: one message a frame.
    Ws(String),
}

/// What a user is told where the HTTP status of a server is no answer to anybody: it lets nobody in, or sends everybody elsewhere.
pub fn turned_away(status: u16) -> Option<&'static str> {
    match status {
        401 | 403 => Some(
            "the server wants to know who asks: give it what it wants, with --header 'Authorization: Bearer ${TOKEN}' for example",
        ),
        300..=399 => Some(
            "redirects are not followed, so that no header goes to another server: name the address that it leads to",
        ),
        _ => None,
    }
}

impl Target {
    /// True if what is sent arrives in the order in which it was sent, and what comes in the order in which it was said.
    pub fn is_ordered(&self) -> bool {
        !matches!(self, Target::Http(_) | Target::HttpSse(_))
    }
}

/// What a server in the network wants beside its address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Headers that go with every request. Their values are secrets.
    pub headers: Vec<(String, String)>,
    /// Authorities that are trusted besides those of this machine: certificates as bytes (DER).
    pub authorities: Vec<Vec<u8>>,
}

/// A process to start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables set beside those of this process.
    pub env: Vec<(String, String)>,
    /// Its working directory, where another one is wanted.
    pub cwd: Option<PathBuf>,
}

/// What is asked of a link. One `stream` number is one HTTP request and its response; elsewhere it is ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outgoing {
    /// One message or batch, without framing. Over HTTP: a POST that opens `stream`.
    Message {
        /// Number of the stream it opens.
        stream: u32,
        /// The text, sent byte for byte.
        bytes: Vec<u8>,
        /// The negotiated revision, for `MCP-Protocol-Version`; `None` before it is known.
        revision: Option<String>,
        /// It goes out in one write with the next message, so that nothing can happen between the two. Over HTTP this means nothing.
        more: bool,
    },
    /// HTTP: a GET that waits for messages of the server.
    OpenStream {
        /// Its number.
        stream: u32,
        /// To resume after this event of an earlier stream.
        last_event_id: Option<String>,
        /// As in `Message`.
        revision: Option<String>,
    },
    /// HTTP: gives up a stream, as a client does that goes away.
    CloseStream {
        /// Its number.
        stream: u32,
    },
    /// HTTP, to a client: an event without a message. Behind its id the client goes on once the stream is closed.
    Prime {
        /// The number of the stream.
        stream: u32,
    },
    /// HTTP: a DELETE of the session.
    EndSession {
        /// As in `Message`.
        revision: Option<String>,
    },
    /// Closes the direction towards the peer (standard input, the writing half of a socket), and ends a child
    /// that does not end by itself: 10 s, TERM to its group, 5 s, KILL.
    Finish,
    /// Ends everything now: TERM to the group of a child, KILL after 5 s; connections are closed.
    Abort,
}

/// Something that a link reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When, in microseconds since the start of the run.
    pub at_us: i64,
    /// What.
    pub what: Incoming,
}

/// As much of a message is kept, in bytes. What is longer is told as [`Incoming::Raw`], by this much of its beginning.
pub const MESSAGE_BYTES: usize = 64 << 20;

/// What a link reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incoming {
    /// The peer can be sent to: the process runs, the socket is connected. Over HTTP at once.
    Ready,
    /// A message was handed to the transport; in the order of the `Outgoing`s.
    Sent {
        /// The stream of the `Outgoing`.
        stream: u32,
    },
    /// One message or batch, without framing.
    Message {
        /// The stream that carried it, over HTTP.
        stream: Option<u32>,
        /// The text.
        bytes: Vec<u8>,
        /// The id of its SSE event, where it had one.
        event_id: Option<String>,
    },
    /// HTTP: an SSE event without a message. An id to resume after, or a wait before that.
    Primed {
        /// The stream that carried it.
        stream: u32,
        /// Its id.
        event_id: Option<String>,
        /// Its `retry`, in milliseconds.
        retry_ms: Option<u64>,
    },
    /// Bytes in the place of a message that are none (a line that is not JSON, a header block without a length).
    Raw {
        /// The bytes.
        bytes: Vec<u8>,
        /// True if they ended before their end had come.
        cut: bool,
    },
    /// HTTP: a body, or a piece of an event stream, in a content encoding that cannot be undone.
    Packed {
        /// The stream that carried it.
        stream: Option<u32>,
        /// The bytes.
        bytes: Vec<u8>,
        /// The encoding.
        encoding: String,
    },
    /// HTTP: the head of a response.
    Head {
        /// Its stream; [`NO_STREAM`] for that of a DELETE.
        stream: u32,
        /// `POST`, `GET` or `DELETE`.
        method: &'static str,
        /// The status.
        status: u16,
        /// The headers that may be kept (an allow-list), names in lower case.
        headers: Vec<(String, String)>,
    },
    /// A stream ended, or, without a number, the whole connection.
    Closed {
        /// Its number, over HTTP.
        stream: Option<u32>,
        /// Who closed it.
        by: Side,
        /// How, in a word: `eof`, `reset`, a WebSocket's close code.
        how: String,
    },
    /// A line of stderr, without its end.
    Stderr {
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// The process ended. Everything it wrote has been reported before.
    Exit {
        /// Its exit code.
        code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
        /// What it took to end it.
        forced: Forced,
        /// Process ids of its group that outlived it and were killed.
        survivors: Vec<u32>,
    },
    /// The link cannot go on: no such program, connection refused, TLS.
    Failed {
        /// What was tried and why it failed.
        why: String,
    },
}

/// What it took to end a child process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forced {
    /// It ended by itself.
    #[default]
    No,
    /// TERM.
    Term,
    /// KILL.
    Kill,
}
