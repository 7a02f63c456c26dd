//! Which exchange of the live session is which of the recording.

use std::collections::HashMap;

use crate::jsonrpc::Id;
use crate::protocol::Side;
use crate::replay::recording::Connection;
use crate::replay::run::{Fate, RunLog};

/// For each recorded exchange, the place of the live one: by issuer and live id, and where an id was used again, by order.
pub fn by_id(recorded: &Connection, log: &RunLog, live: Option<&Connection>) -> Vec<Option<usize>> {
    let mut pairs = vec![None; recorded.exchanges.len()];
    let Some(live) = live else { return pairs };
    let mut places: HashMap<(Side, Id), Vec<usize>> = HashMap::new();
    for (place, exchange) in live.exchanges.iter().enumerate().rev() {
        if let Some(id) = Id::from_json(&exchange.rpc_id) {
            places.entry((exchange.issuer, id)).or_default().push(place);
        }
    }
    let mut runs: Vec<usize> = (0..recorded.exchanges.len().min(log.exchanges.len())).collect();
    runs.retain(|place| log.exchanges[*place].fate == Fate::Sent);
    runs.sort_by_key(|place| log.exchanges[*place].sent_us);
    for place in runs {
        let (exchange, run) = (&recorded.exchanges[place], &log.exchanges[place]);
        let id = run.live_id.as_deref().unwrap_or(&exchange.rpc_id);
        let Some(id) = Id::from_json(id) else { continue };
        pairs[place] = places.get_mut(&(exchange.issuer, id)).and_then(Vec::pop);
    }
    pairs
}
