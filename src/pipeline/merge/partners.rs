//! Which connection of the client's log and which of the server's are one: by what they carry.
//!
//! A **mark** is a message (sender, kind, id, method, content) or the name of an HTTP session. Two connections are one where a mark
//! stands in them and in no other connection of either log, where neither an id that means two things nor the times contradict it, and
//! where the same holds of no other pair with one of them. All else is left as it is: a wrong pair would be judged by what passed in
//! another connection.

use rustc_hash::{FxHashMap, FxHashSet};

use super::event::{Content, HeldFrame};
use super::log::Held;
use crate::capture::{CopyKey, Direction};
use crate::jsonrpc::Id;
use crate::protocol::Side;
use crate::protocol::http::RequestHead;

/// A connection that might be one with more others than this is a mixture of several, and one with none.
const CANDIDATES: usize = 16;

/// How far the difference of two clocks may seem to move within a connection, in microseconds: logs are written late, clocks are set.
const DRIFT_US: i64 = 2_000_000;

/// How far clocks are apart that agree, in microseconds.
const AGREES_US: i64 = 60_000_000;

/// The length from which on a name with digits in it is no name that two logs came upon by chance.
const LONG_NAME: usize = 16;

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Partners {
    /// For each connection of the client's log the one of the server's.
    pub of_client: Vec<Option<usize>>,
    /// Connections of the client's and of the server's log that have no partner although nothing is in the way of one.
    pub in_doubt: [FxHashSet<usize>; 2],
}

/// Finds them. Two logs of one connection each are what the user says they are.
pub(super) fn partners(client: &[Held], server: &[Held]) -> Partners {
    if let ([_], [_]) = (client, server) {
        return Partners { of_client: vec![Some(0)], ..Partners::default() };
    }
    let sides = [client, server].map(|log| log.iter().map(Carried::of).collect::<Vec<_>>());
    let fits = |pair: &(usize, usize)| sides[0][pair.0].fits(&sides[1][pair.1]);
    let pairs: Vec<(usize, usize)> = candidates(&sides).into_iter().filter(fits).collect();
    let mut counts = [vec![0u32; sides[0].len()], vec![0u32; sides[1].len()]];
    for (ours, theirs) in &pairs {
        counts[0][*ours] += 1;
        counts[1][*theirs] += 1;
    }
    let mut of_client = vec![None; sides[0].len()];
    for (ours, theirs) in pairs {
        if counts[0][ours] == 1 && counts[1][theirs] == 1 {
            of_client[ours] = Some(theirs);
        }
    }
    let clock = keep_one_clock(&sides, &mut of_client);
    let in_doubt = in_doubt(&sides, &of_client, &clock);
    Partners { of_client, in_doubt }
}

/// What two copies of one connection have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Mark<'a> {
    Message(&'a CopyKey),
    Session(&'a str),
}

/// What a connection carries.
#[derive(Default)]
struct Carried<'a> {
    /// Its messages, each with how many copies there are and the first of them.
    messages: FxHashMap<&'a CopyKey, (u64, &'a HeldFrame)>,
    count: u64,
    sessions: FxHashSet<Box<str>>,
    /// What was said under an id.
    slots: FxHashMap<(Direction, bool, &'a Id), Vec<&'a CopyKey>>,
    name: Option<&'a str>,
    resolution_us: i64,
}

impl<'a> Carried<'a> {
    fn of(held: &'a Held) -> Carried<'a> {
        let telling = held.named && held.key.len() >= LONG_NAME && held.key.bytes().any(|byte| byte.is_ascii_digit());
        let name = telling.then_some(held.key.as_str());
        let mut carried = Carried { name, resolution_us: held.channel.resolution_us, ..Carried::default() };
        held.events.iter().for_each(|event| carried.take(event));
        carried
    }

    fn take(&mut self, event: &'a HeldFrame) {
        match &event.what {
            Content::Http(head) => self.sessions.extend(RequestHead::read(head).and_then(|head| head.session)),
            Content::Text(_) => {
                self.count += 1;
                let (copies, _) = self.messages.entry(&event.key).or_insert((0, event));
                *copies += 1;
                if let (1, Some(slot)) = (*copies, event.key.slot()) {
                    self.slots.entry(slot).or_default().push(&event.key);
                }
            }
            _ => {}
        }
    }

    fn marks(&self) -> impl Iterator<Item = Mark<'_>> {
        let sessions = self.sessions.iter().map(|session| Mark::Session(session));
        let name = self.name.filter(|name| !self.sessions.contains(*name)).map(Mark::Session);
        self.messages.keys().map(|key| Mark::Message(key)).chain(sessions).chain(name)
    }

    /// True if nothing is in the way of this connection of the client's log and that of the server's being one.
    fn fits(&self, server: &Carried<'_>) -> bool {
        !self.contradicts(server) && !self.is_mostly_elsewhere(server) && !self.is_out_of_time(server)
    }

    /// True if one id means two things, or the sessions have two names: these are two connections.
    fn contradicts(&self, other: &Carried<'_>) -> bool {
        let (few, many) = if self.slots.len() <= other.slots.len() { (self, other) } else { (other, self) };
        let apart = |(slot, said): (&(Direction, bool, &Id), &Vec<&CopyKey>)| match many.slots.get(slot) {
            Some(theirs) if theirs.len() < said.len() => !theirs.iter().any(|key| few.messages.contains_key(key)),
            Some(_) => !said.iter().any(|key| many.messages.contains_key(key)),
            None => false,
        };
        let both = !self.sessions.is_empty() && !other.sessions.is_empty();
        both && self.sessions.is_disjoint(&other.sessions) || few.slots.iter().any(apart)
    }

    /// Messages that both have: of each its first copy here and there.
    fn shared<'s>(&'s self, other: &'s Carried<'_>) -> impl Iterator<Item = (u64, &'s HeldFrame, &'s HeldFrame)> {
        let swapped = self.messages.len() > other.messages.len();
        let (few, many) = if swapped { (&other.messages, &self.messages) } else { (&self.messages, &other.messages) };
        few.iter().filter_map(move |(key, (copies, one))| {
            let (others, two) = many.get(key)?;
            let (one, two): (&HeldFrame, &HeldFrame) = if swapped { (two, one) } else { (one, two) };
            Some((*copies.min(others), one, two))
        })
    }

    /// True if the smaller of the two has more messages that the other lacks than messages that both have.
    fn is_mostly_elsewhere(&self, other: &Carried<'_>) -> bool {
        let both: u64 = self.shared(other).map(|(copies, ..)| copies).sum();
        2 * both < self.count.min(other.count)
    }

    /// True if no difference between the clocks of the client (`self`) and the server lets every message arrive after it was sent.
    fn is_out_of_time(&self, server: &Carried<'_>) -> bool {
        let (least, most) = self.ahead(server);
        least > most.saturating_add(self.slack(server))
    }

    fn slack(&self, server: &Carried<'_>) -> i64 {
        DRIFT_US.saturating_add(self.resolution_us).saturating_add(server.resolution_us)
    }

    /// By how much the server's clock is ahead of the client's, at least and at most: nothing arrives before it is sent.
    fn ahead(&self, server: &Carried<'_>) -> (i64, i64) {
        let (mut least, mut most) = (i64::MIN, i64::MAX);
        for (copies, ours, theirs) in self.shared(server) {
            let (Some(sender), Some(at), Some(there)) = (ours.sender(), ours.at_us, theirs.at_us) else { continue };
            // Of what was said several times, copies may be missing here or there.
            let Some(ahead) = there.checked_sub(at).filter(|_| copies == 1) else { continue };
            match sender {
                Side::Client => most = most.min(ahead),
                Side::Server => least = least.max(ahead),
            }
        }
        (least, most)
    }

    /// What the clock of the server may be ahead by, where times tell; what bounds it on one side only took a minute at most.
    fn clocks(&self, server: &Carried<'_>) -> Option<(i64, i64)> {
        let slack = self.slack(server);
        let (least, most) = match self.ahead(server) {
            (i64::MIN, i64::MAX) => return None,
            (i64::MIN, most) => (most.saturating_sub(AGREES_US), most),
            (least, i64::MAX) => (least, least.saturating_add(AGREES_US)),
            (least, most) => (least.min(most), most.max(least)),
        };
        Some((least.saturating_sub(slack), most.saturating_add(slack)))
    }
}

/// By how much the clock of the server's log is ahead of the client's.
struct Clock {
    ahead_us: i64,
    within_us: i64,
}

impl Clock {
    /// That of two pairs and more, if it is that of most; else the two are taken to agree.
    fn of(told: &[(i64, i64)]) -> Clock {
        let mut middles: Vec<i64> = told.iter().map(|(least, most)| least.midpoint(*most)).collect();
        middles.sort_unstable();
        let ahead_us = middles.get(middles.len() / 2).copied().unwrap_or_default();
        let clock = Clock { ahead_us, within_us: 0 };
        let fitting = told.iter().filter(|told| clock.fits(**told)).count();
        let is_told = fitting > 1 && 2 * fitting > told.len();
        if is_told { clock } else { Clock { ahead_us: 0, within_us: AGREES_US } }
    }

    fn fits(&self, (least, most): (i64, i64)) -> bool {
        least.saturating_sub(self.within_us) <= self.ahead_us && self.ahead_us <= most.saturating_add(self.within_us)
    }
}

/// Takes those pairs apart that tell of other clocks: what one client said another one may have said as well, an hour later.
fn keep_one_clock(sides: &[Vec<Carried<'_>>; 2], of_client: &mut [Option<usize>]) -> Clock {
    let clocks = |(at, theirs): (usize, &Option<usize>)| sides[0][at].clocks(&sides[1][(*theirs)?]);
    let told: Vec<Option<(i64, i64)>> = of_client.iter().enumerate().map(clocks).collect();
    let clock = Clock::of(&told.iter().flatten().copied().collect::<Vec<_>>());
    for (partner, told) in of_client.iter_mut().zip(told) {
        *partner = partner.filter(|_| told.is_none_or(|told| clock.fits(told)));
    }
    clock
}

/// Which connections of a log have a mark.
#[derive(Clone, Copy, Default)]
enum Bearer {
    #[default]
    Nobody,
    One(usize),
    Several,
}

impl Bearer {
    fn add(&mut self, connection: usize) {
        *self = if let Bearer::Nobody = self { Bearer::One(connection) } else { Bearer::Several };
    }
}

/// Pairs with a mark that nobody else has, in their order.
fn candidates(sides: &[Vec<Carried<'_>>; 2]) -> Vec<(usize, usize)> {
    let mut bearers: FxHashMap<Mark<'_>, [Bearer; 2]> = FxHashMap::default();
    for (side, connections) in sides.iter().enumerate() {
        for (at, carried) in connections.iter().enumerate() {
            carried.marks().for_each(|mark| bearers.entry(mark).or_default()[side].add(at));
        }
    }
    let alone = |pair: &[Bearer; 2]| match pair {
        [Bearer::One(client), Bearer::One(server)] => Some((*client, *server)),
        _ => None,
    };
    let mut pairs: Vec<(usize, usize)> = bearers.values().filter_map(alone).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mut counts: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    for (client, server) in &pairs {
        *counts.entry((0, *client)).or_default() += 1;
        *counts.entry((1, *server)).or_default() += 1;
    }
    pairs.retain(|(client, server)| counts[&(0, *client)] <= CANDIDATES && counts[&(1, *server)] <= CANDIDATES);
    pairs
}

/// Connections without a partner that may be one with another such connection, or with several.
fn in_doubt(sides: &[Vec<Carried<'_>>; 2], of_client: &[Option<usize>], clock: &Clock) -> [FxHashSet<usize>; 2] {
    let taken: FxHashSet<usize> = of_client.iter().flatten().copied().collect();
    let ours: Vec<usize> = (0..sides[0].len()).filter(|at| of_client[*at].is_none()).collect();
    let theirs: Vec<usize> = (0..sides[1].len()).filter(|at| !taken.contains(at)).collect();
    let left = [ours, theirs];
    let bearers = [0, 1].map(|side| {
        let mut bearers: FxHashMap<Mark<'_>, Vec<usize>> = FxHashMap::default();
        for at in &left[side] {
            sides[side][*at].marks().for_each(|mark| bearers.entry(mark).or_default().push(*at));
        }
        bearers
    });
    [0, 1].map(|side| {
        let may_be = |at: &usize, other: usize| {
            let pair = if side == 0 { (*at, other) } else { (other, *at) };
            let (ours, theirs) = (&sides[0][pair.0], &sides[1][pair.1]);
            ours.fits(theirs) && ours.clocks(theirs).is_none_or(|told| clock.fits(told))
        };
        let doubtful = |at: &usize| nearest(&sides[side][*at], &bearers[1 - side]).any(|other| may_be(at, other));
        left[side].iter().copied().filter(doubtful).collect()
    })
}

/// Some of the connections that carry something of what this one carries, those with its rarest marks first.
fn nearest(carried: &Carried<'_>, bearers: &FxHashMap<Mark<'_>, Vec<usize>>) -> impl Iterator<Item = usize> {
    let mut lists: Vec<&Vec<usize>> = carried.marks().filter_map(|mark| bearers.get(&mark)).collect();
    lists.sort_by_key(|list| (list.len(), list.first().copied()));
    let mut met: FxHashSet<usize> = FxHashSet::default();
    let all = lists.into_iter().flat_map(|list| list.iter().copied().take(CANDIDATES));
    all.filter(|at| met.insert(*at)).take(CANDIDATES).collect::<Vec<_>>().into_iter()
}
