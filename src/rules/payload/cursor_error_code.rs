//! An error that says that a cursor is invalid, with another code than -32602.
//!
//! Left alone: errors that do not speak of the cursor.

use super::flawed;
use crate::capture::Proof;
use crate::rules::{Absence, Duty, Occasions, On, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PAY015",
    name: "cursor-error-code",
    summary: "a cursor is refused by another code than the one that it has",
    on: On::Flawed,
    duty: Duty::server(Occasions::ASKED_PAGE),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::ERROR_CODE),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/cursor-error-code.md"),
    check: |event| flawed(RULE.code, event),
};
