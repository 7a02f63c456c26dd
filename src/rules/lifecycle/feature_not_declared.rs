//! A log message of a server that did not declare `logging`, an elicitation by URL or a sampling with tools for a client that did not declare
//! them. Said once for each.
//!
//! Left alone: captures in which the declaration is not to be seen.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found_by};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF021",
    name: "feature-not-declared",
    summary: "a message uses a feature that had to be declared, and was not",
    on: On::Undeclared,
    duty: Duty::server(Occasions::HANDSHAKE_ANSWERED),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/feature-not-declared.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Undeclared { method, needs } = event.what else { return None };
    let case = format!("{}/{needs}", RULE.code);
    let who = if needs == "logging" { "this server" } else { "its client" };
    let summary = format!("{method} needs {needs}, which {who} did not declare");
    Some(found_by(RULE.code, event.profile.ruling(&case)?, event, summary).with("message", event.seen))
}
