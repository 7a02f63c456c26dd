//! Writes the live session down as the client sees it: what was sent when the transport took it, what came when it came.

use std::collections::VecDeque;

use crate::live::link::NO_STREAM;
use crate::live::tape::{Tape, TapeEvent};
use crate::live::{Arrival, Incoming, Outgoing, Target};
use crate::protocol::Side;
use crate::protocol::http::{ENDPOINT, LAST_EVENT, REVISION};

/// Headers by name.
type Headers = serde_json::Map<String, serde_json::Value>;

/// One connection on the tape.
pub(super) struct Scribe<'t> {
    tapes: &'t [Tape],
    connection: u32,
    /// True where streams are told apart.
    http: bool,
    /// True for HTTP+SSE, which is not judged as Streamable HTTP.
    legacy: bool,
    /// Messages that the transport has not taken yet, each with its stream, in order.
    ordered: VecDeque<(u32, Vec<u8>)>,
    /// The highest number of a stream so far.
    last_stream: u32,
    /// True once the client has asked for the end.
    finishing: bool,
    open: bool,
    /// True if the connection is played from its first message on.
    from_start: bool,
}

impl<'t> Scribe<'t> {
    /// For the connection with this number, from 1.
    /// A recording that begins in the middle leaves the handshake out, and what is said without one is no fault of the server.
    pub(super) fn new(tapes: &'t [Tape], connection: u32, target: &Target, from_start: bool) -> Scribe<'t> {
        let http = matches!(target, Target::Http(_) | Target::HttpSse(_));
        Scribe {
            tapes,
            connection,
            http,
            legacy: matches!(target, Target::HttpSse(_)),
            ordered: VecDeque::new(),
            last_stream: 0,
            finishing: false,
            open: false,
            from_start,
        }
    }

    /// The engine wants something sent.
    pub(super) fn ordered(&mut self, now_us: i64, order: &Outgoing) {
        match order {
            Outgoing::Message { stream, bytes, .. } => self.ordered.push_back((*stream, bytes.clone())),
            Outgoing::OpenStream { stream, last_event_id, revision } => {
                let named = [(REVISION, revision), (LAST_EVENT, last_event_id)];
                let named = named.into_iter().filter_map(|(name, value)| Some((name.into(), value.as_deref()?.into())));
                self.request(now_us, *stream, "GET", named.collect());
            }
            Outgoing::Finish | Outgoing::Abort => self.finishing = true,
            Outgoing::Prime { .. } | Outgoing::CloseStream { .. } | Outgoing::EndSession { .. } => {}
        }
    }

    /// The link reports something.
    pub(super) fn arrived(&mut self, arrival: &Arrival) {
        let at_us = arrival.at_us;
        let on = |stream: &Option<u32>, http: bool| stream.filter(|stream| http && *stream != NO_STREAM);
        match &arrival.what {
            Incoming::Ready => {
                self.open = true;
                if self.from_start {
                    self.event(at_us, None, TapeEvent::Open { by: Some(Side::Client) });
                }
                // The link has had it before it was ready.
                if self.legacy {
                    let event = serde_json::json!({ "event": ENDPOINT }).to_string();
                    self.event(at_us, None, TapeEvent::Sse { from: Side::Server, event });
                }
            }
            Incoming::Sent { stream } => self.sent(at_us, *stream),
            Incoming::Message { stream, bytes, event_id } => {
                if let Some(id) = event_id {
                    let event = serde_json::json!({ "id": id }).to_string();
                    self.event(at_us, on(stream, self.http), TapeEvent::Sse { from: Side::Server, event });
                }
                let event = TapeEvent::Message { from: Side::Server, bytes: bytes.clone(), head: None };
                self.event(at_us, on(stream, self.http), event);
            }
            Incoming::Raw { bytes, cut } => {
                self.event(at_us, None, TapeEvent::Raw { from: Side::Server, bytes: bytes.clone(), cut: *cut });
            }
            Incoming::Packed { stream, bytes, encoding } => {
                let (bytes, encoding) = (bytes.clone(), encoding.clone());
                let event = TapeEvent::Opaque { from: Side::Server, bytes, encoding };
                self.event(at_us, on(stream, self.http), event);
            }
            Incoming::Head { stream, method, status, headers } => {
                // A DELETE belongs to no stream that was opened: it gets a number of its own.
                let stream = match *method {
                    "DELETE" => Some(self.last_stream + 1),
                    _ => Some(*stream).filter(|stream| *stream != NO_STREAM),
                };
                if let Some(stream) = stream.filter(|_| *method == "DELETE") {
                    self.request(at_us, stream, method, Headers::new());
                }
                let headers: Headers =
                    headers.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
                let head = serde_json::json!({ "status": status, "headers": headers }).to_string();
                self.event(at_us, stream, TapeEvent::Http { from: Side::Server, head });
            }
            Incoming::Closed { stream: Some(NO_STREAM), .. } => {}
            Incoming::Closed { stream, by, how } => {
                self.open &= stream.is_some();
                // A server that was asked to end and ends is not the one who hung up.
                let by = if stream.is_none() && self.finishing { Side::Client } else { *by };
                let event = TapeEvent::Close { by: Some(by), how: how.clone() };
                self.event(at_us, *stream, event);
            }
            Incoming::Stderr { bytes } => self.event(at_us, None, TapeEvent::Stderr { bytes: bytes.clone() }),
            Incoming::Exit { code, signal, .. } => {
                self.end(at_us);
                self.event(at_us, None, TapeEvent::Exit { code: *code, signal: *signal });
            }
            Incoming::Failed { why } => self.event(at_us, None, TapeEvent::Note { text: why.clone() }),
            Incoming::Primed { stream, event_id, retry_ms } => {
                let event = serde_json::json!({ "id": event_id, "retry": retry_ms }).to_string();
                self.event(at_us, Some(*stream), TapeEvent::Sse { from: Side::Server, event });
            }
        }
    }

    /// The connection is over, where nobody has said so.
    pub(super) fn end(&mut self, at_us: i64) {
        if std::mem::take(&mut self.open) {
            let by = if self.finishing { Side::Client } else { Side::Server };
            self.event(at_us, None, TapeEvent::Close { by: Some(by), how: "eof".to_string() });
        }
    }

    fn sent(&mut self, at_us: i64, stream: u32) {
        // Not simply the first: a POST that broke before it was written is never told as sent.
        let Some(at) = self.ordered.iter().position(|(of, _)| *of == stream) else { return };
        let Some((_, bytes)) = self.ordered.remove(at) else { return };
        if self.http {
            self.request(at_us, stream, "POST", Headers::new());
        }
        let event = TapeEvent::Message { from: Side::Client, bytes, head: None };
        self.event(at_us, Some(stream).filter(|_| self.http), event);
    }

    /// The head of a request; `headers` are those that tell what it is for.
    fn request(&mut self, at_us: i64, stream: u32, method: &str, headers: Headers) {
        self.last_stream = self.last_stream.max(stream);
        self.event(at_us, Some(stream), TapeEvent::Open { by: Some(Side::Client) });
        let mut head = serde_json::json!({ "method": method });
        if !headers.is_empty() {
            head["headers"] = headers.into();
        }
        let head = head.to_string();
        self.event(at_us, Some(stream), TapeEvent::Http { from: Side::Client, head });
    }

    fn event(&self, at_us: i64, stream: Option<u32>, event: TapeEvent) {
        for tape in self.tapes {
            tape.event(at_us, self.connection, stream, event.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::Clock;
    use crate::live::tape::TapeOptions;

    #[test]
    fn a_get_tells_which_stream_it_resumes() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.rec.jsonl");
        let tapes = [Tape::start(TapeOptions::new(&path), Clock::start()).expect("a tape")];
        let mut scribe = Scribe::new(&tapes, 1, &Target::Http("http://127.0.0.1/mcp".into()), true);
        let (revision, event) = (Some("2025-11-25".to_string()), Some("e-7".to_string()));
        scribe.ordered(0, &Outgoing::OpenStream { stream: 3, last_event_id: None, revision: revision.clone() });
        scribe.ordered(1, &Outgoing::OpenStream { stream: 4, last_event_id: event, revision });
        drop(scribe);
        let [tape] = tapes;
        tape.finish(2);
        let text = std::fs::read_to_string(path).expect("it was written");
        let heads = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let heads: Vec<_> =
            heads.filter(|event| event["k"] == "http").map(|event| event["h"]["headers"].clone()).collect();
        let opened = serde_json::json!({"mcp-protocol-version": "2025-11-25"});
        let resumed = serde_json::json!({"mcp-protocol-version": "2025-11-25", "last-event-id": "e-7"});
        assert_eq!(heads, [opened, resumed]);
    }
}
