//! A log message of a server that did not declare `logging`. Said once. So many servers do it, and clients take it, that the rule is off
//! unless it is selected.
//!
//! Left alone: captures in which the declaration is not to be seen.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF023",
    name: "logging-not-declared",
    summary: "a server sends log messages and did not declare that",
    on: On::Undeclared,
    duty: Duty::server(Occasions::LOGS),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/logging-not-declared.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Undeclared { method, needs: "logging", .. } = event.what else { return None };
    let summary = format!("{method} needs logging, which this server did not declare");
    Some(found(RULE.code, event, summary)?.with("message", event.seen))
}
