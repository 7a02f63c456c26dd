//! A connection whose messages have no time, or all the same.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Duty, On, Rule, noted};
use crate::session::{CaptureNote, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAP008",
    name: "no-usable-time",
    summary: "the messages have no usable time",
    on: On::Capture,
    duty: Duty::NONE,
    needs: Proof::NONE,
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/no-usable-time.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Capture(CaptureNote::NoTime) = event.what else { return None };
    noted(
        RULE.code,
        event,
        "there is no usable time in the capture: nothing that rests on latency is decidable".to_string(),
    )
}
