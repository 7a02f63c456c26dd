//! A capture that does not start with the first message of its connection.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Duty, On, Rule, noted};
use crate::session::{CaptureNote, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAP001",
    name: "capture-starts-midway",
    summary: "the capture starts in the middle of the connection",
    on: On::Capture,
    duty: Duty::NONE,
    needs: Proof::NONE,
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/capture-starts-midway.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Capture(CaptureNote::StartsMidway) = event.what else { return None };
    let summary = "the capture starts in the middle: what was sent before cannot be known".to_string();
    noted(RULE.code, event, summary)
}
