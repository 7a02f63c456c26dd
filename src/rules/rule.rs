//! What a rule is: its metadata, and one function over one event.

use super::Duty;
use crate::capture::{Proof, Transport};
use crate::finding::{Absence, Evidence, Finding};
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
    Finding {
        code,
        severity: ruling.severity,
        certainty: Certainty::Violation,
        basis: None,
        profile: event.profile,
        clause: ruling.clause,
        connection: event.connection.id,
        by: event.sender,
        exchange: None,
        frame: event.seen.frame,
        summary,
        evidence: Vec::new(),
        absence: None,
    }
}

/// Like [`found`], for rules about the capture itself: always a note, without a clause.
pub fn noted(code: &'static str, event: &Event<'_>, summary: String) -> Option<Finding> {
    Some(Finding {
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
    })
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

/// A duration for a sentence: `3.0 ms`, `4.20 s`, `3m 46s`. Its last digit is rounded, half a unit up.
pub fn duration(us: i64) -> String {
    let sign = if us < 0 { "-" } else { "" };
    let us = us.unsigned_abs();
    let rounded = |unit: u64| us.saturating_add(unit / 2) / unit;
    match us {
        0..1_000 => format!("{sign}{us} us"),
        1_000..9_950 => format!("{sign}{}.{} ms", rounded(100) / 10, rounded(100) % 10),
        9_950..999_500 => format!("{sign}{} ms", rounded(1_000)),
        999_500..9_995_000 => format!("{sign}{}.{:02} s", rounded(10_000) / 100, rounded(10_000) % 100),
        9_995_000..59_950_000 => format!("{sign}{}.{} s", rounded(100_000) / 10, rounded(100_000) % 10),
        59_950_000..3_599_500_000 => format!("{sign}{}m {:02}s", rounded(1_000_000) / 60, rounded(1_000_000) % 60),
        _ => format!("{sign}{}h {:02}m", rounded(60_000_000) / 60, rounded(60_000_000) % 60),
    }
}

/// How the race came out, as the end of a sentence: `, 31.2 s after the cancel` and what that rests on.
pub fn race_text(judgement: &Judgement) -> String {
    let delta = judgement.delta_us.map_or(String::new(), |us| format!(" {} later", duration(us)));
    let bound = judgement.bound_us.map(duration);
    match (judgement.certainty, judgement.basis, bound) {
        (Certainty::Violation, Some(crate::session::Basis::Rtt), Some(bound)) => {
            format!("{delta}; unless the round trip exceeded {bound} at that moment")
        }
        (Certainty::Race, _, Some(bound)) => format!("{delta}; within {bound} the two may have crossed"),
        (Certainty::Race, _, None) => format!("{delta}; the two may have crossed"),
        (Certainty::Undecidable, _, _) => {
            format!("{delta}; not decidable: {}", judgement.reason.unwrap_or("the log does not show enough"))
        }
        _ => delta,
    }
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn the_last_digit_is_rounded_half_a_unit_up() {
        let told = [
            (999, "999 us"),
            (9_949, "9.9 ms"),
            (9_950, "10 ms"),
            (19_500, "20 ms"),
            (999_499, "999 ms"),
            (999_500, "1.00 s"),
            (9_994_999, "9.99 s"),
            (9_995_000, "10.0 s"),
            (59_949_999, "59.9 s"),
            (59_950_000, "1m 00s"),
            (226_500_000, "3m 47s"),
            (3_599_500_000, "1h 00m"),
            (7_530_000_000, "2h 06m"),
            (-3_000, "-3.0 ms"),
        ];
        for (us, text) in told {
            assert_eq!(duration(us), text, "{us}");
        }
    }
}
