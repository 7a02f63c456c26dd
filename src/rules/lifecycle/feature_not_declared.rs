//! An elicitation by URL or a sampling with tools for a client that did not declare them. Said once for each.
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
    summary: "a request uses a feature that its receiver did not declare",
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
    if needs == "logging" {
        return None;
    }
    let own = event.profile.ruling(&format!("{}/{needs}", RULE.code));
    let ruling = own.or_else(|| event.profile.ruling(RULE.code))?;
    let summary = format!("{method} needs {needs}, which its client did not declare");
    Some(found_by(RULE.code, ruling, event, summary).with("message", event.seen))
}
