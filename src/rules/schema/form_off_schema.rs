//! The content of an accepted elicitation that is not as the schema of its request says.
//!
//! Left alone: answers that decline or cancel, and URLs to visit.

use super::{off, placed};
use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose};
use crate::session::{Event, Part, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SCH005",
    name: "form-off-schema",
    summary: "what a user filled in is not as the requested schema says",
    on: On::Shape,
    duty: Duty::client(Occasions::FILLS_FORM),
    needs: Proof::PAYLOAD.and(Proof::PAIRING),
    absence: Absence::Reused(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/form-off-schema.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Shape(shape) = event.what else { return None };
    if shape.part != Part::Form {
        return None;
    }
    let finding = off(RULE.code, event, &shape, "")?;
    Some(placed(finding, &shape).with("response", event.seen))
}
