//! Parameters of a request or notification that are not as the schema of its revision says.
//!
//! Left alone: members that the schema does not name, methods that it does not have, cancels, and everything where the revision is not
//! known.

use super::{off, placed};
use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Duty, Occasions, On, Rule};
use crate::session::{Event, Part, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SCH001",
    name: "params-off-schema",
    summary: "parameters are not as the schema of the protocol says",
    on: On::Shape,
    duty: Duty::either(Occasions::SHAPED_PARAMS),
    needs: Proof::PAYLOAD,
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/params-off-schema.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Shape(shape) = event.what else { return None };
    if shape.part != Part::Params {
        return None;
    }
    let finding = off(RULE.code, event, &shape, "")?;
    Some(placed(finding, &shape))
}
