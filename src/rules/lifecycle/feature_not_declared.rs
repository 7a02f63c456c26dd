//! A message that uses a feature which one side had to declare and did not: an elicitation by URL or by a form, a sampling with tools
//! or with the context of servers. Said once for each.
//!
//! Left alone: captures in which the declaration is not to be seen, and log messages (LIF023).

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found_by};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF021",
    name: "feature-not-declared",
    summary: "a message uses a feature that was not declared",
    on: On::Undeclared,
    duty: Duty::either(
        Occasions::ASKS_PERSON.and(Occasions::ASKS_MODEL).and(Occasions::UPDATES).and(Occasions::NAMES_ROOTS),
    ),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/feature-not-declared.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Undeclared { method, needs, by } = event.what else { return None };
    // Those have rules of their own.
    if needs == "logging" || needs.ends_with(".listChanged") {
        return None;
    }
    let ruling = event.profile.ruling_on(RULE.code, needs)?;
    let summary = format!("{method} needs {needs}, which the {} did not declare", by.as_str());
    Some(found_by(RULE.code, ruling, event, summary).with("message", event.seen))
}
