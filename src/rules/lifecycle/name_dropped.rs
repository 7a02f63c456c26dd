//! A side that names itself in `_meta` of some messages and not of others.
//!
//! Left alone: sides that never do: they may be configured so.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::Side;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found_by};
use crate::session::{EraFault, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF030",
    name: "name-dropped",
    summary: "a side says in some messages who it is, and not in others",
    on: On::Era,
    duty: Duty::either(Occasions::NAMES_ITSELF),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::PAIRING),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/name-dropped.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Era { fault: EraFault::Nameless, shown, .. } = event.what else { return None };
    let (case, side) = match event.sender? {
        Side::Client => (RULE.code, "the client"),
        Side::Server => ("LIF030/server", "the server"),
    };
    let summary = format!("{side} does not say who it is, and did before");
    let finding = found_by(RULE.code, event.profile.ruling(case)?, event, summary);
    Some(finding.with("names itself", shown).with("message", event.seen))
}
