//! Race reasoning: from the order and the times at one tap, what can a side have known?
//!
//! Only "acted although it had already received" needs an argument (`docs/architecture.md`): it rests, in this order, on
//! content, a causal barrier, the vantage, or an upper bound of the round trip. A round trip bound can accuse, never acquit.

use std::collections::VecDeque;

use serde::Serialize;

use super::seen::{FrameId, Seen};
use super::settings::Settings;
use crate::capture::{Stamp, Vantage};
use crate::protocol::Side;

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// Proven, on the stated basis where one was needed.
    Violation,
    /// The two messages may have crossed on the wire.
    Race,
    /// The log cannot tell.
    Undecidable,
}

impl Certainty {
    /// The word used everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Certainty::Violation => "violation",
            Certainty::Race => "race",
            Certainty::Undecidable => "undecidable",
        }
    }
}

/// What a certainty rests on, where a latency argument was needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// The message itself shows that its sender knew.
    Content,
    /// A later message was answered before: first in, first out.
    Causal,
    /// The tap sits at the deciding side.
    Vantage,
    /// An upper bound of the round trip was exceeded (or not).
    Rtt,
}

impl Basis {
    /// The word used everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Basis::Content => "content",
            Basis::Causal => "causal",
            Basis::Vantage => "vantage",
            Basis::Rtt => "rtt",
        }
    }
}

/// A certainty with what it rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// How sure.
    pub certainty: Certainty,
    /// On what, where a latency argument was needed.
    pub basis: Option<Basis>,
    /// Microseconds between the two messages at the tap, where known.
    pub delta_us: Option<i64>,
    /// The bound that `delta_us` was held against in microseconds, where there is one.
    pub bound_us: Option<i64>,
    /// Why the log cannot tell, in words, where it cannot.
    pub reason: Option<&'static str>,
    /// What proves it, where the basis is causal.
    pub witness: Option<Witness>,
}

/// A request that was sent after a message, and its answer: on an ordered channel, whoever has answered it had received
/// that message, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The request.
    pub request: FrameId,
    /// Its answer.
    pub answer: FrameId,
}

/// Why nothing is known of a token any more: its request was superseded by another one with its id,
pub(super) const USED_AGAIN: &str = "ids were used again in flight, and what the request before gave is not remembered";

/// or was forgotten.
pub(super) const FORGOTTEN: &str = "too many requests came since, and their tokens are not remembered";

/// Why a cancel proves nothing that followed its request closely.
const OVERTAKEN: &str = "the cancel may have come before its request: each went its own way";

/// Why the time of a message is not that of its sending.
const REDELIVERED: &str =
    "it came on a stream that was taken up again, and may have been written before the stream broke off";

/// Why the difference of two times is no delay.
const STEPPED: &str =
    "the clock of the log was set back around these messages, and may have been set forward again between them";

/// Why the time since a message proves nothing.
const UNHEARD: &str = "nothing had come from that side before: it may have been starting";

/// Why a request that stands behind its cancel may have come before it.
pub(super) const AGAINST_TIME: &str = "the times of the log say that the request came first";

/// Why nothing tells which request a report on progress is about.
pub(super) const TAKEN_OVER: &str =
    "a request that was not answered had given the token, too, and one of the reports may be about that one";

/// Why the order of two messages proves nothing.
pub(super) const UNORDERED: &str = "messages of two HTTP streams have no order";

/// Why an answer does not tell how things stood when it was sent.
pub(super) const UNDER_WAY: &str = "the answer was under way when that was told, and may tell what was before";

impl Judgement {
    /// Proven by order alone, at any vantage.
    pub const EXACT: Judgement = Judgement {
        certainty: Certainty::Violation,
        basis: None,
        delta_us: None,
        bound_us: None,
        reason: None,
        witness: None,
    };

    /// The log cannot tell, for this reason.
    pub const fn undecidable(reason: &'static str) -> Judgement {
        Judgement { certainty: Certainty::Undecidable, reason: Some(reason), ..Judgement::EXACT }
    }

    /// `EXACT`, or undecidable for `reason` where `known` is false.
    pub fn exact_if(known: bool, reason: &'static str) -> Judgement {
        if known { Judgement::EXACT } else { Judgement::undecidable(reason) }
    }
}

/// How long before and after a suspect its latency samples may lie, in microseconds.
const NEAR_US: i64 = 60_000_000;
/// How many recent samples a leg keeps; half of them may come after a suspect before it is judged.
const RECENT: usize = 128;
/// How many samples of quick exchanges stand for the whole connection.
const LONG_TERM: usize = 64;

/// A hundred of them are held for each side of a connection.
#[derive(Clone, Copy, Debug)]
struct Sample {
    at_us: i64,
    /// The latency, never negative, and in the lowest bit whether the exchange was a quick one.
    latency: u64,
}

impl Sample {
    fn new(at_us: i64, latency_us: i64, quick: bool) -> Sample {
        Sample { at_us, latency: (latency_us as u64) << 1 | u64::from(quick) }
    }

    fn latency_us(self) -> i64 {
        (self.latency >> 1) as i64
    }

    fn quick(self) -> bool {
        self.latency & 1 == 1
    }
}

/// Latency samples of one leg: between the tap and one side. Each is an upper bound of a round trip.
#[derive(Clone, Debug, Default)]
pub(super) struct Leg {
    recent: VecDeque<Sample>,
    quick: Vec<i64>,
    least: Option<i64>,
    /// How many samples there were in all.
    pub(super) count: u64,
}

impl Leg {
    /// Takes a sample: something passed towards the side, and what it caused came back `latency_us` later.
    pub(super) fn sample(&mut self, at_us: i64, latency_us: i64, quick: bool) {
        if latency_us < 0 {
            return;
        }
        self.count += 1;
        self.least = Some(self.least.map_or(latency_us, |least| least.min(latency_us)));
        if quick && self.quick.len() < LONG_TERM {
            self.quick.push(latency_us);
        }
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(Sample::new(at_us, latency_us, quick));
    }

    /// What comes may be another side: what was measured bounds nothing of it.
    pub(super) fn forget(&mut self) {
        self.recent.clear();
        self.quick.clear();
        self.least = None;
    }

    /// The bound on the round trip around `at_us`: the median of the quick exchanges where there are three, else the
    /// least of all; from samples within a minute, or of the whole connection where those are fewer than three.
    fn bound(&self, at_us: i64) -> Option<i64> {
        let near: Vec<Sample> =
            self.recent.iter().copied().filter(|sample| (sample.at_us - at_us).abs() <= NEAR_US).collect();
        if near.len() < 3 {
            return median_of_three(self.quick.clone()).or(self.least);
        }
        let quick = near.iter().filter(|sample| sample.quick()).map(|sample| sample.latency_us()).collect();
        median_of_three(quick).or(near.iter().map(|sample| sample.latency_us()).min())
    }
}

/// The median, where there are at least three values.
fn median_of_three(mut values: Vec<i64>) -> Option<i64> {
    if values.len() < 3 {
        return None;
    }
    values.sort_unstable();
    Some(values[(values.len() - 1) / 2])
}

/// One question to the race reasoning: `decider` sent `second` after the tap had seen `first` go towards it.
/// Had it received `first`?
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    pub(super) decider: Side,
    pub(super) first: Seen,
    pub(super) second: Seen,
    /// The message itself shows that its sender knew.
    pub(super) content: bool,
    /// A message sent after `first` was answered before `second`, on an ordered channel.
    pub(super) barrier: Option<Witness>,
    /// `leg.count` when the second message passed.
    pub(super) samples_before: u64,
    /// How long before `first` that was sent what it is about, microseconds, where nothing keeps the two in order.
    pub(super) apart_us: Option<i64>,
    /// When the first message of the decider came, in microseconds since the epoch: before it, he may not have been there to read.
    pub(super) heard_us: Option<i64>,
    /// How much of the time between the two the clock of the log may have jumped over, microseconds.
    pub(super) jumped_us: i64,
    /// True where `second` may have been written long before it passed, and kept for a stream that broke off.
    pub(super) redelivered: bool,
}

impl Crossing {
    /// Why a delay over this limit proves nothing, where it does not.
    fn doubt(&self, delta: i64, limit: i64) -> Option<&'static str> {
        let overtaken = self.apart_us.is_some_and(|apart| apart <= limit);
        let stepped = delta - self.jumped_us <= limit;
        let doubts = [(self.redelivered, REDELIVERED), (overtaken, OVERTAKEN), (stepped, STEPPED)];
        doubts.into_iter().find_map(|(holds, reason)| holds.then_some(reason))
    }

    /// True if the decider had been heard long enough before `second`.
    fn was_there(&self, limit_us: i64) -> bool {
        self.second.at_us.zip(self.heard_us).is_none_or(|(second, heard)| second - heard > limit_us)
    }
}

/// What can be said at once.
pub(super) enum Verdict {
    /// Two taps prove that the messages crossed.
    Crossed,
    /// Decided.
    Now(Judgement),
    /// Samples that are still to come may matter.
    Wait,
}

/// Everything about a tap that the reasoning needs.
pub(super) struct Tap<'a> {
    pub(super) settings: &'a Settings,
    pub(super) vantage: Vantage,
    pub(super) resolution_us: i64,
    /// False as long as all times of the connection are equal.
    pub(super) timed: bool,
    pub(super) leg: &'a Leg,
    /// Stamps at the decider's own tap, for `first` and `second`, where the capture merges two.
    pub(super) stamps: Option<(Option<Stamp>, Option<Stamp>)>,
}

impl Tap<'_> {
    fn slack(&self) -> i64 {
        self.settings.slack_us + self.resolution_us
    }

    /// The verdict, as far as it does not need samples that are still to come.
    pub(super) fn at_once(&self, crossing: &Crossing) -> Verdict {
        if let Some(stamps) = self.stamps {
            return self.two_taps(crossing, stamps);
        }
        let delta_us = crossing.second.since(crossing.first);
        let sure = |basis| Judgement { basis: Some(basis), delta_us, ..Judgement::EXACT };
        if crossing.content {
            return Verdict::Now(sure(Basis::Content));
        }
        if crossing.barrier.is_some() {
            return Verdict::Now(Judgement { witness: crossing.barrier, ..sure(Basis::Causal) });
        }
        let delta = match delta_us {
            None => return Verdict::Now(Judgement::undecidable("the log has no usable time for these messages")),
            Some(..0) => {
                return Verdict::Now(Judgement::undecidable("the times of these messages contradict their order"));
            }
            Some(delta) => delta,
        };
        if !self.timed {
            return Verdict::Wait;
        }
        if self.vantage.side() == Some(crossing.decider) {
            return Verdict::Now(self.at_the_decider(crossing, delta));
        }
        // Only more samples could change it, until enough have come.
        if self.leg.count < crossing.samples_before + RECENT as u64 / 2 {
            return Verdict::Wait;
        }
        Verdict::Now(self.by_round_trip(crossing, delta))
    }

    /// The verdict with the samples there are now.
    pub(super) fn at_last(&self, crossing: &Crossing) -> Option<Judgement> {
        match self.at_once(crossing) {
            Verdict::Crossed => None,
            Verdict::Now(judgement) => Some(judgement),
            Verdict::Wait if !self.timed => Some(Judgement::undecidable("all times in the log are equal")),
            Verdict::Wait => crossing.second.since(crossing.first).map(|delta| self.by_round_trip(crossing, delta)),
        }
    }

    fn at_the_decider(&self, crossing: &Crossing, delta: i64) -> Judgement {
        let slack = self.slack();
        let doubt = crossing.doubt(delta, slack);
        let (certainty, reason) = match (delta > slack, doubt) {
            (false, _) => (Certainty::Race, None),
            (true, Some(reason)) => (Certainty::Undecidable, Some(reason)),
            (true, None) => (Certainty::Violation, None),
        };
        Judgement { certainty, basis: Some(Basis::Vantage), delta_us: Some(delta), reason, ..Judgement::EXACT }
    }

    fn two_taps(&self, crossing: &Crossing, stamps: (Option<Stamp>, Option<Stamp>)) -> Verdict {
        let (Some(first), Some(second)) = stamps else {
            return Verdict::Now(Judgement::undecidable("one of the messages was not seen at the deciding side"));
        };
        if first.seq > second.seq {
            return Verdict::Crossed;
        }
        if crossing.content {
            return Verdict::Now(Judgement { basis: Some(Basis::Content), ..Judgement::EXACT });
        }
        match (first.at_us, second.at_us) {
            (Some(first), Some(second)) if second >= first => {
                Verdict::Now(self.at_the_decider(crossing, second - first))
            }
            _ => Verdict::Now(Judgement::undecidable("the log has no usable time for these messages")),
        }
    }

    fn by_round_trip(&self, crossing: &Crossing, delta: i64) -> Judgement {
        let at_us = crossing.second.at_us.unwrap_or_default();
        let Some(bound) = self.leg.bound(at_us) else {
            return Judgement {
                delta_us: Some(delta),
                ..Judgement::undecidable("no exchange in the log bounds the round trip to that side")
            };
        };
        let limit = (bound.max(self.resolution_us) as f64 * self.settings.factor) as i64 + self.slack();
        let judged = |certainty, reason| Judgement {
            certainty,
            basis: Some(Basis::Rtt),
            delta_us: Some(delta),
            bound_us: Some(limit),
            reason,
            witness: None,
        };
        let doubt = crossing.doubt(delta, limit);
        match delta > limit {
            true if doubt.is_some() => judged(Certainty::Undecidable, doubt),
            true if !crossing.was_there(limit) => judged(Certainty::Undecidable, Some(UNHEARD)),
            true if self.settings.proof_only => {
                judged(Certainty::Undecidable, Some("only a round-trip bound speaks for it, and proof was asked for"))
            }
            true => judged(Certainty::Violation, None),
            false => judged(Certainty::Race, None),
        }
    }
}

/// True once a suspect from `at_us` need not wait any longer at time `now_us`.
pub(super) fn ripe(at_us: Option<i64>, now_us: Option<i64>) -> bool {
    match (at_us, now_us) {
        (Some(at), Some(now)) => now - at > NEAR_US,
        _ => true,
    }
}

#[cfg(test)]
mod tests;
