//! Which connection a request belongs to: one a session, and without sessions one a client (never one a TCP connection,
//! because a client uses as many of those as it likes).
//!
//! A session is known by its id. Before it has one, and on servers that give none, a client is known by its address: a request
//! that opens a session begins a new connection, and what comes over the same TCP connection goes on with it; all else from
//! that host belongs to the newest one.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};

/// The numbers that were given.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    last: u32,
    by_session: HashMap<String, u32>,
    by_peer: HashMap<SocketAddr, u32>,
    by_host: HashMap<IpAddr, u32>,
    /// HTTP+SSE: where messages are posted to, and the connection and the stream whose client does so.
    by_endpoint: HashMap<String, (u32, u32)>,
}

/// A connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub number: u32,
    /// True if it was not there before.
    pub new: bool,
}

impl Numbers {
    /// The connection of a session, which may have begun before the recording.
    pub(super) fn of_session(&mut self, id: &str) -> Number {
        if let Some(number) = self.by_session.get(id) {
            return Number { number: *number, new: false };
        }
        let number = self.next();
        self.by_session.insert(id.to_string(), number);
        Number { number, new: true }
    }

    /// The connection of a client that names no session.
    pub(super) fn of_client(&mut self, peer: SocketAddr) -> Number {
        match self.by_peer.get(&peer).or_else(|| self.by_host.get(&peer.ip())) {
            Some(number) => Number { number: *number, new: false },
            None => self.begin(peer),
        }
    }

    /// A connection that begins now.
    pub(super) fn begin(&mut self, peer: SocketAddr) -> Number {
        let number = self.next();
        self.by_peer.insert(peer, number);
        self.by_host.insert(peer.ip(), number);
        Number { number, new: true }
    }

    /// True if this TCP connection is known to be that client's.
    pub(super) fn knows(&self, peer: SocketAddr) -> bool {
        self.by_peer.contains_key(&peer)
    }

    /// The server has given a connection its session id.
    pub(super) fn learn(&mut self, id: &str, number: u32) {
        self.by_session.insert(id.to_string(), number);
    }

    /// The server has told a client where to post to.
    pub(super) fn announce(&mut self, endpoint: String, number: u32, stream: u32) {
        self.by_endpoint.insert(endpoint, (number, stream));
    }

    /// True for a session that is known already.
    pub(super) fn has_session(&self, id: &str) -> bool {
        self.by_session.contains_key(id)
    }

    /// Connection and stream of a client that posts to `target`, where that was announced.
    pub(super) fn of_endpoint(&self, target: &str) -> Option<(u32, u32)> {
        self.by_endpoint.get(target).copied()
    }

    /// A TCP connection was closed: its address may be another client's next.
    pub(super) fn hung_up(&mut self, peer: SocketAddr) {
        self.by_peer.remove(&peer);
    }

    fn next(&mut self) -> u32 {
        self.last += 1;
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_first_then_clients() {
        let mut numbers = Numbers::default();
        let peer = |port| SocketAddr::from(([127, 0, 0, 1], port));
        let old = |number| Number { number, new: false };
        let new = |number| Number { number, new: true };
        assert_eq!(numbers.begin(peer(1)), new(1));
        assert_eq!(numbers.begin(peer(2)), new(2));
        numbers.learn("a", 1);
        assert_eq!(numbers.of_session("a"), old(1));
        assert_eq!(numbers.of_session("b"), new(3), "begun before the recording");
        assert_eq!(numbers.of_client(peer(1)), old(1), "the same TCP connection");
        assert_eq!(numbers.of_client(peer(9)), old(2), "the newest of that host");
        numbers.hung_up(peer(1));
        assert_eq!(numbers.of_client(peer(1)), old(2));
        numbers.announce("/messages?id=1".into(), 2, 7);
        assert_eq!(numbers.of_endpoint("/messages?id=1"), Some((2, 7)));
        assert_eq!(numbers.of_endpoint("/messages?id=2"), None);
    }
}
