//! A root whose URI has another scheme than `file`.
//!
//! Left alone: URIs that a filter has written.

use super::flawed;
use crate::capture::Proof;
use crate::rules::{Absence, Duty, Occasions, On, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PAY008",
    name: "root-not-file",
    summary: "a root is no file:// URI",
    on: On::Flawed,
    duty: Duty::client(Occasions::RESULTS.and(Occasions::CONTINUES)),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/root-not-file.md"),
    check: |event| flawed(RULE.code, event),
};
