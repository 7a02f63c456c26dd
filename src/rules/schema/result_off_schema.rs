//! A result that is not as the schema of its revision says.
//!
//! Left alone: members that the schema does not name, results of methods that it does not have, and everything where the revision is not
//! known.

use super::{off, placed};
use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose};
use crate::session::{Event, Part, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SCH002",
    name: "result-off-schema",
    summary: "a result is not as the schema of the protocol says",
    on: On::Shape,
    duty: Duty::either(Occasions::SHAPED_RESULT),
    needs: Proof::PAYLOAD.and(Proof::PAIRING),
    absence: Absence::Reused(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/result-off-schema.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Shape(shape) = event.what else { return None };
    if shape.part != Part::Result {
        return None;
    }
    let finding = off(RULE.code, event, &shape, "")?;
    Some(placed(finding, &shape).with("response", event.seen))
}
