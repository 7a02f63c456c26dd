//! A result of a tool with structured content and no text block beside it.
//!
//! Left alone: what the text says.

use super::flawed;
use crate::capture::Proof;
use crate::rules::{Absence, Duty, Occasions, On, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PAY009",
    name: "structured-content-alone",
    summary: "structured content without a text that says the same",
    on: On::Flawed,
    duty: Duty::server(Occasions::RESULTS),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/structured-content-alone.md"),
    check: |event| flawed(RULE.code, event),
};
