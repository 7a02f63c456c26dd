//! Which of several equal messages at one tap is which at the other, where one of the taps has not seen all of them.
//!
//! What stands once in both logs and has an id is an **anchor**: it is one message. Copies of another lie between the same anchors in both
//! logs, and where there is none between two of them, as far apart in time as the anchors do.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::CopyKey;
use crate::capture::Direction;

/// How many copies are looked at for one.
const WINDOW: usize = 256;

/// By how many anchors the copies of one message may be apart: two threads write one log; streams are no order.
const SLACK: usize = 1;
const SLACK_OF_STREAMS: usize = 16;

/// What is known of one event of a log.
pub(super) struct Entry {
    pub(super) key: CopyKey,
    pub(super) at_us: Option<i64>,
    /// It came on a stream of its own, which nothing orders among others.
    pub(super) streamed: bool,
}

/// For each event at the client the one at the server.
pub(super) fn partners(client: &[Entry], server: &[Entry]) -> Vec<Option<usize>> {
    let mut copies: FxHashMap<&CopyKey, [Vec<usize>; 2]> = FxHashMap::default();
    for (side, log) in [client, server].into_iter().enumerate() {
        log.iter().enumerate().for_each(|(at, entry)| copies.entry(&entry.key).or_default()[side].push(at));
    }
    let whole = copies.values().all(|[ours, theirs]| ours.len() == theirs.len());
    let places = if whole { None } else { Some(Places::of(client, server, &copies)) };
    let mut partner = vec![None; client.len()];
    for [ours, theirs] in copies.values() {
        match places.as_ref().filter(|_| ours.len() > 1 || theirs.len() > 1) {
            Some(places) => places.nearest(ours, theirs).for_each(|(own, other)| partner[own] = Some(other)),
            None => ours.iter().zip(theirs).for_each(|(own, other)| partner[*own] = Some(*other)),
        }
    }
    partner
}

/// Where an event stands.
#[derive(Clone, Copy, Default)]
struct Place {
    /// How many anchors are before it, and how many of them go its way.
    behind: usize,
    behind_own: usize,
    at_us: Option<i64>,
    streamed: bool,
}

/// Where all events of two logs stand; times are those of the server's clock, as they are at the client.
struct Places([Vec<Place>; 2]);

impl Places {
    fn of(client: &[Entry], server: &[Entry], copies: &FxHashMap<&CopyKey, [Vec<usize>; 2]>) -> Places {
        let anchored = |key: &CopyKey| key.id.is_some() && copies[key].iter().all(|one| one.len() == 1);
        let ahead = Ahead::of(client, server, copies.iter().filter(|(key, _)| anchored(key)).map(|(_, at)| at));
        let shift = |entry: &Entry| entry.at_us?.checked_add(ahead.of_direction(entry.key.direction)?);
        Places([placed(client, anchored, shift), placed(server, anchored, |entry| entry.at_us)])
    }

    /// The copies that may be one, in their order: each of those that are fewer with the nearest of the others.
    fn nearest<'a>(&'a self, ours: &'a [usize], theirs: &'a [usize]) -> impl Iterator<Item = (usize, usize)> + 'a {
        let swapped = ours.len() > theirs.len();
        let (few, many) = if swapped { (theirs, ours) } else { (ours, theirs) };
        let [here, there] = if swapped { [&self.0[1], &self.0[0]] } else { [&self.0[0], &self.0[1]] };
        let mut next = 0;
        few.iter().filter_map(move |one| {
            let place = &here[*one];
            next = next.max(many.partition_point(|other| there[*other].behind + place.slack() < place.behind));
            let window = many.iter().enumerate().skip(next).take(WINDOW);
            let near = window.filter(|(_, other)| place.may_be(&there[**other]));
            let (at, other) = near.min_by_key(|(_, other)| place.distance(&there[**other]))?;
            next = at + 1;
            Some(if swapped { (*other, *one) } else { (*one, *other) })
        })
    }
}

impl Place {
    fn slack(&self) -> usize {
        if self.streamed { SLACK_OF_STREAMS } else { SLACK }
    }

    fn may_be(&self, other: &Place) -> bool {
        self.behind_own == other.behind_own || self.behind.abs_diff(other.behind) <= self.slack()
    }

    fn distance(&self, other: &Place) -> (usize, usize, u64) {
        let apart_us = self.at_us.zip(other.at_us).map_or(0, |(one, two)| one.abs_diff(two));
        (self.behind_own.abs_diff(other.behind_own), self.behind.abs_diff(other.behind), apart_us)
    }
}

fn placed(log: &[Entry], anchored: impl Fn(&CopyKey) -> bool, at_us: impl Fn(&Entry) -> Option<i64>) -> Vec<Place> {
    let (mut behind, mut own) = (0, FxHashMap::<Direction, usize>::default());
    let place = |entry: &Entry| {
        let behind_own = own.entry(entry.key.direction).or_default();
        let place = Place { behind, behind_own: *behind_own, at_us: at_us(entry), streamed: entry.streamed };
        let step = usize::from(anchored(&entry.key));
        (behind, *behind_own) = (behind + step, *behind_own + step);
        place
    };
    log.iter().map(place).collect()
}

/// By how much later anchors are seen at the server than at the client, each by its own clock.
struct Ahead(FxHashMap<Direction, i64>);

impl Ahead {
    fn of<'a>(client: &[Entry], server: &[Entry], anchors: impl Iterator<Item = &'a [Vec<usize>; 2]>) -> Ahead {
        let mut all: FxHashMap<Direction, Vec<i64>> = FxHashMap::default();
        for (own, other) in anchors.filter_map(|[ours, theirs]| Some((ours.first()?, theirs.first()?))) {
            let (own, other) = (&client[*own], &server[*other]);
            let ahead = other.at_us.zip(own.at_us).and_then(|(there, here)| there.checked_sub(here));
            all.entry(own.key.direction).or_default().extend(ahead);
        }
        let middle = |mut ahead: Vec<i64>| {
            ahead.sort_unstable_by_key(|us| Reverse(*us));
            ahead.get(ahead.len() / 2).copied()
        };
        Ahead(all.into_iter().filter_map(|(way, ahead)| Some((way, middle(ahead)?))).collect())
    }

    /// Of what goes one way; what goes the other way tells nearly the same.
    fn of_direction(&self, way: Direction) -> Option<i64> {
        self.0.get(&way).or_else(|| self.0.values().next()).copied()
    }
}
