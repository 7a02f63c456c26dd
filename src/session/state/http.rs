//! What the heads of HTTP messages have shown.

use std::collections::BTreeMap;

use super::rare::Empty;
use crate::protocol::http::Mirrors;
use crate::session::http_stream::{HttpStream, Shown};
use crate::session::seen::Seen;

/// What the heads of a connection have shown so far.
pub(in crate::session) struct Http {
    pub(in crate::session) streams: BTreeMap<u32, HttpStream>,
    /// Streams that were closed before the log showed what had opened them.
    pub(in crate::session) closed_early: BTreeMap<u32, Seen>,
    /// The server has issued a session.
    pub(in crate::session) issued: bool,
    /// Headers that some request of the client had.
    pub(in crate::session) shown: Shown,
    /// The session that the client ended, and the response that took it.
    pub(in crate::session) ended: Option<(Seen, Box<str>)>,
    /// The transport of 2024-11-05, in which answers come on the stream of a GET.
    pub(in crate::session) endpoint: bool,
    /// The log keeps `X-Accel-Buffering`: some response had it.
    pub(in crate::session) shows_buffering: bool,
    /// The arguments that tools want mirrored into headers.
    pub(in crate::session) mirrors: Mirrors,
    /// The log keeps `Last-Event-ID`: some request had it.
    pub(in crate::session) shows_resumed: bool,
    /// Notifications of the client that were posted alone, by their streams.
    pub(in crate::session) notified: BTreeMap<u32, Seen>,
}

impl Http {
    /// True unless it is HTTP+SSE, whatever revision the messages speak: what is said of headers, statuses and streams is said of
    /// Streamable HTTP.
    pub(in crate::session) fn is_streamable(&self) -> bool {
        !self.endpoint
    }
}

impl Empty for Http {
    const NEW: Self = Http {
        streams: Empty::NEW,
        closed_early: Empty::NEW,
        issued: false,
        shown: Shown::NONE,
        ended: None,
        endpoint: false,
        shows_buffering: false,
        mirrors: Mirrors::NONE,
        shows_resumed: false,
        notified: Empty::NEW,
    };
    const EMPTY: &'static Self = &Self::NEW;
}
