//! Which connection an exchange belongs to: by session, by what else the log has for it, by URL, or a WebSocket of its own.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Exchange, Part};
use crate::capture::events::events;
use crate::capture::formats::document::value_of;
use crate::capture::out::Out;
use crate::capture::{Channel, Proof, Transport, Vantage};
use crate::error::Result;
use crate::json::scan::unquoted;

/// What tells connections apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Session(String),
    /// Without sessions: what the log has for it, and one server is one connection.
    Place(Option<String>, String),
    WebSocket(u32),
}

/// How many handshakes may wait for their session's name.
const OPENINGS: usize = 64;

/// The connections of a log, numbered, and their channels once they were announced.
#[derive(Default)]
pub(super) struct Connections {
    by_key: FxHashMap<Key, u32>,
    keys: Vec<Key>,
    channels: Vec<Option<u32>>,
    /// Connections of handshakes that name no session, where sessions are named later: they are those. With their streams.
    openings: VecDeque<(u32, u32)>,
    /// Streams of handshakes, and of what follows them without a name, of which it is not known to which of several sessions they
    /// led.
    guessed: FxHashSet<u32>,
    /// Of what no session has claimed, the connection of each place.
    homes: FxHashMap<Key, u32>,
    sessions: bool,
}

impl Connections {
    /// None yet. `sessions` where some exchanges may name one.
    pub(super) fn new(sessions: bool) -> Connections {
        Connections { sessions, ..Connections::default() }
    }

    /// Number of the connection that an exchange belongs to.
    pub(super) fn of(&mut self, exchange: &Exchange<'_>, stream: u32) -> u32 {
        let key = key(exchange, stream);
        if let Some(number) = self.by_key.get(&key) {
            if self.sessions
                && matches!(key, Key::Place(..))
                && opens(exchange)
                && self.channels[*number as usize].is_none()
            {
                return self.open(key, stream);
            }
            let number = *number;
            if matches!(key, Key::Place(..)) && self.openings.len() > 1 {
                self.guessed.insert(stream);
            }
            return number;
        }
        if let Key::Session(_) = &key
            && let Some((number, _)) = self.openings.front().copied()
        {
            if self.openings.len() > 1 {
                self.guessed.extend(self.openings.iter().map(|(_, stream)| stream));
            }
            self.openings.pop_front();
            self.by_key.retain(|_, known| *known != number);
            self.by_key.insert(key.clone(), number);
            self.keys[number as usize] = key;
            return number;
        }
        if self.sessions && opens(exchange) && matches!(key, Key::Place(..)) {
            self.open(key, stream)
        } else {
            self.add(key)
        }
    }

    /// A handshake that names no session.
    fn open(&mut self, key: Key, stream: u32) -> u32 {
        let number = self.add(key);
        self.openings.push_back((number, stream));
        if self.openings.len() > OPENINGS {
            self.openings.pop_front();
        }
        number
    }

    /// The number under which a connection is handed on: handshakes that no session has claimed are, with all else at that
    /// place, one connection, for nothing tells their clients apart.
    pub(super) fn home(&mut self, number: u32) -> u32 {
        match &self.keys[number as usize] {
            key @ Key::Place(..) => *self.homes.entry(key.clone()).or_insert(number),
            _ => number,
        }
    }

    fn add(&mut self, key: Key) -> u32 {
        let number = self.keys.len() as u32;
        self.keys.push(key.clone());
        self.channels.push(None);
        self.by_key.insert(key, number);
        number
    }

    /// True for a stream that may be another connection's.
    pub(super) fn is_guessed(&self, stream: u32) -> bool {
        self.guessed.contains(&stream)
    }

    /// True for one whose messages are all of one client.
    pub(super) fn is_named(&self, number: u32) -> bool {
        !matches!(self.keys[number as usize], Key::Place(..))
    }

    /// True for a WebSocket, which has no streams.
    pub(super) fn is_socket(&self, number: u32) -> bool {
        matches!(self.keys[number as usize], Key::WebSocket(_))
    }

    /// The channel of a connection; `lost` is what its exchanges do not show.
    pub(super) fn channel(
        &mut self,
        number: u32,
        lost: Proof,
        vantage: Vantage,
        resolution_us: Option<i64>,
        out: &mut Out<'_>,
    ) -> Result<u32> {
        if let Some(channel) = self.channels[number as usize] {
            return Ok(channel);
        }
        let socket = self.is_socket(number);
        let proof = if socket { Proof::FULL } else { Proof::FULL.and(Proof::STREAMS) };
        let proof = proof.without(lost);
        self.openings.retain(|(opening, _)| *opening != number);
        let (name, proof) = match &self.keys[number as usize] {
            Key::Session(session) => (Some(session.clone()), proof),
            // One server is one connection, whoever its clients are.
            Key::Place(place, _) => (place.clone(), proof.without(Proof::CLIENT)),
            Key::WebSocket(_) => (None, proof),
        };
        let channel = out.channel(Channel {
            name,
            vantage,
            transport: if socket { Transport::Ordered } else { Transport::Http },
            proof,
            resolution_us: resolution_us.unwrap_or(1),
            by_time: resolution_us.is_some(),
            // Another handshake there may be another client's, amid the work of the first.
            one_connection: matches!(self.keys[number as usize], Key::Place(..)),
            ..Channel::default()
        })?;
        self.channels[number as usize] = Some(channel);
        Ok(channel)
    }
}

/// True for a handshake's request.
fn opens(exchange: &Exchange<'_>) -> bool {
    exchange.request.text().is_some_and(greets)
}

/// True for the text of a handshake's request.
pub(super) fn greets(text: &str) -> bool {
    let method = value_of(text, 0, &["method"]).and_then(|at| text.get(at..));
    method.is_some_and(|rest| rest.starts_with("\"initialize\""))
}

fn key(exchange: &Exchange<'_>, stream: u32) -> Key {
    if exchange.socket {
        return Key::WebSocket(stream);
    }
    if let Some(session) = exchange.session.as_deref().filter(|name| is_name(name)) {
        return Key::Session(session.to_string());
    }
    let (path, query) = exchange.url.split_once('?').unwrap_or((&exchange.url, ""));
    // The transport of 2024-11-05 names the session in the URL that it posts to, or has one of its own for each.
    let endpoint = endpoint(exchange);
    let (to, of_endpoint) = endpoint.as_deref().map_or(("", ""), |url| url.split_once('?').unwrap_or((url, "")));
    match named_in(query).or_else(|| named_in(of_endpoint)) {
        Some(session) => Key::Session(session),
        None if endpoint.is_some() => Key::Place(exchange.key.clone(), resolved(path, to)),
        None => Key::Place(exchange.key.clone(), path.to_string()),
    }
}

/// True for a name that was not blotted out.
fn is_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let blotted = lower.contains("redact") || lower.contains("masked") || lower.trim_matches('x').is_empty();
    name.contains(|c: char| c.is_alphanumeric()) && !blotted
}

fn named_in(query: &str) -> Option<String> {
    let mut named = query.split('&').filter_map(|pair| pair.split_once('='));
    named.find(|(name, _)| matches!(*name, "sessionId" | "session_id")).map(|(_, id)| id.to_string())
}

/// The URL that the first event of an old event stream announces: `event: endpoint`, `data: /messages?sessionId=...`.
fn endpoint(exchange: &Exchange<'_>) -> Option<String> {
    // A log without URLs shows of no message which session it was posted to.
    announced(exchange).filter(|_| !exchange.url.is_empty())
}

/// What the first event of such a stream announces. All that its server says comes on it.
pub(super) fn announced(exchange: &Exchange<'_>) -> Option<String> {
    let Part::Text { text, .. } = &exchange.response else { return None };
    if exchange.verb != "GET" {
        return None;
    }
    let (name, data) = events(text).into_iter().next()?;
    (name.as_deref() == Some("endpoint")).then(|| unquoted(&data).to_string())
}

/// A URL that another one refers to.
fn resolved(base: &str, url: &str) -> String {
    let host = base.find("://").map_or(0, |at| base[at + 3..].find('/').map_or(base.len(), |path| at + 3 + path));
    match url {
        _ if url.contains("://") => url.to_string(),
        _ if url.starts_with('/') => format!("{}{url}", &base[..host]),
        _ => format!("{}/{url}", &base[..base.rfind('/').filter(|at| *at >= host).unwrap_or(host)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_that_an_event_names_is_that_of_the_posts() {
        for (base, url, expected) in [
            ("http://l/sse", "/mcp/abc/messages", "http://l/mcp/abc/messages"),
            ("http://l/mcp/sse", "messages", "http://l/mcp/messages"),
            ("http://l/sse", "http://m/messages", "http://m/messages"),
            ("/sse", "/messages", "/messages"),
            ("http://l", "/messages", "http://l/messages"),
            ("", "messages", "/messages"),
        ] {
            assert_eq!(resolved(base, url), expected, "{base} {url}");
        }
    }
}
