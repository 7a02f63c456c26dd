//! What a rule is: its metadata, and one function over one event.

use super::Duty;
use crate::capture::{Proof, Transport};
use crate::finding::{Absence, Evidence, Finding};
use crate::number::duration;
use crate::protocol::{Ruling, Severity};
use crate::session::{Certainty, Event, Exchange, FrameId, Judgement, Seen};

/// Which kind of event a rule looks at; the auditor calls it for no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum On {
    /// [`crate::session::What::Malformed`]
    Malformed,
    /// [`crate::session::What::Message`]
    Message,
    /// [`crate::session::What::VersionMissing`]
    VersionMissing,
    /// [`crate::session::What::Batch`]
    Batch,
    /// [`crate::session::What::BatchMismatch`]
    BatchMismatch,
    /// [`crate::session::What::Request`]
    Request,
    /// [`crate::session::What::IdReused`]
    IdReused,
    /// [`crate::session::What::NestedAfterCancel`]
    NestedAfterCancel,
    /// [`crate::session::What::Answer`]
    Answer,
    /// [`crate::session::What::NotificationAnswered`]
    NotificationAnswered,
    /// [`crate::session::What::Stray`]
    Stray,
    /// [`crate::session::What::Cancel`]
    Cancel,
    /// [`crate::session::What::LateAnswer`]
    LateAnswer,
    /// [`crate::session::What::Progress`]
    Progress,
    /// [`crate::session::What::ProgressAfterCancel`]
    ProgressAfterCancel,
    /// [`crate::session::What::NotificationAfterCancel`]
    NotificationAfterCancel,
    /// [`crate::session::What::Unacknowledged`]
    Unacknowledged,
    /// [`crate::session::What::Document`]
    Document,
    /// [`crate::session::What::EarlyRequest`]
    EarlyRequest,
    /// [`crate::session::What::AskedAnew`]
    AskedAnew,
    /// [`crate::session::What::Undeclared`]
    Undeclared,
    /// [`crate::session::What::Logged`]
    Logged,
    /// [`crate::session::What::Era`]
    Era,
    /// [`crate::session::What::Round`]
    Round,
    /// [`crate::session::What::NotOffered`]
    NotOffered,
    /// [`crate::session::What::Rescoped`]
    Rescoped,
    /// [`crate::session::What::Released`]
    Released,
    /// [`crate::session::What::Control`]
    Control,
    /// [`crate::session::What::Shortfall`]
    Shortfall,
    /// [`crate::session::What::Unvalidated`]
    Unvalidated,
    /// [`crate::session::What::ClosedAtWork`]
    ClosedAtWork,
    /// [`crate::session::What::Unsupported`]
    Unsupported,
    /// [`crate::session::What::NotSetUp`]
    NotSetUp,
    /// [`crate::session::What::Unannounced`]
    Unannounced,
    /// [`crate::session::What::Flawed`]
    Flawed,
    /// [`crate::session::What::Posted`]
    Posted,
    /// [`crate::session::What::Responded`]
    Responded,
    /// [`crate::session::What::Misplaced`]
    Misplaced,
    /// [`crate::session::What::Unsubscribed`]
    Unsubscribed,
    /// [`crate::session::What::Unrequested`]
    Unrequested,
    /// [`crate::session::What::WorkLeftOpen`]
    WorkLeftOpen,
    /// [`crate::session::What::TurnNotCancelled`]
    TurnNotCancelled,
    /// [`crate::session::What::TurnOutlivesClose`]
    TurnOutlivesClose,
    /// [`crate::session::What::UnknownTask`]
    UnknownTask,
    /// [`crate::session::What::Task`]
    Task,
    /// [`crate::session::What::TaskCancelAnswer`]
    TaskCancelAnswer,
    /// [`crate::session::What::PermissionAnswer`]
    PermissionAnswer,
    /// [`crate::session::What::UpdateAfterTurn`]
    UpdateAfterTurn,
    /// [`crate::session::What::Unanswered`]
    Unanswered,
    /// [`crate::session::What::ServerDied`]
    ServerDied,
    /// [`crate::session::What::Orphans`]
    Orphans,
    /// [`crate::session::What::Stalled`]
    Stalled,
    /// [`crate::session::What::Hop`]
    Hop,
    /// [`crate::session::What::Shape`]
    Shape,
    /// [`crate::session::What::End`]
    End,
    /// [`crate::session::What::Capture`]
    Capture,
}

/// One documented check.
pub struct Rule {
    /// Stable code, such as `CAN010`. Never changes meaning, never used again.
    pub code: &'static str,
    /// Slug, such as `response-after-cancel`: the name of its page and of its source file.
    pub name: &'static str,
    /// One line: what it finds.
    pub summary: &'static str,
    /// The event it looks at.
    pub on: On,
    /// Who can break it, and on which occasions.
    pub duty: Duty,
    /// What a log must show for it; without that it is reported as not decidable.
    pub needs: Proof,
    /// Which stretch of the log must be whole, so that what is not in it can be taken for absent and what stands in
    /// order for the order; else its findings are not decidable.
    pub absence: Absence,
    /// False for a rule that is off unless selected.
    pub default_on: bool,
    /// Its page in `docs/rules/`: documentation, `explain` text and test in one.
    pub page: &'static str,
    /// The check.
    pub check: fn(&Event<'_>) -> Option<Finding>,
}

impl Rule {
    /// True if it judges payloads, which a run looks at only where it is asked to.
    pub fn needs_schema(&self) -> bool {
        self.on == On::Shape
    }

    /// The option without which it judges nothing, `None` for a rule of every check.
    pub fn only_with(&self) -> Option<&'static str> {
        match self.default_on {
            false => Some("--select"),
            true => self.needs_schema().then_some("--schema"),
        }
    }

    /// What lists set behind it when not every check has it: ` (off)`, ` (with --schema)`.
    pub fn mark(&self) -> &'static str {
        match self.only_with() {
            None => "",
            Some("--schema") => " (with --schema)",
            Some(_) => " (off)",
        }
    }
}

/// Makes the finding of `code` for an event, or `None` where the event's profile has no such rule.
/// Severity and clause are those of the profile.
pub fn found(code: &'static str, event: &Event<'_>, summary: String) -> Option<Finding> {
    let ruling = match event.connection.transport {
        Transport::Http => event.profile.ruling_over_http(code),
        _ => event.profile.ruling(code),
    };
    Some(found_by(code, ruling?, event, summary))
}

/// The same by a ruling that was looked up already.
pub fn found_by(code: &'static str, ruling: &Ruling, event: &Event<'_>, summary: String) -> Finding {
    Finding { severity: ruling.severity, clause: ruling.clause, ..plain(code, event, summary) }
}

/// Like [`found`], for rules about the capture itself: always a note, without a clause.
pub fn noted(code: &'static str, event: &Event<'_>, summary: String) -> Option<Finding> {
    Some(plain(code, event, summary))
}

/// A note about an event, without a clause.
fn plain(code: &'static str, event: &Event<'_>, summary: String) -> Finding {
    Finding {
        code,
        severity: Severity::Note,
        certainty: Certainty::Violation,
        basis: None,
        profile: event.profile,
        clause: None,
        connection: event.connection.id,
        by: event.sender,
        exchange: None,
        frame: event.seen.frame,
        summary,
        evidence: Vec::new(),
        absence: None,
    }
}

/// Small steps that make a finding's text and evidence.
pub trait Build: Sized {
    /// Adds a message in a role.
    fn with(self, role: &'static str, seen: Seen) -> Self;
    /// Adds a message in a role, where there is one.
    fn maybe(self, role: &'static str, seen: Option<Seen>) -> Self {
        match seen {
            Some(seen) => self.with(role, seen),
            None => self,
        }
    }
    /// Names the exchange concerned and adds its request.
    fn about(self, exchange: &Exchange) -> Self;
    /// Names the exchange concerned by its request alone.
    fn about_request(self, request: Seen) -> Self;
    /// Sets certainty and basis.
    fn judged(self, judgement: &Judgement) -> Self;
}

impl Build for Finding {
    fn with(mut self, role: &'static str, seen: Seen) -> Finding {
        self.evidence.push(Evidence { role, frame: seen.frame });
        self
    }
    fn about(self, exchange: &Exchange) -> Finding {
        self.about_request(exchange.request)
    }
    fn about_request(mut self, request: Seen) -> Finding {
        self.exchange = Some(request.frame as FrameId);
        self.with("request", request)
    }
    fn judged(self, judgement: &Judgement) -> Finding {
        Finding::judged(self, judgement)
    }
}

/// How long after the first of two messages the second came, and what of the judgement rests on that.
pub fn race_text(judgement: &Judgement) -> String {
    let delta = judgement.delta_us.map_or(String::new(), |us| format!(" {} later", duration(us)));
    delta + &reserved(judgement)
}

/// What makes a judgement on two messages less than certain, as the end of a sentence; nothing where it is.
pub fn reserved(judgement: &Judgement) -> String {
    let bound = judgement.bound_us.map(duration);
    match (judgement.certainty, judgement.basis, bound) {
        (Certainty::Violation, Some(crate::session::Basis::Rtt), Some(bound)) => {
            format!("; unless the round trip exceeded {bound} at that moment")
        }
        (Certainty::Race, _, Some(bound)) => format!("; within {bound} the two may have crossed"),
        (Certainty::Race, _, None) => "; the two may have crossed".to_string(),
        (Certainty::Undecidable, _, _) => {
            format!("; not decidable: {}", judgement.reason.unwrap_or("the log does not show enough"))
        }
        _ => String::new(),
    }
}
