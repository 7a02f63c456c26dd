//! A notification that a list has changed, of a side that did not declare `listChanged`.
//!
//! Left alone: captures in which the declaration is not to be seen, or was cut by a filter.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF027",
    name: "change-not-declared",
    summary: "a side says that a list has changed and did not declare that it would",
    on: On::Undeclared,
    duty: Duty::either(Occasions::TELLS_CHANGE),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    // Peers take it, and the libraries of servers send it without asking what was declared.
    default_on: false,
    page: include_str!("../../../docs/rules/change-not-declared.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Undeclared { method, needs, .. } = event.what else { return None };
    let summary = || format!("{method} needs {needs}, which its sender did not declare");
    let undeclared = needs.ends_with(".listChanged").then(summary)?;
    Some(found(RULE.code, event, undeclared)?.with("message", event.seen))
}
