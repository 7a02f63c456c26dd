//! Which connection an entry belongs to: by session, by URL, or a WebSocket of its own.

use rustc_hash::FxHashMap;

use super::body::events;
use super::document::Entry;
use crate::capture::out::Out;
use crate::capture::{Channel, Proof, Transport, Vantage};
use crate::error::Result;

/// What tells connections apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Session(String),
    /// Without sessions: one server is one connection.
    Url(String),
    WebSocket(u32),
}

/// The connections of a document, numbered, and their channels once they were announced.
#[derive(Default)]
pub(super) struct Connections {
    by_key: FxHashMap<Key, u32>,
    keys: Vec<Key>,
    channels: Vec<Option<u32>>,
}

impl Connections {
    /// Number of the connection that an entry belongs to.
    pub(super) fn of(&mut self, entry: &Entry<'_>, stream: u32) -> u32 {
        let key = key(entry, stream);
        if let Some(number) = self.by_key.get(&key) {
            return *number;
        }
        let number = self.keys.len() as u32;
        self.keys.push(key.clone());
        self.channels.push(None);
        self.by_key.insert(key, number);
        number
    }

    /// True for a WebSocket, which has no streams.
    pub(super) fn is_socket(&self, number: u32) -> bool {
        matches!(self.keys[number as usize], Key::WebSocket(_))
    }

    /// The channel of a connection. `unordered` where nobody knows whether an answer came before a cancel or after it.
    pub(super) fn channel(
        &mut self,
        number: u32,
        unordered: bool,
        vantage: Vantage,
        resolution_us: Option<i64>,
        out: &mut Out<'_>,
    ) -> Result<u32> {
        if let Some(channel) = self.channels[number as usize] {
            return Ok(channel);
        }
        let socket = self.is_socket(number);
        let proof = if socket { Proof::FULL } else { Proof::FULL.and(Proof::STREAMS) };
        let proof = if unordered { proof.without(Proof::CANCEL_TARGET) } else { proof };
        let channel = out.channel(Channel {
            name: match &self.keys[number as usize] {
                Key::Session(session) => Some(session.clone()),
                _ => None,
            },
            vantage,
            transport: if socket { Transport::Ordered } else { Transport::Http },
            proof: match &self.keys[number as usize] {
                // One server is one connection, whoever its clients are.
                Key::Url(_) => proof.without(Proof::CLIENT),
                _ => proof,
            },
            resolution_us: resolution_us.unwrap_or(1),
            ..Channel::default()
        })?;
        self.channels[number as usize] = Some(channel);
        Ok(channel)
    }
}

fn key(entry: &Entry<'_>, stream: u32) -> Key {
    if !entry.web_socket.is_empty() {
        return Key::WebSocket(stream);
    }
    if let Some(session) = entry.session() {
        return Key::Session(session.to_string());
    }
    let (path, query) = entry.request.url.split_once('?').unwrap_or((&entry.request.url, ""));
    let named = query.split('&').filter_map(|pair| pair.split_once('='));
    // The transport of 2024-11-05 names the session in the URL that it posts to.
    let session = named.into_iter().find(|(name, _)| matches!(*name, "sessionId" | "session_id")).map(|(_, id)| id);
    let announced = || body_session(entry);
    match session.map(str::to_string).or_else(announced) {
        Some(session) => Key::Session(session),
        None => Key::Url(path.to_string()),
    }
}

/// The session that the first event of an old event stream announces: `event: endpoint`, `data: /messages?sessionId=...`.
fn body_session(entry: &Entry<'_>) -> Option<String> {
    let content = entry.response.content.as_ref().filter(|_| entry.request.method == "GET")?;
    let body = content.body()?;
    let (name, data) = events(&body).into_iter().next()?;
    let (_, query) = data.split_once('?').filter(|_| name.as_deref() == Some("endpoint"))?;
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(name, _)| matches!(*name, "sessionId" | "session_id")).map(|(_, id)| id.to_string())
}
