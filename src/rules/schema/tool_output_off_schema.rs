//! Structured content of a tool that is not as the output schema says that its server declared on the same connection.
//!
//! Left alone: results that say `isError`, tasks, questions for input, tools that were declared twice and differently, and words of a
//! schema that cannot be judged without doubt.

use super::{off, placed};
use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose};
use crate::session::{Event, Part, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SCH003",
    name: "tool-output-off-schema",
    summary: "a tool's structured content is not as its output schema says",
    on: On::Shape,
    duty: Duty::server(Occasions::TOOL_OUTPUT),
    needs: Proof::PAYLOAD.and(Proof::PAIRING),
    absence: Absence::Between(Whose::Both),
    default_on: true,
    page: include_str!("../../../docs/rules/tool-output-off-schema.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Shape(shape) = event.what else { return None };
    if shape.part != Part::Output {
        return None;
    }
    let finding = off(RULE.code, event, &shape, "")?;
    Some(placed(finding, &shape).with("response", event.seen))
}
