//! A resource that was read and has no contents. A resource may be empty: whether it exists is known to the server alone.
//!
//! Left alone: texts of no characters.

use super::flawed;
use crate::capture::Proof;
use crate::rules::{Absence, Duty, Occasions, On, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PAY017",
    name: "empty-contents",
    summary: "a resource was read and has no contents",
    on: On::Flawed,
    duty: Duty::server(Occasions::LISTS),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/empty-contents.md"),
    check: |event| flawed(RULE.code, event),
};
