//! Requests that are recorded when they come, and once more with their answers: one exchange in two records.
//!
//! Where a log does so as a rule (`announces`), the first record tells when its request was sent, and the second when it was
//! answered. A request of which there is no second record is in flight.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::body::part;
use super::layout::{Layout, Slot};
use super::told::Told;
use super::{Exchange, Origin, Part};

/// How many requests have to stand in both records.
const SEVERAL: usize = 2;

/// How much waits for its answer: requests, and their bytes.
const WAITING: (usize, usize) = (4096, 32 << 20);

/// How many requests of one text are looked at.
const ALIKE: usize = 64;

/// True if most answers of a log stand beside a request that a record before them has alone.
pub(super) fn announces(texts: &[&str], layout: &Layout) -> bool {
    let at = |slot, text| layout.paths(slot).find_map(|path| path.member_of(text)).filter(|raw| *raw != "null");
    let (mut alone, mut twice, mut once) = (FxHashSet::default(), 0, 0);
    for text in texts {
        let Some(request) = at(Slot::Request, *text) else { continue };
        if !part(request, 0, false, None).text().is_some_and(asks) {
            continue;
        }
        match (at(Slot::Response, *text), alone.contains(request)) {
            (None, _) => drop(alone.insert(request)),
            (Some(_), true) => twice += 1,
            (Some(_), false) => once += 1,
        }
    }
    twice >= SEVERAL && twice > once
}

/// True for a request that wants an answer.
fn asks(text: &str) -> bool {
    Told::of(text).requests().next().is_some()
}

/// The requests that wait for the records of their answers.
#[derive(Default)]
pub(super) struct Announced<'a> {
    pub(super) is_on: bool,
    /// By the order in which they came.
    waiting: BTreeMap<u64, (u64, Exchange<'a>)>,
    alike: FxHashMap<u64, VecDeque<u64>>,
    count: u64,
    bytes: usize,
}

impl<'a> Announced<'a> {
    /// Nothing yet; `is_on` where a log does so.
    pub(super) fn new(is_on: bool) -> Announced<'a> {
        Announced { is_on, ..Announced::default() }
    }

    /// Gives an exchange, or keeps it until its answer comes; false for other traffic.
    pub(super) fn take(&mut self, exchange: Exchange<'a>, give: &mut dyn FnMut(Exchange<'a>) -> bool) -> bool {
        let timed = exchange.start_us.or(exchange.end_us).is_some();
        if !self.is_on || !timed || !exchange.request.text().is_some_and(asks) {
            return give(exchange);
        }
        let name = name(&exchange);
        if exchange.response != Part::Absent || exchange.status.is_some() {
            return match self.asked(name, &exchange) {
                Some(asked) => give(joined(asked, exchange)),
                None => give(exchange),
            };
        }
        self.wait(name, exchange);
        while self.waiting.len() > WAITING.0 || self.bytes > WAITING.1 {
            let Some((number, (name, oldest))) = self.waiting.pop_first() else { break };
            self.forget(name, number, &oldest);
            give(oldest);
        }
        true
    }

    /// Gives what was not answered.
    pub(super) fn end(&mut self, give: &mut dyn FnMut(Exchange<'a>) -> bool) {
        self.alike.clear();
        self.bytes = 0;
        for (_, exchange) in std::mem::take(&mut self.waiting).into_values() {
            give(exchange);
        }
    }

    fn wait(&mut self, name: u64, exchange: Exchange<'a>) {
        self.count += 1;
        self.bytes += length(&exchange);
        self.alike.entry(name).or_default().push_back(self.count);
        self.waiting.insert(self.count, (name, exchange));
    }

    /// The request that was answered; the answer to a handshake is the first to name its session.
    fn asked(&mut self, name: u64, answered: &Exchange<'_>) -> Option<Exchange<'a>> {
        let same = |number: &&u64| {
            let (_, asked) = &self.waiting[*number];
            asked.session.is_none() || asked.session == answered.session
        };
        let number = *self.alike.get(&name)?.iter().take(ALIKE).find(same)?;
        let (_, asked) = self.waiting.remove(&number)?;
        self.forget(name, number, &asked);
        Some(asked)
    }

    fn forget(&mut self, name: u64, number: u64, exchange: &Exchange<'_>) {
        self.bytes -= length(exchange);
        if let Some(alike) = self.alike.get_mut(&name) {
            // It is one of the first.
            if let Some(at) = alike.iter().position(|known| *known == number) {
                alike.remove(at);
            }
            if alike.is_empty() {
                self.alike.remove(&name);
            }
        }
    }
}

fn length(exchange: &Exchange<'_>) -> usize {
    exchange.request.text().map_or(0, str::len)
}

/// What a request and its answer have in common.
fn name(exchange: &Exchange<'_>) -> u64 {
    let mut hasher = FxHasher::default();
    (exchange.request.text(), &exchange.key, &exchange.url).hash(&mut hasher);
    hasher.finish()
}

/// One exchange of the record of its request and that of its answer.
fn joined<'a>(asked: Exchange<'a>, answered: Exchange<'a>) -> Exchange<'a> {
    let origin = |exchange: &Exchange<'_>, half: usize| {
        exchange.halves.map_or(Origin { line: exchange.line, offset: 0, at: 0 }, |halves| halves[half])
    };
    Exchange {
        halves: Some([origin(&asked, 0), origin(&answered, 1)]),
        start_us: asked.start_us.or(asked.end_us),
        end_us: answered.end_us.or(answered.start_us),
        written_us: [asked.written_us[1], answered.written_us[1]],
        said: asked.said,
        request: asked.request,
        ..answered
    }
}
