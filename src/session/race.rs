//! Race reasoning: from the order and the times at one tap, what can a side have known?
//!
//! Only "acted although it had already received" needs an argument (`docs/races.md`); it rests, in this order, on
//! content, a causal barrier, the vantage, or an upper bound of the round trip. A round trip bound can accuse, never acquit.

use serde::Serialize;

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
}

impl Judgement {
    /// Proven by order alone, at any vantage.
    pub const EXACT: Judgement =
        Judgement { certainty: Certainty::Violation, basis: None, delta_us: None, bound_us: None, reason: None };

    /// The log cannot tell, for this reason.
    pub const fn undecidable(reason: &'static str) -> Judgement {
        Judgement { certainty: Certainty::Undecidable, basis: None, delta_us: None, bound_us: None, reason: Some(reason) }
    }

    /// `EXACT`, or undecidable for `reason` where `known` is false.
    pub fn exact_if(known: bool, reason: &'static str) -> Judgement {
        if known { Judgement::EXACT } else { Judgement::undecidable(reason) }
    }
}
