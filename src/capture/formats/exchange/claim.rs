//! What an exchange shows of the connection that it belongs to.

use super::{Exchange, Part};
use crate::capture::events::{events, is_event_stream};
use crate::capture::formats::document::value_of;
use crate::json::scan::unquoted;

/// What tells connections apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Session(String),
    /// Without sessions: what the log has for it, and one server is one connection.
    Place(Option<String>, String),
    WebSocket(u32),
}

/// An exchange that is to be given to its connection: records may stand in any order, and a session follows its handshake in that of
/// time.
pub(super) struct Claim {
    pub(super) key: Key,
    pub(super) stream: u32,
    /// True for a handshake.
    pub(super) opens: bool,
    /// True for what a client says behind its own handshake before anything else.
    pub(super) is_opened: bool,
    pub(super) began_us: Option<i64>,
    /// The earliest time at which its answer may have been there, as far as the clock tells.
    pub(super) answered_us: Option<i64>,
    /// When its record was written among all, where nothing tells times.
    pub(super) turn: i64,
}

impl Claim {
    pub(super) fn of(exchange: &Exchange<'_>, stream: u32) -> Claim {
        let text = exchange.request.text();
        let is_stream = exchange.response.text().is_some_and(is_event_stream);
        let answered_us = if is_stream { exchange.first_byte_us } else { exchange.end_us };
        Claim {
            key: key(exchange, stream),
            stream,
            opens: text.is_some_and(greets),
            is_opened: text.is_some_and(|text| calls(text, "\"notifications/initialized\"")),
            began_us: exchange.start_us.or(exchange.end_us),
            answered_us: answered_us.map(|us| us.saturating_sub(exchange.resolution_us.unwrap_or(1))),
            turn: exchange.turns.map_or(i64::from(stream), |turns| turns[0]),
        }
    }

    /// True if the answer to this handshake may have been there before `other` was sent.
    pub(super) fn may_have_led_to(&self, other: &Claim) -> bool {
        self.answered_us.zip(other.began_us).is_none_or(|(answered, began)| answered <= began)
    }
}

/// True for the text of a handshake's request.
pub(super) fn greets(text: &str) -> bool {
    calls(text, "\"initialize\"")
}

fn calls(text: &str, quoted: &str) -> bool {
    let method = value_of(text, 0, &["method"]).and_then(|at| text.get(at..));
    method.is_some_and(|rest| rest.starts_with(quoted))
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
pub(super) fn is_name(name: &str) -> bool {
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
