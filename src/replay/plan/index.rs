//! Where things of a connection are, so that no step looks through all of it.

use std::collections::HashMap;

use crate::protocol::Side;
use crate::replay::recording::Connection;

/// The events of each stream, and the client's requests of each id that were cancelled.
pub(super) struct Index<'c> {
    streams: HashMap<u32, Vec<usize>>,
    cancelled: HashMap<&'c str, Vec<usize>>,
}

impl<'c> Index<'c> {
    pub(super) fn of(connection: &'c Connection) -> Index<'c> {
        let mut index = Index { streams: HashMap::new(), cancelled: HashMap::new() };
        for (at, event) in connection.events.iter().enumerate() {
            if let Some(stream) = event.stream {
                index.streams.entry(stream).or_default().push(at);
            }
        }
        let asked = connection.exchanges.iter().enumerate().filter(|(_, one)| one.issuer == Side::Client);
        for (at, exchange) in asked.filter(|(_, one)| !one.cancels.is_empty()) {
            index.cancelled.entry(&exchange.rpc_id).or_default().push(at);
        }
        index
    }

    /// Places of the events on a stream, in order.
    pub(super) fn on_stream(&self, stream: u32) -> &[usize] {
        self.streams.get(&stream).map_or(&[], Vec::as_slice)
    }

    /// Places of the client's requests with an id that were cancelled, in order.
    pub(super) fn cancelled(&self, rpc_id: &str) -> &[usize] {
        self.cancelled.get(rpc_id).map_or(&[], Vec::as_slice)
    }
}
