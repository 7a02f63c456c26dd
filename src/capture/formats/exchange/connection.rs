//! Which connection an exchange belongs to: by session, by what else the log has for it, by URL, or a WebSocket of its own.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Exchange;
use super::claim::{Claim, Key};
use crate::capture::out::Out;
use crate::capture::{Channel, Proof, Transport, Vantage};
use crate::error::Result;

/// How many handshakes may wait for their session's name.
const OPENINGS: usize = 64;

/// The connections of a log, numbered, and their channels once they were announced.
#[derive(Default)]
pub(super) struct Connections {
    by_key: FxHashMap<Key, u32>,
    keys: Vec<Key>,
    channels: Vec<Option<u32>>,
    /// What was not given to its connection yet.
    claims: Vec<Claim>,
    /// Handshakes that name no session, where sessions are named later: they are those. With their connections.
    openings: VecDeque<(u32, Claim)>,
    /// Streams of handshakes that were given to sessions which do not begin as one that has just been opened does.
    doubtful: Vec<u32>,
    /// True if a session was met of which the log has no handshake: what is doubtful may be of another one.
    midway: bool,
    /// Streams of handshakes, and of what follows them without a name, of which it is not known to which of several sessions they
    /// led.
    guessed: FxHashSet<u32>,
    /// Of what no session has claimed, the connection of each place.
    homes: FxHashMap<Key, u32>,
    sessions: bool,
}

impl Connections {
    /// None yet. `sessions` where some exchanges may name one.
    pub(super) fn new(sessions: bool) -> Connections {
        Connections { sessions, ..Connections::default() }
    }

    /// Notes an exchange, which [`Connections::settle`] gives to its connection.
    pub(super) fn note(&mut self, exchange: &Exchange<'_>, stream: u32) {
        self.claims.push(Claim::of(exchange, stream));
    }

    /// The connections of all streams that were noted, in the order of their times: records are written when exchanges end, or later.
    pub(super) fn settle(&mut self) -> FxHashMap<u32, u32> {
        let mut claims = std::mem::take(&mut self.claims);
        match claims.iter().all(|claim| claim.began_us.is_some()) {
            true => claims.sort_by_key(|claim| claim.began_us),
            false => claims.sort_by_key(|claim| claim.turn),
        }
        let settled = claims.into_iter().map(|claim| (claim.stream, self.of(claim))).collect();
        if self.midway {
            self.guessed.extend(self.doubtful.drain(..));
        }
        settled
    }

    /// Number of the connection that an exchange belongs to.
    fn of(&mut self, claim: Claim) -> u32 {
        let is_place = matches!(claim.key, Key::Place(..));
        let Some(number) = self.by_key.get(&claim.key).copied() else { return self.another(claim) };
        if self.sessions && is_place && claim.opens && self.channels[number as usize].is_none() {
            return self.open(claim);
        }
        if is_place && self.openings.len() > 1 {
            self.guessed.insert(claim.stream);
        }
        number
    }

    /// The first exchange with its key: the session that a handshake led to, or a connection of its own.
    fn another(&mut self, claim: Claim) -> u32 {
        match &claim.key {
            Key::Session(_) => self.opened(&claim).unwrap_or_else(|| {
                self.midway |= !claim.opens;
                self.add(claim.key)
            }),
            Key::Place(..) if self.sessions && claim.opens => self.open(claim),
            _ => self.add(claim.key),
        }
    }

    /// The connection of the handshake that led to a session: of several, the first.
    fn opened(&mut self, claim: &Claim) -> Option<u32> {
        let led = |(_, opening): &&(u32, Claim)| opening.may_have_led_to(claim);
        let streams: Vec<u32> = self.openings.iter().filter(led).map(|(_, opening)| opening.stream).collect();
        let first = *streams.first()?;
        let at = self.openings.iter().position(|(_, opening)| opening.stream == first)?;
        let (number, _) = self.openings.remove(at)?;
        match streams.len() {
            1 if !claim.is_opened => self.doubtful.push(first),
            1 => {}
            _ => self.guessed.extend(streams),
        }
        let place = std::mem::replace(&mut self.keys[number as usize], claim.key.clone());
        if self.by_key.get(&place) == Some(&number) {
            self.by_key.remove(&place);
        }
        self.by_key.insert(claim.key.clone(), number);
        Some(number)
    }

    /// A handshake that names no session.
    fn open(&mut self, claim: Claim) -> u32 {
        let number = self.add(claim.key.clone());
        self.openings.push_back((number, claim));
        if self.openings.len() > OPENINGS {
            self.openings.pop_front();
        }
        number
    }

    /// The number under which a connection is handed on: handshakes that no session has claimed are, with all else at that
    /// place, one connection, for nothing tells their clients apart.
    pub(super) fn home(&mut self, number: u32) -> u32 {
        match &self.keys[number as usize] {
            key @ Key::Place(..) => *self.homes.entry(key.clone()).or_insert(number),
            _ => number,
        }
    }

    fn add(&mut self, key: Key) -> u32 {
        let number = self.keys.len() as u32;
        self.keys.push(key.clone());
        self.channels.push(None);
        self.by_key.insert(key, number);
        number
    }

    /// True for a stream that may be another connection's.
    pub(super) fn is_guessed(&self, stream: u32) -> bool {
        self.guessed.contains(&stream)
    }

    /// True for one whose messages are all of one client.
    pub(super) fn is_named(&self, number: u32) -> bool {
        !matches!(self.keys[number as usize], Key::Place(..))
    }

    /// True for a WebSocket, which has no streams.
    pub(super) fn is_socket(&self, number: u32) -> bool {
        matches!(self.keys[number as usize], Key::WebSocket(_))
    }

    /// The channel of a connection; `lost` is what its exchanges do not show.
    pub(super) fn channel(
        &mut self,
        number: u32,
        lost: Proof,
        vantage: Vantage,
        resolution_us: Option<i64>,
        out: &mut Out<'_>,
    ) -> Result<u32> {
        if let Some(channel) = self.channels[number as usize] {
            return Ok(channel);
        }
        let socket = self.is_socket(number);
        let proof = if socket { Proof::FULL } else { Proof::FULL.and(Proof::STREAMS) };
        let proof = proof.without(lost);
        self.openings.retain(|(opening, _)| *opening != number);
        let (name, proof) = match &self.keys[number as usize] {
            Key::Session(session) => (Some(session.clone()), proof),
            // One server is one connection, whoever its clients are.
            Key::Place(place, _) => (place.clone(), proof.without(Proof::CLIENT)),
            Key::WebSocket(_) => (None, proof),
        };
        let channel = out.channel(Channel {
            name,
            vantage,
            transport: if socket { Transport::Ordered } else { Transport::Http },
            proof,
            resolution_us: resolution_us.unwrap_or(1),
            by_time: resolution_us.is_some(),
            // Another handshake there may be another client's, amid the work of the first.
            one_connection: matches!(self.keys[number as usize], Key::Place(..)),
            ..Channel::default()
        })?;
        self.channels[number as usize] = Some(channel);
        Ok(channel)
    }
}
