//! Whether two logs can be what they are named as: the client's, and the server's.

use rustc_hash::FxHashMap;

use super::event::HeldFrame;
use super::log::{Held, Log};
use super::partners::Partners;
use crate::capture::{self, CopyKey, Transport};
use crate::error::{Error, ErrorKind, Result};
use crate::protocol::Side;

/// Refuses logs that say of themselves that they were taken elsewhere, or whose orders hold together only the other way round.
pub(super) fn are_as_named(client: &Log, server: &Log, partners: &Partners) -> Result<()> {
    let pairs = || {
        let partner =
            |(at, partner): (usize, &Option<usize>)| Some((&client.connections[at], &server.connections[(*partner)?]));
        partners.of_client.iter().enumerate().filter_map(partner)
    };
    let [ours, theirs] = [client.source.name(), server.source.name()];
    for (own, other) in pairs() {
        for (name, held, side) in [(ours, own, Side::Client), (theirs, other, Side::Server)] {
            if let Some(taken) = held.taken_at.filter(|taken| *taken != side) {
                let (taken, side) = (taken.as_str(), side.as_str());
                return Err(refused(format!("{name} was taken at the {taken}, and is named as the {side}'s log")));
            }
        }
    }
    let untold = pairs().filter(|(own, other)| own.taken_at.is_none() || other.taken_at.is_none());
    let orders: Vec<Orders> = untold.map(|(own, other)| Orders::of(own, other)).collect();
    if orders.iter().any(|orders| orders.is_impossible) && !orders.iter().any(|orders| orders.has_crossed) {
        let message =
            format!("what crossed on the wire between {ours} and {theirs} crossed as if they were the other way round");
        return Err(refused(message));
    }
    Ok(())
}

/// Refuses one file as both ends.
pub(super) fn are_two([client, server]: [&str; 2]) -> Result<()> {
    let whole = |name: &str| capture::path_of(name).canonicalize().ok();
    if whole(client).is_some_and(|client| whole(server) == Some(client)) {
        return Err(refused(format!("{client} and {server} are one file")));
    }
    Ok(())
}

fn refused(message: String) -> Error {
    Error::new(ErrorKind::Input, message).hint("name the client's log first, then the server's, one from each end")
}

/// In which orders the two ends of a connection have messages of both directions.
#[derive(Clone, Copy, Debug, Default)]
struct Orders {
    /// The client had an answer before it sent something that the server had before it gave the answer. That cannot be.
    is_impossible: bool,
    /// The other way round: the two crossed on the wire.
    has_crossed: bool,
}

impl Orders {
    /// By the messages that each log has once. Over HTTP there is no one order of a connection.
    fn of(client: &Held, server: &Held) -> Orders {
        let mut orders = Orders::default();
        if [client, server].iter().any(|held| held.channel.transport == Transport::Http) {
            return orders;
        }
        let (mine, theirs) = (once(client), once(server));
        let mut shared: Vec<(u64, u64, Side)> =
            mine.iter().filter_map(|(key, event)| Some((event.seq, theirs.get(key)?.seq, event.sender()?))).collect();
        shared.sort_unstable_by_key(|(here, ..)| *here);
        // The latest at the server of what the client sent, and of what it got.
        let (mut sent, mut got) = (None, None);
        for (_, there, sender) in shared {
            match sender {
                Side::Client => {
                    orders.is_impossible |= got.is_some_and(|got| got > there);
                    sent = sent.max(Some(there));
                }
                Side::Server => {
                    orders.has_crossed |= sent.is_some_and(|sent| sent > there);
                    got = got.max(Some(there));
                }
            }
        }
        orders
    }
}

/// The messages that stand in a connection once.
fn once(held: &Held) -> FxHashMap<&CopyKey, &HeldFrame> {
    let mut counts: FxHashMap<&CopyKey, (u64, &HeldFrame)> = FxHashMap::default();
    for event in held.events.iter().filter(|event| event.text().is_some()) {
        counts.entry(&event.key).or_insert((0, event)).0 += 1;
    }
    counts.into_iter().filter(|(_, (copies, _))| *copies == 1).map(|(key, (_, event))| (key, event)).collect()
}
