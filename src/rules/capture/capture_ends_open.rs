//! A capture that ends while requests are in flight and without the end of the connection.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Duty, On, Rule, noted};
use crate::session::{CaptureNote, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAP002",
    name: "capture-ends-open",
    summary: "the capture ends with requests in flight and no close",
    on: On::Capture,
    duty: Duty::NONE,
    needs: Proof::NONE,
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/capture-ends-open.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Capture(CaptureNote::EndsOpen { in_flight }) = event.what else { return None };
    let requests = if in_flight == 1 { "request" } else { "requests" };
    noted(RULE.code, event, format!("the capture ends with {in_flight} {requests} in flight and no close"))
}
