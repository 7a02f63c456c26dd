//! What is remembered of one exchange of HTTP while it lasts, and what a look into a body tells.

use std::net::SocketAddr;

use hyper::HeaderMap;

use super::heads;
use super::stream_events::Events;
use crate::jsonrpc::{Defect, Id, IdField, Kind, Message, Parsed, parse};
use crate::live::tape::{FRAME_BYTES, TapeEvent};
use crate::protocol::{Facts, profiles};
use crate::wire::Coding;

/// One request and its response.
pub(super) struct Stream {
    pub peer: SocketAddr,
    pub method: String,
    /// Path and query, as the client asked.
    pub target: String,
    /// The connection, once it is known.
    pub connection: Option<u32>,
    /// Events from before that: stream, event.
    pub held: Vec<(u32, TapeEvent)>,
    /// The stream that carries its messages: its own, but for a POST of HTTP+SSE, whose answer comes on the GET.
    pub carrier: u32,
    pub request: Reading,
    pub response: Reading,
    pub status: u16,
    /// True once a JSON-RPC response was seen on it.
    pub answered: bool,
    /// Ids of the requests in it.
    pub asked: Vec<Id>,
    /// True if an answer is due: there are requests in it, or it could not be looked into.
    pub asks: bool,
    /// True for the GET of HTTP+SSE: the connection ends with it.
    pub is_connection: bool,
    /// The session that it names.
    pub session: Option<String>,
    /// True for another path than the endpoint, as long as nothing shows that it carries messages.
    pub elsewhere: bool,
}

impl Stream {
    pub(super) fn new(number: u32, peer: SocketAddr, method: String, target: String, headers: &HeaderMap) -> Stream {
        Stream {
            peer,
            method,
            target,
            connection: None,
            held: Vec::new(),
            carrier: number,
            request: Reading::of(headers, false),
            response: Reading::Nothing,
            status: 0,
            answered: false,
            asked: Vec::new(),
            asks: false,
            is_connection: false,
            session: heads::text(headers, heads::SESSION).map(str::to_string),
            elsewhere: false,
        }
    }

    /// True where what the server sends back is promised to be messages. A refusal need not be one, nor need what is
    /// said to a notification.
    pub(super) fn promises_messages(&self) -> bool {
        self.method == "POST" && self.status == 200 && self.asks
    }
}

/// How a body is read.
pub(super) enum Reading {
    /// There is none, or it is not wanted.
    Nothing,
    /// As one message or batch.
    Whole(Whole),
    /// As an event stream.
    Events(Events),
    /// Not at all: it is compressed.
    Opaque(Whole, String),
}

impl Reading {
    /// As the headers of the body say.
    pub(super) fn of(headers: &HeaderMap, may_stream: bool) -> Reading {
        let encoding = heads::text(headers, "content-encoding");
        match Coding::of(encoding) {
            Coding::Gzip | Coding::Closed(_) => {
                Reading::Opaque(Whole::default(), encoding.unwrap_or_default().trim().to_string())
            }
            Coding::Plain if may_stream && super::is_event_stream(headers) => Reading::Events(Events::default()),
            Coding::Plain => Reading::Whole(Whole::default()),
        }
    }
}

/// A body as far as it has come, and as far as it is kept.
#[derive(Default)]
pub(super) struct Whole {
    pub bytes: Vec<u8>,
    /// Its length on the wire.
    pub length: u64,
    /// True if a piece is missing.
    pub lost: bool,
}

impl Whole {
    pub(super) fn push(&mut self, piece: &[u8]) {
        self.length += piece.len() as u64;
        let room = FRAME_BYTES.saturating_sub(self.bytes.len());
        self.bytes.extend_from_slice(&piece[..piece.len().min(room)]);
    }

    pub(super) fn is_cut(&self) -> bool {
        self.length > self.bytes.len() as u64
    }
}

/// What a body turns out to be.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Look {
    /// True if it holds a message at all.
    pub is_message: bool,
    /// True if one of them says `jsonrpc`, so that it is no message of anything else.
    pub is_named: bool,
    /// True if it opens a session.
    pub starts: bool,
    /// True if it names its revision itself, as requests without a session do.
    pub stateless: bool,
    /// Ids of requests.
    pub asked: Vec<Id>,
    /// True if there is a response in it.
    pub answers: bool,
}

impl Look {
    /// Looks.
    pub(super) fn at(bytes: &[u8]) -> Look {
        let mut look = Look::default();
        let Ok(text) = std::str::from_utf8(bytes) else { return look };
        match parse::<Facts<'_>>(text) {
            Ok(Parsed::One(message, facts)) => look.add(&message, &facts),
            Ok(Parsed::Batch(members)) => {
                for (message, facts) in members.iter().filter_map(|(_, member)| member.as_ref().ok()) {
                    look.add(message, facts);
                }
            }
            Err(_) => {}
        }
        look
    }

    fn add(&mut self, message: &Message<'_>, facts: &Facts<'_>) {
        // `{"error":"invalid_token"}` is what other protocols over HTTP say.
        if message.defects.has(Defect::JsonrpcMember) && message.id == IdField::Absent {
            return;
        }
        self.is_message |= message.kind != Kind::Unclassified;
        self.is_named |= message.kind != Kind::Unclassified && !message.defects.has(Defect::JsonrpcMember);
        self.answers |= message.kind.is_response();
        if message.kind != Kind::Request {
            return;
        }
        self.starts |= profiles().any(|profile| profile.opening.initialize == Some(message.method()));
        self.stateless |= facts.meta_revision().is_some();
        self.asked.extend(message.id.value().cloned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_body_is() {
        let look = Look::at(br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#);
        assert!(look.is_message && look.starts && !look.stateless && !look.answers);
        assert_eq!(look.asked, [Id::Int(1)]);
        let meta = br#"[{"id":"a","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"x"}}},{"id":2,"result":{}}]"#;
        let look = Look::at(meta);
        assert!(look.is_message && look.stateless && look.answers && !look.starts);
        assert!(Look::at(br#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"no session"}}"#).answers);
        for other in [&br#"{"error":"invalid_token"}"#[..], b"Not Found", b"", b"\xff"] {
            assert!(!Look::at(other).answers, "{other:?}");
        }
    }

    #[test]
    fn only_so_much_is_kept() {
        let mut whole = Whole::default();
        for _ in 0..3 {
            whole.push(&vec![b'x'; FRAME_BYTES / 2]);
        }
        assert!(whole.is_cut());
        assert_eq!((whole.bytes.len(), whole.length), (FRAME_BYTES, 3 * (FRAME_BYTES as u64) / 2));
    }
}
