//! The least of a recording that still shows something: delta debugging over exchanges. Pure: whether it is still shown is asked.

use std::collections::{BTreeMap, BTreeSet};

use super::message;
use super::recording::{Connection, EventKind, Recording};
use crate::error::Result;
use crate::protocol::Side;

/// What is dropped or kept as one: an exchange with all that refers to it, or a notification that belongs to none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unit {
    /// `#7 tools/call render`, or the method of a notification.
    pub name: String,
    /// The lines of the recording that it consists of.
    pub lines: BTreeSet<u64>,
}

/// What may be dropped of a recording. The handshake is no part of it, nor are the beginning and the end of a connection, gaps, and what
/// a process said on its standard error.
pub fn units(recording: &Recording) -> Vec<Unit> {
    recording.connections.iter().flat_map(of_connection).collect()
}

fn of_connection(connection: &Connection) -> Vec<Unit> {
    let mut owners: BTreeMap<u64, usize> = BTreeMap::new();
    let mut units: Vec<Unit> = Vec::new();
    let opening = &connection.profile.opening;
    for (place, exchange) in connection.exchanges.iter().enumerate() {
        if exchange.issuer != Side::Client && exchange.parent.is_some() {
            continue;
        }
        let name = exchange.name.as_ref().map_or(String::new(), |name| format!(" {name}"));
        let lines = with_nested(connection, place).into_iter().map(|event| connection.events[event].line).collect();
        let fixed = connection.profile.is_handshake(&exchange.method);
        put(&mut units, &mut owners, format!("{} {}{name}", exchange.label(), exchange.method), lines, fixed);
    }
    for event in &connection.events {
        let loose = matches!(
            event.what,
            EventKind::Response(None)
                | EventKind::Cancel(None)
                | EventKind::Progress(None)
                | EventKind::Notification
                | EventKind::Malformed
        );
        if loose && !owners.contains_key(&event.line) {
            let method = message::method(&event.text).unwrap_or_default();
            let fixed = opening.initialized == Some(method.as_str());
            put(&mut units, &mut owners, method, BTreeSet::from([event.line]), fixed);
        }
    }
    streams(connection, &mut units, &owners);
    units.retain(|unit| !unit.lines.is_empty());
    units
}

/// A place for what is never dropped.
const FIXED: usize = usize::MAX;

/// Adds a unit; one that shares a line with another (a batch) becomes part of that.
fn put(units: &mut Vec<Unit>, owners: &mut BTreeMap<u64, usize>, name: String, lines: BTreeSet<u64>, fixed: bool) {
    let shared = lines.iter().find_map(|line| owners.get(line)).copied();
    let place = match (fixed, shared) {
        (true, Some(other)) if other != FIXED => {
            // What the handshake shares a line with is never dropped either.
            units[other].lines.clear();
            owners.values_mut().filter(|owner| **owner == other).for_each(|owner| *owner = FIXED);
            FIXED
        }
        (true, _) | (_, Some(FIXED)) => FIXED,
        (false, Some(other)) => other,
        (false, None) => {
            units.push(Unit::default());
            units.len() - 1
        }
    };
    owners.extend(lines.iter().map(|line| (*line, place)));
    if let Some(unit) = units.get_mut(place) {
        unit.lines.extend(lines);
        unit.name = if unit.name.is_empty() { name } else { format!("{}, {name}", unit.name) };
    }
}

/// All events of an exchange and of those that served it.
fn with_nested(connection: &Connection, place: usize) -> Vec<usize> {
    let exchange = &connection.exchanges[place];
    let mut events = vec![exchange.request];
    events.extend(exchange.response);
    events.extend([&exchange.late, &exchange.cancels, &exchange.progress].into_iter().flatten());
    let nested = connection.exchanges.iter().enumerate().skip(place + 1);
    for (child, _) in nested.filter(|(_, other)| other.parent == Some(place) && other.issuer == Side::Server) {
        events.extend(with_nested(connection, child));
    }
    events
}

/// What opens, closes and heads an HTTP stream goes with the one unit that speaks on it.
fn streams(connection: &Connection, units: &mut [Unit], owners: &BTreeMap<u64, usize>) {
    let mut speakers: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
    for event in &connection.events {
        if let (Some(stream), Some(owner)) = (event.stream, owners.get(&event.line)) {
            speakers.entry(stream).or_default().insert(*owner);
        }
    }
    for event in &connection.events {
        let frame = matches!(event.what, EventKind::Open | EventKind::Close | EventKind::Http);
        let Some(speakers) = event.stream.filter(|_| frame).and_then(|stream| speakers.get(&stream)) else { continue };
        if let (1, Some(unit)) = (speakers.len(), speakers.first().and_then(|owner| units.get_mut(*owner))) {
            unit.lines.insert(event.line);
        }
    }
}

/// The least set of places below `count` for which `shows` is true, as far as `tries` go: of what is left, nothing can be dropped alone.
/// `shows` must be true for all of them.
///
/// # Errors
/// Those of `shows`.
pub fn reduce(
    count: usize,
    mut tries: usize,
    shows: &mut dyn FnMut(&BTreeSet<usize>) -> Result<bool>,
) -> Result<BTreeSet<usize>> {
    let mut kept: Vec<usize> = (0..count).collect();
    let mut parts = 2;
    while !kept.is_empty() && tries > 0 {
        let size = kept.len().div_ceil(parts);
        let mut from = 0;
        let before = kept.len();
        // Part after part is left out; what can go is gone for the next one.
        while from < kept.len() && tries > 0 {
            let until = (from + size).min(kept.len());
            let rest: BTreeSet<usize> = kept[..from].iter().chain(&kept[until..]).copied().collect();
            tries -= 1;
            match shows(&rest)? {
                true => kept.drain(from..until).for_each(drop),
                false => from = until,
            }
        }
        if size <= 1 && kept.len() == before {
            break;
        }
        parts = if size <= 1 { kept.len().max(1) } else { (parts * 2).min(kept.len().max(1)) };
    }
    Ok(kept.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reduced(count: usize, needed: &[usize]) -> (Vec<usize>, usize) {
        let mut asked = 0;
        let least = reduce(count, 10_000, &mut |some| {
            asked += 1;
            Ok(needed.iter().all(|place| some.contains(place)))
        });
        (least.unwrap().into_iter().collect(), asked)
    }

    #[test]
    fn what_is_needed_is_found() {
        for (count, needed) in
            [(0, &[][..]), (1, &[]), (1, &[0]), (9, &[4]), (40, &[3, 17, 39]), (7, &[0, 1, 2, 3, 4, 5, 6])]
        {
            assert_eq!(reduced(count, needed).0, needed, "{count}");
        }
    }

    #[test]
    fn one_of_many_is_found_in_few_steps() {
        let (least, asked) = reduced(1000, &[612]);
        assert!(least == [612] && asked < 60, "{asked}");
    }

    #[test]
    fn one_of_two_is_enough() {
        let least = reduce(8, 1000, &mut |some| Ok(some.contains(&1) || some.contains(&6))).unwrap();
        assert_eq!(least.len(), 1);
    }

    #[test]
    fn tries_are_counted() {
        let least = reduce(100, 3, &mut |some| Ok(some.contains(&50))).unwrap();
        assert!(least.contains(&50) && least.len() > 1);
    }
}
