//! The two taps of a vectors file, as they are merged.

use rustc_hash::FxHashMap;

use super::event::{Content, Tap, VectorEvent};
use crate::capture::copies::{CopyKey, pair};

/// An event with its number in the order of its tap.
#[derive(Clone, Debug)]
pub(super) struct Stamped {
    pub event: VectorEvent,
    pub seq: u64,
}

/// One event for each that happened, with the server's copy where both taps saw it.
pub(super) fn merge(events: Vec<VectorEvent>) -> Vec<(Stamped, Option<Stamped>)> {
    let (client, server) = taps(events);
    pair(client, server, |Stamped { event, .. }| (key(event), Some(event.at_us), event.stream.is_some()))
}

/// The events of each tap, sorted stably by time and numbered within their connection.
fn taps(mut events: Vec<VectorEvent>) -> (Vec<Stamped>, Vec<Stamped>) {
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

fn key(event: &VectorEvent) -> CopyKey {
    let (connection, direction) = (&event.connection, event.direction);
    match &event.content {
        Content::Raw(text) | Content::Http(text) => CopyKey::raw(connection, direction, text),
        Content::Open(by) => CopyKey::event(connection, direction, &format!("open {by:?} {:?}", event.stream)),
        Content::Close(by) => CopyKey::event(connection, direction, &format!("close {by:?} {:?}", event.stream)),
        Content::Message(text) => CopyKey::message(connection, direction, text),
    }
}
