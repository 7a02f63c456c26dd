//! A task without the time of its creation or of its last change, or without the time that it is kept.
//!
//! Left alone: lists of tasks, and notifications.

use super::flawed;
use crate::capture::Proof;
use crate::rules::{Absence, Duty, Occasions, On, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PAY011",
    name: "task-members-missing",
    summary: "an answer about a task does not say what it must say of it",
    on: On::Flawed,
    duty: Duty::either(Occasions::RESULTS),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/task-members-missing.md"),
    check: |event| flawed(RULE.code, event),
};
