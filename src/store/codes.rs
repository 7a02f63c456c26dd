//! Small numbers in the tables for the words of the other layers, in one place.

use crate::capture::{Body, Direction, Frame, Transport};
use crate::jsonrpc;
use crate::protocol::{Profile, Severity, Side, by_name, profiles};
use crate::session::{Basis, Certainty, Outcome};

/// What `frame.kind` holds.
pub(super) mod kind {
    pub const REQUEST: i64 = 0;
    pub const NOTIFICATION: i64 = 1;
    pub const RESULT: i64 = 2;
    pub const ERROR: i64 = 3;
    pub const MALFORMED: i64 = 4;
    pub const UNCLASSIFIED: i64 = 5;
    pub const BATCH: i64 = 6;
    pub const OPEN: i64 = 7;
    pub const CLOSE: i64 = 8;
    pub const EXIT: i64 = 9;
    pub const STDERR: i64 = 10;
    pub const GAP: i64 = 11;
    pub const HTTP: i64 = 12;
    pub const SSE: i64 = 13;
}

pub(super) fn message_kind(message: jsonrpc::Kind) -> i64 {
    match message {
        jsonrpc::Kind::Request => kind::REQUEST,
        jsonrpc::Kind::Notification => kind::NOTIFICATION,
        jsonrpc::Kind::Result => kind::RESULT,
        jsonrpc::Kind::Error => kind::ERROR,
        jsonrpc::Kind::Unclassified => kind::UNCLASSIFIED,
    }
}

pub(super) fn frame_kind(frame: &Frame<'_>) -> i64 {
    match &frame.body {
        Body::Message(captured) => message_kind(captured.message.kind),
        Body::Batch { .. } => kind::BATCH,
        Body::Malformed { .. } => kind::MALFORMED,
        Body::Open { .. } => kind::OPEN,
        Body::Close { .. } => kind::CLOSE,
        Body::Exit(_) => kind::EXIT,
        Body::Stderr { .. } => kind::STDERR,
        Body::Missing(_) => kind::GAP,
        Body::Http { .. } => kind::HTTP,
        Body::Sse { .. } => kind::SSE,
    }
}

pub(super) fn side(side: Side) -> i64 {
    match side {
        Side::Client => 0,
        Side::Server => 1,
    }
}

pub(super) fn side_of(number: i64) -> Side {
    if number == 0 { Side::Client } else { Side::Server }
}

pub(super) fn direction(direction: Direction) -> i64 {
    match direction {
        Direction::By(by) => side(by),
        Direction::Sent => 2,
        Direction::Received => 3,
        Direction::Unknown => 4,
    }
}

pub(super) fn direction_of(number: i64) -> Direction {
    match number {
        0 | 1 => Direction::By(side_of(number)),
        2 => Direction::Sent,
        3 => Direction::Received,
        _ => Direction::Unknown,
    }
}

pub(super) fn transport(transport: Transport) -> &'static str {
    match transport {
        Transport::Ordered => "ordered",
        Transport::Http => "http",
    }
}

pub(super) fn transport_of(name: &str) -> Transport {
    if name == "http" { Transport::Http } else { Transport::Ordered }
}

pub(super) fn outcome(outcome: Outcome) -> i64 {
    match outcome {
        Outcome::Result => 0,
        Outcome::Error => 1,
        Outcome::Cancelled => 2,
        Outcome::Silent => 3,
        // The fold hands over settled exchanges only; one in flight would be one without an answer.
        Outcome::Unanswered | Outcome::InFlight => 4,
        Outcome::Superseded => 5,
    }
}

pub(super) fn severity(severity: Severity) -> i64 {
    match severity {
        Severity::Note => 0,
        Severity::Warning => 1,
        Severity::Error => 2,
    }
}

pub(super) fn certainty(certainty: Certainty) -> i64 {
    match certainty {
        Certainty::Violation => 0,
        Certainty::Race => 1,
        Certainty::Undecidable => 2,
    }
}

pub(super) fn basis(basis: Basis) -> i64 {
    match basis {
        Basis::Content => 0,
        Basis::Causal => 1,
        Basis::Vantage => 2,
        Basis::Rtt => 3,
    }
}

/// All profiles by number: those that can be named with a revision, then those of a family whose revision is open.
pub(super) fn numbered_profiles() -> Vec<&'static Profile> {
    let mut list: Vec<&'static Profile> = profiles().collect();
    for at in 0..list.len() {
        let open = by_name(list[at].name, None).filter(|open| !list.iter().any(|known| std::ptr::eq(*known, *open)));
        list.extend(open);
    }
    list
}

/// A profile by the label that [`Profile::label`] gives.
pub(super) fn profile_of(label: &str) -> Option<&'static Profile> {
    match label.split_once(' ') {
        Some((name, revision)) => by_name(name, Some(revision)),
        None => by_name(label, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Those are in files that people keep, and in views.
    #[test]
    fn numbers_are_what_they_were() {
        let order = |numbers: &[i64]| numbers.iter().copied().eq(0..numbers.len() as i64);
        assert!(order(&[Severity::Note, Severity::Warning, Severity::Error].map(severity)));
        assert!(order(&[Certainty::Violation, Certainty::Race, Certainty::Undecidable].map(certainty)));
        assert!(order(&[Basis::Content, Basis::Causal, Basis::Vantage, Basis::Rtt].map(basis)));
        let all = [Outcome::Result, Outcome::Error, Outcome::Cancelled, Outcome::Silent, Outcome::Unanswered];
        assert!(order(&[&all[..], &[Outcome::Superseded]].concat().into_iter().map(outcome).collect::<Vec<_>>()));
        assert_eq!(outcome(Outcome::InFlight), outcome(Outcome::Unanswered));
    }

    #[test]
    fn numbers_read_back() {
        for number in 0..5 {
            assert_eq!(direction(direction_of(number)), number);
        }
        for way in [Transport::Ordered, Transport::Http] {
            assert_eq!(transport_of(transport(way)), way);
        }
    }

    #[test]
    fn every_profile_has_one_number_and_reads_back_from_its_label() {
        let list = numbered_profiles();
        for (at, profile) in list.iter().enumerate() {
            assert_eq!(list.iter().position(|other| std::ptr::eq(*other, *profile)), Some(at));
            assert!(
                profile_of(&profile.label()).is_some_and(|found| std::ptr::eq(found, *profile)),
                "{}",
                profile.label()
            );
        }
    }
}
