//! Two taps to one order: the copies of what both saw are matched, what only the server's tap saw is put in its place.

mod align;

use std::hash::Hasher;

use rustc_hash::FxHasher;

use self::align::Entry;
use super::Direction;
use crate::jsonrpc::{Id, Kind, NoLift, Parsed, parse};

/// What two copies of one event have in common. Equal keys are told apart by their order, and where one
/// tap has more of them than the other by what stands around them (`align`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CopyKey {
    connection: Box<str>,
    direction: Direction,
    kind: Option<Kind>,
    id: Option<Id>,
    method: Box<str>,
    content: u64,
}

impl CopyKey {
    /// The key of a message or a batch.
    pub(crate) fn message(connection: &str, direction: Direction, text: &str) -> CopyKey {
        let mut key = CopyKey { content: content(text), ..CopyKey::event(connection, direction, "") };
        if let Ok(Parsed::One(message, _)) = parse::<NoLift>(text) {
            key.kind = Some(message.kind);
            key.id = message.id.value().cloned();
            key.method = message.method().into();
        }
        key
    }

    /// The key of text that is no message.
    pub(crate) fn raw(connection: &str, direction: Direction, text: &str) -> CopyKey {
        CopyKey { content: hash(text), ..CopyKey::event(connection, direction, "") }
    }

    /// What there is only one of in a connection: the request with this id that one side sends, or the answer to it.
    pub(crate) fn slot(&self) -> Option<(Direction, bool, &Id)> {
        let (kind, id) = (self.kind?, self.id.as_ref()?);
        Some((self.direction, kind.is_response(), id))
    }

    /// The key of what is no text, by its name.
    pub(crate) fn event(connection: &str, direction: Direction, name: &str) -> CopyKey {
        CopyKey { connection: connection.into(), direction, kind: None, id: None, method: name.into(), content: 0 }
    }
}

/// One entry for each event that happened: in the order of the client's tap, with the server's copy where there is one.
/// What only the server saw follows the event that preceded it there. `known` tells the key and the time of an event, and whether it came
/// on a stream.
pub(crate) fn pair<T>(
    client: Vec<T>,
    server: Vec<T>,
    known: impl Fn(&T) -> (CopyKey, Option<i64>, bool),
) -> Vec<(T, Option<T>)> {
    let entry = |event: &T| {
        let (key, at_us, streamed) = known(event);
        Entry { key, at_us, streamed }
    };
    let [ours, theirs] = [&client, &server].map(|log| log.iter().map(entry).collect::<Vec<_>>());
    let partner = align::partners(&ours, &theirs);
    let mut server: Vec<Option<T>> = server.into_iter().map(Some).collect();
    let mut matched = vec![false; server.len()];
    partner.iter().flatten().for_each(|at| matched[*at] = true);

    let mut merged = Vec::with_capacity(client.len());
    drain_unmatched(&mut server, &matched, 0, &mut merged);
    for (event, partner) in client.into_iter().zip(partner) {
        let copy = partner.and_then(|at| server[at].take());
        merged.push((event, copy));
        if let Some(at) = partner {
            drain_unmatched(&mut server, &matched, at + 1, &mut merged);
        }
    }
    merged
}

/// Moves the run of server-only events that starts at `at`.
fn drain_unmatched<T>(server: &mut [Option<T>], matched: &[bool], at: usize, merged: &mut Vec<(T, Option<T>)>) {
    let run = server.iter_mut().zip(matched).skip(at).take_while(|(_, matched)| !**matched);
    merged.extend(run.filter_map(|(event, _)| event.take()).map(|event| (event, None)));
}

/// A hash of what a message says, whatever its white space and the order of its members.
fn content(text: &str) -> u64 {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(value) => hash(&value.to_string()),
        Err(_) => hash(text),
    }
}

/// A hash of a text.
pub(crate) fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}
