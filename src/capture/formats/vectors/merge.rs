//! Two taps to one order: the copies of a message are matched, what only the server's tap saw is put in its place.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::event::{Content, Event, Tap, hash};
use crate::capture::Direction;
use crate::jsonrpc::{Id, Kind, NoLift, Parsed, parse};

/// An event with its number in the order of its tap.
#[derive(Clone, Debug)]
pub(super) struct Stamped {
    pub event: Event,
    pub seq: u64,
}

/// What two copies of one event have in common. Equal keys are told apart by their order: the first copy at one tap
/// is the first at the other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    connection: Box<str>,
    direction: Direction,
    kind: Option<Kind>,
    id: Option<Id>,
    method: Box<str>,
    content: u64,
}

/// One event for each that happened: in the order of the client's tap, with the server's copy where there is one.
/// What only the server saw follows the event that preceded it there.
pub(super) fn merge(events: Vec<Event>) -> Vec<(Stamped, Option<Stamped>)> {
    let (client, server) = taps(events);
    let mut copies: FxHashMap<Key, VecDeque<usize>> = FxHashMap::default();
    for (at, stamped) in server.iter().enumerate() {
        copies.entry(key(&stamped.event)).or_default().push_back(at);
    }
    let partner: Vec<Option<usize>> =
        client.iter().map(|stamped| copies.get_mut(&key(&stamped.event)).and_then(VecDeque::pop_front)).collect();
    let mut server: Vec<Option<Stamped>> = server.into_iter().map(Some).collect();
    let mut matched = vec![false; server.len()];
    partner.iter().flatten().for_each(|at| matched[*at] = true);

    let mut merged = Vec::with_capacity(client.len());
    drain_unmatched(&mut server, &matched, 0, &mut merged);
    for (stamped, partner) in client.into_iter().zip(partner) {
        let copy = partner.and_then(|at| server[at].take());
        merged.push((stamped, copy));
        if let Some(at) = partner {
            drain_unmatched(&mut server, &matched, at + 1, &mut merged);
        }
    }
    merged
}

/// Moves the run of server-only events that starts at `at`.
fn drain_unmatched(
    server: &mut [Option<Stamped>],
    matched: &[bool],
    at: usize,
    merged: &mut Vec<(Stamped, Option<Stamped>)>,
) {
    let run = server.iter_mut().zip(matched).skip(at).take_while(|(_, matched)| !**matched);
    merged.extend(run.filter_map(|(event, _)| event.take()).map(|event| (event, None)));
}

/// The events of each tap, sorted stably by time and numbered within their connection.
fn taps(mut events: Vec<Event>) -> (Vec<Stamped>, Vec<Stamped>) {
    events.sort_by_key(|event| event.at_us);
    let mut numbers: FxHashMap<(Box<str>, Tap), u64> = FxHashMap::default();
    let stamped = events.into_iter().map(|event| {
        let number = numbers.entry((event.connection.clone(), event.tap)).or_default();
        let seq = *number;
        *number += 1;
        Stamped { event, seq }
    });
    stamped.partition(|stamped| stamped.event.tap == Tap::Client)
}

fn key(event: &Event) -> Key {
    let mut key = Key {
        connection: event.connection.clone(),
        direction: event.direction,
        kind: None,
        id: None,
        method: "".into(),
        content: 0,
    };
    match &event.content {
        Content::Raw(text) => key.content = hash(text),
        Content::Open(by) => key.method = format!("open {by:?} {:?}", event.stream).into(),
        Content::Close(by) => key.method = format!("close {by:?} {:?}", event.stream).into(),
        Content::Message(text) => {
            key.content = content(text);
            if let Ok(Parsed::One(message, _)) = parse::<NoLift>(text) {
                key.kind = Some(message.kind);
                key.id = message.id.value().cloned();
                key.method = message.method().into();
            }
        }
    }
    key
}

/// A hash of what a message says, whatever its white space and the order of its members.
fn content(text: &str) -> u64 {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(value) => hash(&value.to_string()),
        Err(_) => hash(text),
    }
}
