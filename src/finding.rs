//! A finding: one rule, one clause, the messages that prove it. Severity, certainty and basis are kept apart.

use crate::protocol::{About, Clause, Profile, Side};
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

/// Whose messages must be whole in a stretch, seen from the side that the event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// That side: it sent the message, or owes one.
    Sender,
    /// The other side.
    Peer,
    /// Both.
    Both,
    /// That side, which owes an answer, and the other where a cancel of its would have excused it.
    Owing,
}

/// What a rule concludes from absence, from order or from the identity of an id, and where it must be sure of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// Nothing: the messages of its evidence say it all.
    None,
    /// Something was not there from the beginning of the connection to the message that the finding points at.
    Before(Whose),
    /// Something did not come from the first message of the evidence to the end.
    Since(Whose),
    /// Something was not there between the first and the last message of the evidence.
    Between(Whose),
    /// The same, and what was not there would have been said by a message about this: one of which a part was taken out may have said it.
    Unsaid(Whose, About),
    /// No other request had the id of the exchange between them: only a request that was lost there would matter.
    Reused(Whose),
    /// Something was not there from the first of these frames to the second.
    Within(Whose, FrameId, FrameId),
}

/// Findings of one profile, clause, rule, side and certainty, counted.
#[derive(Clone, Debug)]
pub struct Breach {
    /// The profile.
    pub profile: &'static Profile,
    /// Name of the clause.
    pub clause: String,
    /// Code of the rule.
    pub code: String,
    /// Whose fault it is, where it is one of a side.
    pub side: Option<Side>,
    /// True if it is proven.
    pub violation: bool,
    /// How many.
    pub count: u64,
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
    /// Whose fault it is, where it is one of a side.
    pub by: Option<Side>,
    /// The exchange concerned, by its request's frame.
    pub exchange: Option<FrameId>,
    /// The offending message.
    pub frame: FrameId,
    /// One sentence: what happened. Text from the log in it is as it was; escape it at the output.
    pub summary: String,
    /// The messages that prove it, in order of time.
    pub evidence: Vec<Evidence>,
    /// What it concludes from absence, where that is not what its rule mostly does.
    pub absence: Option<Absence>,
}

impl Finding {
    /// Says what it concludes from absence, where that is not what its rule mostly does.
    pub fn concluding(mut self, absence: Absence) -> Finding {
        self.absence = Some(absence);
        self
    }

    /// The log cannot prove it, for this reason.
    pub fn undecidable(mut self, reason: &str) -> Finding {
        self.certainty = Certainty::Undecidable;
        self.basis = None;
        self.severity = Severity::Note;
        self.summary.push_str("; not decidable: ");
        self.summary.push_str(reason);
        self
    }

    /// Sets what a judgement says; anything but a violation makes it a note.
    pub fn judged(mut self, judgement: &Judgement) -> Finding {
        self.certainty = judgement.certainty;
        self.basis = judgement.basis;
        if let Some(witness) = judgement.witness {
            let role = "witness";
            self.evidence.extend([witness.request, witness.answer].map(|frame| Evidence { role, frame }));
            self.evidence.sort_by_key(|evidence| evidence.frame);
        }
        if judgement.certainty != Certainty::Violation {
            self.severity = Severity::Note;
        }
        self
    }
}
