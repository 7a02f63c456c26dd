//! A connection in which no message has a `jsonrpc` member: its logger left it out.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Duty, On, Rule, noted};
use crate::session::{CaptureNote, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAP007",
    name: "jsonrpc-member-dropped",
    summary: "the logger dropped the jsonrpc member of all messages",
    on: On::Capture,
    duty: Duty::NONE,
    needs: Proof::NONE,
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/jsonrpc-member-dropped.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Capture(CaptureNote::VersionDropped) = event.what else { return None };
    noted(RULE.code, event, "no message has a jsonrpc member: the logger seems to have dropped it".to_string())
}
