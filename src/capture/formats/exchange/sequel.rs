//! Messages of an event stream have no time of their own: they came at any time while it was open. What they bring about has one: the
//! client's answer to a request, its progress for a token, the GET that goes on behind an event, whatever comes behind a handshake. They
//! came before that.

use rustc_hash::FxHashMap;

use super::claim::greets;
use super::order::Placed;
use super::steps::{ExchangeStep, StepKind};
use super::told::Link;
use crate::protocol::Side;

/// A link, in its connection.
type Key = (u32, Link);

/// Puts messages without a time, and what came before them on their streams, before the first that rests on them.
pub(super) fn before_their_sequels(placed: &mut [Placed<'_>], is_of_one_client: impl Fn(u32) -> bool) {
    let (followed, mut limits) = (followed(placed), greetings(placed, is_of_one_client));
    if followed.is_empty() && limits.is_empty() {
        return;
    }
    let (givers, starts) = (givers(placed, &followed), starts(placed));
    for (key, givers) in givers {
        let Some(sequel_us) = followed.get(&key).copied() else { continue };
        let came_before = |at: &usize| placed[*at].step.order_us <= sequel_us;
        if givers.iter().any(came_before) {
            continue;
        }
        let was_open = |at: &&usize| starts.get(&placed[**at].stream).is_some_and(|start| *start <= sequel_us);
        let untimed = givers.iter().filter(|at| moves(&placed[**at].step)).filter(was_open);
        if let Some(first) = untimed.min_by_key(|at| (starts.get(&placed[**at].stream).copied(), **at)) {
            let limit = limits.entry(*first).or_insert(i64::MAX);
            *limit = (*limit).min(sequel_us - 1);
        }
    }
    lower(placed, &limits, &starts);
}

/// True for what may have come before its time, or has none.
fn moves(step: &ExchangeStep<'_>) -> bool {
    !step.timed || step.may_be_earlier()
}

/// Answers to handshakes, each with what the client sent first since it may have come: a client goes on when it was answered, and
/// another one whenever it likes.
fn greetings(placed: &[Placed<'_>], is_of_one_client: impl Fn(u32) -> bool) -> FxHashMap<usize, i64> {
    let late = placed.iter().enumerate().filter(|(_, one)| one.step.may_be_earlier());
    let late = late.filter(|(_, one)| is_of_one_client(one.connection));
    let late: FxHashMap<u32, usize> = late.map(|(at, one)| (one.stream, at)).collect();
    let asks = |one: &&Placed<'_>| matches!(&one.step.what, StepKind::Text(text) if greets(text));
    let asked = placed.iter().filter(|one| late.contains_key(&one.stream)).filter(asks);
    let answers: Vec<usize> = asked.map(|one| late[&one.stream]).collect();
    let mut sent: FxHashMap<u32, Vec<i64>> = answers.iter().map(|at| (placed[*at].connection, Vec::new())).collect();
    for one in placed.iter().filter(|one| one.step.side == Side::Client && one.step.timed) {
        sent.entry(one.connection).and_modify(|times| times.push(one.step.order_us));
    }
    sent.values_mut().for_each(|times| times.sort_unstable());
    let first = |at: usize| {
        let (step, times) = (&placed[at].step, &sent[&placed[at].connection]);
        let next = times.get(times.partition_point(|us| Some(*us) <= step.since_us))?;
        (*next <= step.order_us).then_some((at, next - 1))
    };
    answers.into_iter().filter_map(first).collect()
}

/// When the first message of a client was sent that rests on each link.
fn followed(placed: &[Placed<'_>]) -> FxHashMap<Key, i64> {
    let mut found: FxHashMap<Key, i64> = FxHashMap::default();
    for one in placed.iter().filter(|one| one.step.side == Side::Client && one.step.timed) {
        for link in one.step.told.follows() {
            let first = found.entry((one.connection, link)).or_insert(i64::MAX);
            *first = (*first).min(one.step.order_us);
        }
    }
    found
}

/// The messages of servers that give what a client rests on.
fn givers(placed: &[Placed<'_>], followed: &FxHashMap<Key, i64>) -> FxHashMap<Key, Vec<usize>> {
    let mut found: FxHashMap<Key, Vec<usize>> = FxHashMap::default();
    for (at, one) in placed.iter().enumerate().filter(|(_, one)| one.step.side == Side::Server) {
        for key in one.step.told.gives().map(|link| (one.connection, link)).filter(|key| followed.contains_key(key)) {
            found.entry(key).or_default().push(at);
        }
    }
    found
}

/// When each stream was opened.
fn starts(placed: &[Placed<'_>]) -> FxHashMap<u32, i64> {
    let mut found: FxHashMap<u32, i64> = FxHashMap::default();
    for one in placed.iter().filter(|one| one.step.side == Side::Client) {
        let start = found.entry(one.stream).or_insert(i64::MAX);
        *start = (*start).min(one.step.order_us);
    }
    found
}

/// Brings messages, and what stands before them on their streams, to their limits: none before its stream was opened.
fn lower(placed: &mut [Placed<'_>], limits: &FxHashMap<usize, i64>, starts: &FxHashMap<u32, i64>) {
    if limits.is_empty() {
        return;
    }
    let mut of_stream: FxHashMap<u32, i64> = FxHashMap::default();
    for (at, one) in placed.iter_mut().enumerate().rev().filter(|(_, one)| one.step.side == Side::Server) {
        let limit = of_stream.entry(one.stream).or_insert(i64::MAX);
        *limit = (*limit).min(limits.get(&at).copied().unwrap_or(i64::MAX));
        if one.step.order_us > *limit {
            let start = one.step.since_us.or(starts.get(&one.stream).copied());
            one.step.order_us = start.map_or(*limit, |start| (*limit).max(start));
            one.step.timed &= one.step.since_us.is_none();
        }
    }
}
