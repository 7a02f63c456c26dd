//! A finding: one rule, one clause, the messages that prove it. Severity, certainty and basis are kept apart.

use crate::protocol::{Clause, Profile};
use crate::session::{Basis, Certainty, FrameId, Judgement};

pub use crate::protocol::Severity;

/// A message that proves a finding, and in which role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// `request`, `cancel`, `response`, `progress`, `close` ...
    pub role: &'static str,
    /// The frame.
    pub frame: FrameId,
}

/// What a rule found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Code of the rule.
    pub code: &'static str,
    /// Effective severity: a note unless the certainty is a violation.
    pub severity: Severity,
    /// How sure.
    pub certainty: Certainty,
    /// What the certainty rests on, where a latency argument was needed.
    pub basis: Option<Basis>,
    /// The profile that was applied.
    pub profile: &'static Profile,
    /// The clause, where the rule rests on one.
    pub clause: Option<&'static Clause>,
    /// Connection, as an index of the fold.
    pub connection: u32,
    /// The exchange concerned, by its request's frame.
    pub exchange: Option<FrameId>,
    /// The offending message.
    pub frame: FrameId,
    /// One sentence: what happened. Text from the log in it is as it was; escape it at the output.
    pub summary: String,
    /// The messages that prove it, in order of time.
    pub evidence: Vec<Evidence>,
}

impl Finding {
    /// Sets what a judgement says; anything but a violation makes it a note.
    pub fn judged(mut self, judgement: &Judgement) -> Finding {
        self.certainty = judgement.certainty;
        self.basis = judgement.basis;
        if judgement.certainty != Certainty::Violation {
            self.severity = Severity::Note;
        }
        self
    }
}
