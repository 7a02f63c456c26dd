//! Each side is judged in the order of its own tap.
//!
//! Where a source merges two taps, its frames come in the order of the client's. That order says what the client knew when it acted,
//! and not what the server knew: a request that it sent before `initialized` had come stands behind it there. So the frames of such
//! connections are kept, and folded once more in the order of the server's tap when the fold has ended. What is found of the client,
//! and of the log itself, is taken from the first fold, what is found of the server from the second one. Both ask the same rules about
//! the same messages. Like the frames that a merge itself holds, these are held as a whole.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::Options;
use super::ahead::Block;
use super::judge::Judge;
use super::numbers::Numbers;
use crate::capture::{Body, Channel, Frame, FrameSink, Skip, Stamp, Vantage};
use crate::error::Result;
use crate::protocol::Side;
use crate::session::{FrameId, NO_CONNECTION, Nobody, Opened, Session, Settings};

/// Frames of connections that were seen at two taps, in the order of the client's.
#[derive(Default)]
pub(super) struct OwnOrder {
    opened: FxHashMap<u32, Opened>,
    held: Vec<Held>,
}

struct Held {
    id: FrameId,
    connection: u32,
    /// How many numbers it takes: its own, and those of the members of a batch.
    numbers: u64,
    place: Place,
    frame: Block,
}

/// What tells where a frame stands.
#[derive(Clone, Copy)]
struct Place {
    at_us: Option<i64>,
    server: Option<Stamp>,
    sender: Option<Side>,
}

impl OwnOrder {
    /// A connection begins.
    pub(super) fn open(&mut self, opened: &Opened) {
        if opened.channel.vantage == Vantage::Merged {
            self.opened.insert(opened.id, opened.clone());
        }
    }

    /// A frame, as the fold takes it.
    #[inline]
    pub(super) fn frame(&mut self, id: FrameId, connection: u32, frame: &Frame<'_>) {
        if !self.opened.is_empty() {
            self.hold(id, connection, frame);
        }
    }

    fn hold(&mut self, id: FrameId, connection: u32, frame: &Frame<'_>) {
        if connection != NO_CONNECTION && !self.opened.contains_key(&connection) {
            return;
        }
        let members = if let Body::Batch { members, .. } = &frame.body { members.len() as u64 } else { 0 };
        let server = frame.taps.and_then(|[_, server]| server);
        let place = Place { at_us: frame.at_us, server, sender: frame.direction.side() };
        self.held.push(Held { id, connection, numbers: members + 1, place, frame: Block::of(frame) });
    }

    /// Judges the servers, when all else has been judged.
    pub(super) fn fold(self, options: &Options, judge: &mut Judge<'_>) -> Result<()> {
        if self.opened.is_empty() {
            return Ok(());
        }
        let steps = in_servers_order(&self.held);
        let frames = steps.iter().map(|step| &self.held[step.at]);
        let numbers = Numbers::of(frames.map(|held| (held.id, held.numbers)));
        let ids: Vec<FrameId> = numbers.own().collect();
        judge.judge_servers(numbers);
        // All of it is held here anyway, so that nothing need be forgotten and asked for.
        let window = usize::try_from(self.held.iter().map(|held| held.numbers).sum::<u64>()).unwrap_or(usize::MAX >> 1);
        let mut session = Session::new(Settings { window, ..options.settings });
        self.opened.into_values().for_each(|opened| session.open(opened));
        for (step, id) in steps.iter().zip(ids) {
            options.go_on()?;
            let Held { connection, frame, .. } = &self.held[step.at];
            frame.give(&mut Again { id, connection: *connection, at_us: step.at_us, session: &mut session, judge })?;
            judge.failed()?;
        }
        session.finish(&mut Nobody, judge);
        judge.failed()
    }
}

/// A frame in the order of the server.
#[derive(Clone, Copy)]
struct Step {
    /// Which one.
    at: usize,
    /// When it passed the server's tap, or would have.
    at_us: Option<i64>,
}

/// All frames, each connection's in the order of its server's tap. They take turns as they did.
fn in_servers_order(held: &[Held]) -> Vec<Step> {
    let mut by_connection: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, one) in held.iter().enumerate().filter(|(_, one)| one.connection != NO_CONNECTION) {
        by_connection.entry(one.connection).or_default().push(at);
    }
    let mut steps: Vec<Step> = held.iter().enumerate().map(|(at, one)| Step { at, at_us: one.place.at_us }).collect();
    for turns in by_connection.into_values() {
        let places: Vec<Place> = turns.iter().map(|at| held[*at].place).collect();
        for (turn, (nth, at_us)) in turns.iter().zip(of_connection(&places)) {
            steps[*turn] = Step { at: turns[nth], at_us };
        }
    }
    steps
}

/// In which order frames passed the server's tap, and when.
fn of_connection(places: &[Place]) -> Vec<(usize, Option<i64>)> {
    let keys = keys(places);
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|nth| keys[*nth]);
    // A tap that tells no times leaves those of the other one. What it did not see has a time between those beside it.
    let ahead = ahead(places);
    if places.iter().all(|place| place.server.is_none_or(|stamp| stamp.at_us.is_none())) {
        return order.into_iter().map(|nth| (nth, places[nth].at_us)).collect();
    }
    let mut times = vec![None; places.len()];
    let mut last = None;
    for (turn, nth) in order.iter().enumerate() {
        let Place { at_us, server, .. } = places[*nth];
        let shifted =
            || at_us.zip(ahead[*nth]).map(|(at, ahead)| at.saturating_add(ahead).max(last.unwrap_or(i64::MIN)));
        times[turn] = server.map_or_else(shifted, |stamp| stamp.at_us);
        last = times[turn].or(last);
    }
    let mut next = i64::MAX;
    for (turn, nth) in order.iter().enumerate().rev() {
        let shifted = places[*nth].server.is_none();
        times[turn] = times[turn].map(|at| if shifted { at.min(next) } else { at });
        next = times[turn].unwrap_or(next);
    }
    order.into_iter().zip(times).collect()
}

/// Where a frame stands, beside one that the server's tap saw.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Beside {
    Before,
    Itself,
    Behind,
}

/// What sorts frames as they passed the server's tap. What it did not see came after all that stands before it at the client's tap:
/// what a client sends has its place behind all that it had sent and received. Only what the server sent went before the next that
/// it sent.
fn keys(places: &[Place]) -> Vec<(u64, Beside, usize)> {
    let mut next_sent = vec![None; places.len()];
    let mut next = None;
    for (nth, place) in places.iter().enumerate().rev() {
        next_sent[nth] = next;
        next = place.server.filter(|_| place.sender == Some(Side::Server)).map(|stamp| stamp.seq).or(next);
    }
    let mut newest = None;
    let key = |(nth, place): (usize, &Place)| {
        if let Some(stamp) = place.server {
            newest = newest.max(Some(stamp.seq));
            return (stamp.seq, Beside::Itself, nth);
        }
        let own = place.sender == Some(Side::Server);
        match next_sent[nth].filter(|next| own && newest > Some(*next)) {
            Some(next) => (next, Beside::Before, nth),
            None => newest.map_or((0, Beside::Before, nth), |newest| (newest, Beside::Behind, nth)),
        }
    };
    places.iter().enumerate().map(key).collect()
}

/// By how much the server's clock was ahead of the client's at each frame, by what both had seen last, or see first.
fn ahead(places: &[Place]) -> Vec<Option<i64>> {
    let told = |place: &Place| {
        let there = place.server.and_then(|stamp| stamp.at_us)?;
        there.checked_sub(place.at_us?)
    };
    let mut last = places.iter().find_map(told);
    let ahead = |place: &Place| {
        last = told(place).or(last);
        last
    };
    places.iter().map(ahead).collect()
}

/// Takes the one frame of a block.
struct Again<'a, 's> {
    id: FrameId,
    connection: u32,
    at_us: Option<i64>,
    session: &'a mut Session,
    judge: &'a mut Judge<'s>,
}

impl FrameSink for Again<'_, '_> {
    fn channel(&mut self, _: u32, _: Channel) -> Result<()> {
        Ok(())
    }

    fn frame(&mut self, frame: &Frame<'_>) -> Result<()> {
        let frame = Frame { at_us: self.at_us, ..frame.clone() };
        self.judge.frame(self.id, self.connection, &frame);
        self.session.push(self.id, self.connection, &frame, self.judge);
        Ok(())
    }

    fn skipped(&mut self, _: u64, _: Skip) {}

    fn progress(&mut self, _: u64) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame that passed the client's tap at `at_us`, and the server's at this place and time.
    fn place(sender: Side, at_us: i64, server: Option<(u64, i64)>) -> Place {
        let server = server.map(|(seq, at_us)| Stamp { seq, at_us: Some(at_us) });
        Place { at_us: Some(at_us), server, sender: Some(sender) }
    }

    #[test]
    fn what_crossed_stands_in_the_order_of_the_server() {
        let places = [
            place(Side::Client, 0, Some((0, 1_000))),
            place(Side::Client, 10, Some((2, 1_030))),
            place(Side::Server, 40, Some((1, 1_020))),
        ];
        assert_eq!(of_connection(&places), [(0, Some(1_000)), (2, Some(1_020)), (1, Some(1_030))]);
    }

    #[test]
    fn what_only_the_client_saw_comes_behind_what_it_knew_and_never_behind_what_the_server_sent_next() {
        let places = [
            place(Side::Server, 0, None),
            place(Side::Client, 10, Some((2, 1_020))),
            place(Side::Server, 30, None),
            place(Side::Server, 40, Some((1, 1_010))),
            place(Side::Client, 50, None),
        ];
        let order: Vec<usize> = of_connection(&places).into_iter().map(|(nth, _)| nth).collect();
        assert_eq!(order, [0, 2, 3, 1, 4]);
        let times: Vec<Option<i64>> = of_connection(&places).into_iter().map(|(_, at_us)| at_us).collect();
        assert_eq!(
            times,
            [1_010, 1_010, 1_010, 1_020, 1_020].map(Some),
            "by the clock of the server, as far as it is known"
        );
    }

    #[test]
    fn a_tap_without_times_leaves_those_of_the_other() {
        let untimed = Some(Stamp { seq: 0, at_us: None });
        let places = [Place { server: untimed, ..place(Side::Client, 5, None) }, place(Side::Client, 7, None)];
        assert_eq!(of_connection(&places), [(0, Some(5)), (1, Some(7))]);
    }
}
