//! The same run as worse logs show it: cut, with holes, without senders, mixed with another one.

use rpctape::capture::{Direction, Proof, Vantage, Why};
use rpctape::protocol::Side;

use super::rng::Rng;
use super::sim::Sim;
use crate::support::trace::{Step, Trace, What};

/// What is done to a log, in this order: what is cut must not take along what says that something else is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Harm {
    /// It starts in the middle.
    Head,
    /// It ends in the middle.
    Tail,
    /// Messages are lost at some places, and it says where.
    Holes,
    /// From somewhere on a kind of message is left out.
    Dropped,
    /// Messages that may be another connection's stand among its own.
    Guessed,
    /// From somewhere on another connection's messages stand among its own.
    Mixed,
    /// It does not say who sent some of the messages.
    Senders,
    /// It says who sent them in its own terms: sent and received.
    Terms,
    /// It tells whole seconds.
    Seconds,
    /// Nothing declares the protocol.
    Protocol,
}

pub const HARMS: [Harm; 10] = [
    Harm::Head,
    Harm::Tail,
    Harm::Holes,
    Harm::Dropped,
    Harm::Guessed,
    Harm::Mixed,
    Harm::Senders,
    Harm::Terms,
    Harm::Seconds,
    Harm::Protocol,
];

/// A log that was harmed, and what became of each step of the whole one.
pub struct Degraded {
    pub trace: Trace,
    pub harms: Vec<Harm>,
    /// For each step, the step of the whole log that it was; none for what was put in.
    pub origin: Vec<Option<usize>>,
}

impl Degraded {
    pub fn new(trace: Trace) -> Degraded {
        let origin = (0..trace.steps.len()).map(Some).collect();
        Degraded { trace, harms: Vec::new(), origin }
    }

    /// Does one kind of harm. `other` is another run's log, of the same protocol.
    pub fn harm(&mut self, rng: &mut Rng, harm: Harm, other: &Trace) {
        let count = self.trace.steps.len() as i64;
        if count < 2 {
            return;
        }
        self.harms.push(harm);
        match harm {
            Harm::Head => {
                let from = rng.between(1, count - 1) as usize;
                self.trace.steps.drain(..from);
                self.origin.drain(..from);
                self.trace.channel.complete_head = *rng.pick(&[None, Some(false)]);
            }
            Harm::Tail => {
                let to = rng.between(1, count - 1) as usize;
                self.trace.steps.truncate(to);
                self.origin.truncate(to);
                if rng.chance(30) {
                    self.insert(to, missing(&self.trace, to, Why::Torn, None, false));
                }
            }
            Harm::Holes => (0..rng.between(1, 3)).for_each(|_| self.hole(rng)),
            Harm::Dropped => self.drop_kind(rng),
            Harm::Guessed => self.mingle(rng, other, Why::Guessed),
            Harm::Mixed => self.mingle(rng, other, Why::Mixed),
            Harm::Senders => {
                let all = rng.chance(50);
                for step in &mut self.trace.steps {
                    if all || rng.chance(30) {
                        step.side = None;
                    }
                }
            }
            Harm::Terms => {
                self.trace.logger = Some(*rng.pick(&Side::BOTH));
                self.trace.channel.vantage = Vantage::Unknown;
            }
            Harm::Seconds => {
                self.trace.steps.iter_mut().for_each(|step| step.at_ms -= step.at_ms.rem_euclid(1000));
                self.trace.channel.resolution_us = 1_000_000;
            }
            Harm::Protocol => self.trace.channel.profile = None,
        }
    }

    fn insert(&mut self, at: usize, step: Step) {
        self.trace.steps.insert(at, step);
        self.origin.insert(at, None);
    }

    fn remove(&mut self, at: usize) {
        self.trace.steps.remove(at);
        self.origin.remove(at);
    }

    /// Some messages near each other, of both sides or of one, are lost; each hole says so where they stood.
    fn hole(&mut self, rng: &mut Rng) {
        let mut here = rng.between(0, self.trace.steps.len() as i64) as usize;
        let whose = *rng.pick(&[None, None, Some(Side::Client), Some(Side::Server)]);
        let why = *rng.pick(&[Why::Gap, Why::Unread]);
        let anywhere = rng.chance(25);
        let mut said = false;
        for _ in 0..rng.between(0, 6) {
            let Some(step) = self.trace.steps.get(here).filter(|step| !matches!(step.what, What::Missing { .. }))
            else {
                break;
            };
            if whose.is_none() || step.side.is_none() || step.side == whose {
                if !said {
                    self.insert(here, missing(&self.trace, here, why, whose, anywhere));
                    here += 1;
                }
                said = true;
                self.remove(here);
            } else {
                said = false;
                here += 1;
            }
        }
    }

    fn drop_kind(&mut self, rng: &mut Rng) {
        let from = rng.between(0, self.trace.steps.len() as i64) as usize;
        let whose = *rng.pick(&[None, Some(Side::Client), Some(Side::Server)]);
        let word = *rng.pick(&["\"method\":", "\"result\":", "\"error\":", "notifications/", "\"id\":"]);
        let dropped = |step: &Step| {
            let kind = matches!(&step.what, What::Json(text) if text.contains(word));
            kind && (whose.is_none() || step.side.is_none() || step.side == whose)
        };
        let gone: Vec<usize> = (from..self.trace.steps.len()).filter(|at| dropped(&self.trace.steps[*at])).collect();
        gone.into_iter().rev().for_each(|at| self.remove(at));
        self.insert(from, missing(&self.trace, from, Why::Dropped, whose, false));
    }

    /// Puts messages of another run among these.
    fn mingle(&mut self, rng: &mut Rng, other: &Trace, why: Why) {
        let messages: Vec<&Step> = other.steps.iter().filter(|step| matches!(step.what, What::Json(_))).collect();
        let from = rng.between(0, self.trace.steps.len() as i64) as usize;
        let start = self.trace.steps.get(from).map_or(i64::MAX, |step| step.at_ms);
        if why == Why::Mixed {
            self.insert(from, missing(&self.trace, from, why, None, false));
        }
        for step in messages {
            if step.at_ms < start || why == Why::Guessed && rng.chance(70) {
                continue;
            }
            let later = |old: &Step| old.at_ms > step.at_ms;
            let at = self.trace.steps.iter().skip(from).position(later).map_or(self.trace.steps.len(), |at| from + at);
            // Not between a guess and what was guessed about.
            let at = if at > from && guess(&self.trace.steps[at - 1]) { at - 1 } else { at.max(from + 1) };
            let at = at.min(self.trace.steps.len());
            let direction =
                self.trace.steps.first().and_then(|step| step.side).map_or(Direction::Unknown, Direction::By);
            let side = if direction == Direction::Unknown { None } else { step.side };
            self.insert(at, Step { side, ..step.clone() });
            if why == Why::Guessed {
                self.insert(at, missing(&self.trace, at, why, None, rng.chance(25)));
            }
        }
    }
}

fn guess(step: &Step) -> bool {
    matches!(step.what, What::Missing { why: Why::Guessed, .. })
}

fn missing(trace: &Trace, at: usize, why: Why, side: Option<Side>, anywhere: bool) -> Step {
    let near = trace.steps.get(at).or(trace.steps.last());
    let at_ms = near.map_or(0, |step| step.at_ms);
    Step { at_ms, side, stream: None, hop: 1, what: What::Missing { why, anywhere } }
}

/// Two clients that nothing tells apart, each with a run of its own.
pub fn together(first: &Sim, second: &Sim, vantage: Vantage) -> Trace {
    let (mut both, mut more) = (first.trace(vantage), second.trace(vantage));
    for step in &mut more.steps {
        step.stream = step.stream.map(|stream| stream + 100_000);
    }
    both.steps.append(&mut more.steps);
    both.steps.retain(|step| step.stream.is_some());
    both.steps.sort_by_key(|step| step.at_ms);
    both.channel.proof = both.channel.proof.without(Proof::CLIENT);
    both
}
