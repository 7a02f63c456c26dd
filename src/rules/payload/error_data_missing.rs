//! An error that must list the versions or the capabilities that are needed, and does not.
//!
//! Left alone: all other errors, and data that a filter has written.

use super::flawed;
use crate::capture::Proof;
use crate::rules::{Absence, Duty, Occasions, On, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PAY010",
    name: "error-data-missing",
    summary: "an error does not say what would have been needed",
    on: On::Flawed,
    duty: Duty::server(Occasions::ERRORS),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/error-data-missing.md"),
    check: |event| flawed(RULE.code, event),
};
