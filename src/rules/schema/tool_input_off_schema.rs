//! Arguments that are not as the input schema says that the server declared, and that the server served all the same.
//!
//! Left alone: calls that were refused: by an error, or a result that says `isError`.

use super::{off, placed};
use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose};
use crate::session::{Event, Part, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SCH004",
    name: "tool-input-off-schema",
    summary: "a server served a call whose arguments are not as its input schema says",
    on: On::Shape,
    duty: Duty::server(Occasions::TOOL_INPUT),
    needs: Proof::PAYLOAD.and(Proof::PAIRING),
    absence: Absence::Between(Whose::Both),
    default_on: true,
    page: include_str!("../../../docs/rules/tool-input-off-schema.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Shape(shape) = event.what else { return None };
    if shape.part != Part::Input {
        return None;
    }
    let finding = off(RULE.code, event, &shape, ", which was served")?;
    Some(placed(finding, &shape).with("response", event.seen))
}
