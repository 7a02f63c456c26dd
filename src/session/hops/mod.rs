//! One request through several hops: from a client to a gateway, from there to a server. Every hop is recorded by itself and has ids of its
//! own, so a request is followed by what it asks for, by the order of times, and by `traceparent` where it is there.
//!
//! A connection knows nothing of others. So this is asked when all of them have ended, of what was kept of each: the requests of the
//! clients, and the ledger. What comes of it are events like all others, and rules and the auditor judge them.

mod call;
mod content;
mod faults;
mod links;

use std::collections::{BTreeMap, HashMap};

use super::connection::Connection;
use super::event::{Event, What};
use super::exchange::{Exchange, Outcome};
use super::hop::Hop;
use super::ledger::{Kept, Ledger};
use super::seen::FrameId;
use crate::protocol::Side;
use call::{Call, gives_up};
use content::Content;
use links::{FEW, Link, linked};

/// How much of a hop was followed to the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Followed {
    /// The names of the hops.
    pub names: (String, String),
    /// Requests of the upper hop that can be told from others.
    pub requests: u64,
    /// Those of them for which one of the lower hop was found.
    pub found: u64,
    /// Why none was, where that has one reason.
    pub lacks: Option<&'static str>,
    /// What could not be followed.
    pub lost: Lost,
}

/// Requests that could not be followed from a hop to the next: those of which none of the lower hop was found, those without a time, and
/// cancelled ones that nothing tells from others or that go the other way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// How many.
    pub requests: u64,
    /// Those of them that were cancelled.
    pub given_up: u64,
    /// Those of them that came to a result.
    pub results: u64,
}

impl Lost {
    fn add(&mut self, exchange: &Exchange) {
        self.requests += 1;
        self.given_up += u64::from(gives_up(exchange));
        self.results += u64::from(exchange.outcome == Outcome::Result);
    }
}

/// Takes down what passes at every hop, and tells at the end what only all of them together show.
#[derive(Default)]
pub struct Follower {
    names: Vec<String>,
    hops: BTreeMap<u32, usize>,
    contents: HashMap<FrameId, Content>,
    calls: Vec<Call>,
    /// What cannot be followed from a hop to the next, by the upper of them.
    lost: BTreeMap<usize, Lost>,
    ended: BTreeMap<u32, Kept>,
}

impl Follower {
    /// For hops of these names, from the one next to the user to the last.
    pub fn new(names: Vec<String>) -> Follower {
        Follower { names, ..Follower::default() }
    }

    /// A connection is of this hop.
    pub fn place(&mut self, connection: u32, hop: usize) {
        self.hops.insert(connection, hop);
    }

    /// A request, as JSON text.
    pub fn request(&mut self, frame: FrameId, text: &str) {
        if let Some(content) = Content::of(text) {
            self.contents.insert(frame, content);
        }
    }

    /// An exchange that will not change any more.
    pub fn exchange(&mut self, connection: u32, exchange: &Exchange) {
        let content = self.contents.remove(&exchange.request.frame);
        let handshake = exchange.profile.opening.initialize.is_some_and(|method| *method == *exchange.method);
        let stays = exchange.known.is_some_and(|known| known.long_lived);
        let Some(hop) = self.hops.get(&connection).copied().filter(|_| !handshake && !stays) else { return };
        match (exchange.issuer, content, exchange.request.at_us) {
            (Side::Client, Some(content), Some(sent_us)) => {
                self.calls.push(Call { hop, connection, exchange: exchange.clone(), content, sent_us });
            }
            (Side::Client, Some(_), None) => self.lose(hop, exchange),
            (Side::Client, None, _) if gives_up(exchange) => self.lose(hop, exchange),
            // What a server asks goes from the lower hop to the upper one.
            (Side::Server, ..) if hop > 0 && gives_up(exchange) => self.lose(hop - 1, exchange),
            _ => {}
        }
    }

    fn lose(&mut self, hop: usize, exchange: &Exchange) {
        self.lost.entry(hop).or_default().add(exchange);
    }

    /// A connection at its end.
    pub fn connection(&mut self, connection: &Connection, ledger: Ledger<'_>) {
        self.ended.insert(connection.id, ledger.kept());
    }

    /// Tells what the hops show together: events, each request that serves one of the hop above (that one first), and how much could be
    /// followed.
    pub fn finish(
        &mut self,
        mut tell: impl FnMut(&Event<'_>),
        mut serves: impl FnMut(FrameId, FrameId),
    ) -> Vec<Followed> {
        self.calls.sort_by_key(|call| (call.hop, call.exchange.request.frame));
        let (mut all, mut told) = (Vec::new(), Vec::new());
        for (hop, names) in self.names.windows(2).enumerate() {
            let mut linked = linked(&self.calls, hop);
            linked.links.iter_mut().for_each(|link| self.doubt_guesses(link));
            let requests = self.calls.iter().filter(|call| call.hop == hop).count() as u64;
            let mut found: Vec<usize> = linked.links.iter().map(|link| link.upper).collect();
            found.sort_unstable();
            found.dedup();
            let lacks = (linked.clocks.is_none() && requests > 0).then_some(FEW);
            let names = (names[0].clone(), names[1].clone());
            let mut lost = self.lost.get(&hop).copied().unwrap_or_default();
            let followed = |at: &usize| found.binary_search(at).is_ok();
            let not_found = (0..self.calls.len()).filter(|at| self.calls[*at].hop == hop && !followed(at));
            not_found.for_each(|at| lost.add(&self.calls[at].exchange));
            told.push(Followed { names, requests, found: found.len() as u64, lacks, lost });
            for link in linked.links.iter().filter(|link| link.doubt.is_none()) {
                let frame = |at: usize| self.calls[at].exchange.request.frame;
                serves(frame(link.upper), frame(link.lower));
            }
            all.push(linked);
        }
        for fault in faults::all(&self.calls, &all, &self.ended) {
            self.tell(&fault, &mut tell);
        }
        told
    }

    /// What rests on a guess of a reader is not sure.
    fn doubt_guesses(&self, link: &mut Link) {
        let guessed = |call: &Call| {
            let kept = self.ended.get(&call.connection);
            kept.is_none_or(|kept| kept.ledger().guess(call.exchange.request.frame).is_some())
        };
        if [link.upper, link.lower].iter().any(|at| guessed(&self.calls[*at])) {
            link.doubt = link.doubt.or(Some("whose connection or sender it is was guessed"));
        }
    }

    fn tell(&self, fault: &faults::FaultFound, tell: &mut impl FnMut(&Event<'_>)) {
        let (upper, lower) = (&self.calls[fault.upper], &self.calls[fault.lower]);
        let (Some(kept), Some(below)) = (self.ended.get(&upper.connection), self.ended.get(&lower.connection)) else {
            return;
        };
        let name = |call: &Call| self.names.get(call.hop).map_or("", String::as_str);
        let hop = Hop {
            fault: fault.fault,
            upper: &upper.exchange,
            lower: &lower.exchange,
            names: (name(upper), name(lower)),
            doubt: fault.doubt,
        };
        tell(&Event {
            connection: kept.connection(),
            // What is absent is absent below.
            ledger: below.ledger(),
            profile: upper.exchange.profile,
            seen: hop.place(),
            sender: Some(hop.fault.sender()),
            what: What::Hop(hop),
        });
    }
}
