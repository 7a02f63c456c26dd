//! Writes what passed on WebSockets: one connection each.

use std::collections::HashMap;

use serde_json::Map;

use super::frames::{Frames, Said};
use super::{HEAD, head_end, parse};
use crate::live::proxy::copy::{Copies, Copy, Passing};
use crate::live::proxy::heads;
use crate::live::tape::{Tape, TapeEvent};
use crate::protocol::Side;
use crate::protocol::http::SUBPROTOCOL;

/// The longest name of a sub-protocol that is kept: credentials are sent in this header, too.
const NAME: usize = 24;

/// The state of the recording.
pub(in crate::live::proxy) struct WsScribe {
    tape: Tape,
    open: HashMap<u32, Ends>,
    now_us: i64,
}

/// One connection.
#[derive(Default)]
struct Ends {
    client: Frames,
    server: Frames,
    /// What the server has answered to the handshake, until that is whole.
    answer: Vec<u8>,
    answered: bool,
    /// True once its end was told.
    closed: bool,
}

impl WsScribe {
    pub(in crate::live::proxy) fn new(tape: Tape) -> WsScribe {
        WsScribe { tape, open: HashMap::new(), now_us: 0 }
    }

    /// Works until the recorder stops.
    pub(in crate::live::proxy) fn run(mut self, copies: &Copies) {
        while let Some(Copy { at_us, stream, what }) = copies.next() {
            self.now_us = self.now_us.max(at_us);
            match what {
                Passing::Request { method, headers, .. } => {
                    self.open.insert(stream, Ends::default());
                    self.put(stream, TapeEvent::Open { by: Some(Side::Client) });
                    let head = heads::request(&method, &kept(&headers));
                    self.put(stream, TapeEvent::Http { from: Side::Client, head });
                }
                Passing::Body { from, bytes } => self.bytes(stream, from, &bytes),
                Passing::Lost { from, bytes } => {
                    let bytes = bytes as u64;
                    let gap = TapeEvent::Gap { from: Some(from), lost: None, bytes, why: "queue-full" };
                    self.put(stream, gap);
                    self.spoil(stream, from);
                }
                Passing::ResponseEnd { how } => self.close(stream, Some(Side::Server), how),
                Passing::ClientGone { how } => self.close(stream, Some(Side::Client), how),
                Passing::NoAnswer { how, why } => {
                    self.put(stream, TapeEvent::Http { from: Side::Server, head: heads::own_response(502) });
                    self.put(stream, TapeEvent::Note { text: why });
                    self.close(stream, Some(Side::Server), how);
                }
                Passing::Stop => break,
                Passing::RequestEnd | Passing::Response { .. } | Passing::HungUp { .. } => {}
            }
        }
        let mut open: Vec<u32> = self.open.keys().copied().collect();
        open.sort_unstable();
        for connection in open {
            self.close(connection, None, "stopped");
        }
    }

    fn put(&self, connection: u32, event: TapeEvent) {
        self.tape.event(self.now_us, connection, None, event);
    }

    /// After a loss nobody knows where the next frame begins.
    fn spoil(&mut self, connection: u32, from: Side) {
        let Some(ends) = self.open.get_mut(&connection) else { return };
        let frames = if from == Side::Client { &mut ends.client } else { &mut ends.server };
        *frames = Frames::broken();
    }

    fn bytes(&mut self, connection: u32, from: Side, bytes: &[u8]) {
        let Some(ends) = self.open.get_mut(&connection) else { return };
        let mut head = None;
        let said = match from {
            Side::Client => ends.client.push(bytes),
            Side::Server if ends.answered => ends.server.push(bytes),
            Side::Server => {
                ends.answer.extend_from_slice(bytes);
                let Some(end) = head_end(&ends.answer).or((ends.answer.len() > HEAD).then_some(ends.answer.len()))
                else {
                    return;
                };
                ends.answered = true;
                let rest = ends.answer.split_off(end);
                head = parse(&ends.answer);
                ends.answer.clear();
                let switched = head.as_ref().is_some_and(|(line, _)| status(line) == 101);
                if switched { ends.server.push(&rest) } else { Vec::new() }
            }
        };
        if let Some((line, headers)) = head {
            let head = heads::response(status(&line), &kept(&headers));
            self.put(connection, TapeEvent::Http { from, head });
        }
        for said in said {
            self.said(connection, from, said);
        }
    }

    fn said(&mut self, connection: u32, from: Side, said: Said) {
        let event = match said {
            Said::Message { bytes, compressed: true, .. } => {
                TapeEvent::Opaque { from, bytes, encoding: "permessage-deflate".to_string() }
            }
            Said::Message { bytes, length, .. } if length > bytes.len() as u64 => {
                TapeEvent::Cut { from, bytes, wire_bytes: length, head: None }
            }
            Said::Message { bytes, .. } => TapeEvent::Message { from, bytes, head: None },
            Said::Ping => TapeEvent::Note { text: format!("ping of the {}", from.as_str()) },
            Said::Pong => TapeEvent::Note { text: format!("pong of the {}", from.as_str()) },
            Said::Close(code) => {
                // 1005 is what the standard calls a close frame without a code.
                return self.close(connection, Some(from), &code.unwrap_or(1005).to_string());
            }
            Said::Broken => {
                self.put(connection, TapeEvent::Gap { from: Some(from), lost: None, bytes: 0, why: "no-frames" });
                return;
            }
        };
        self.put(connection, event);
    }

    /// The first who closes is told: by a close frame, else by closing the TCP connection.
    fn close(&mut self, connection: u32, by: Option<Side>, how: &str) {
        let Some(ends) = self.open.get_mut(&connection) else { return };
        if std::mem::replace(&mut ends.closed, true) {
            return;
        }
        self.put(connection, TapeEvent::Close { by, how: how.to_string() });
    }
}

/// The headers that are kept, and names of sub-protocols.
fn kept(headers: &hyper::HeaderMap) -> Map<String, serde_json::Value> {
    let mut kept = heads::kept(headers);
    let names = heads::text(headers, SUBPROTOCOL).unwrap_or_default().split(',').map(str::trim);
    let names: Vec<&str> = names.filter(|name| !name.is_empty() && name.len() <= NAME).collect();
    if !names.is_empty() {
        kept.insert(SUBPROTOCOL.to_string(), names.join(", ").into());
    }
    kept
}

/// The status in the first line of a response.
fn status(line: &str) -> u16 {
    line.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}
