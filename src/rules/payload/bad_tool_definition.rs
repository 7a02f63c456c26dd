//! A tool whose name, schema or mirrored header is not as the specification says. Said once for each tool and fault.
//!
//! Left alone: dialects of JSON Schema that are not its own, and what a filter has written.

use super::flawed;
use crate::capture::Proof;
use crate::rules::{Absence, Duty, Occasions, On, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PAY002",
    name: "bad-tool-definition",
    summary: "a tool is not defined as the specification says",
    on: On::Flawed,
    duty: Duty::server(Occasions::LISTS),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/bad-tool-definition.md"),
    check: |event| flawed(RULE.code, event),
};
