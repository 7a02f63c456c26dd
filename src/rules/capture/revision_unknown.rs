//! A connection of a known protocol whose revision the capture does not show.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Duty, On, Rule, noted};
use crate::session::{CaptureNote, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAP006",
    name: "revision-unknown",
    summary: "the protocol revision is not in the capture",
    on: On::Capture,
    duty: Duty::NONE,
    needs: Proof::NONE,
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/revision-unknown.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Capture(CaptureNote::RevisionUnknown) = event.what else { return None };
    let name = event.profile.name;
    noted(
        RULE.code,
        event,
        format!("the revision of {name} is not known: only what all its revisions ask for was applied"),
    )
}
