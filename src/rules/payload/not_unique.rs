//! A list in which one name or address stands twice that must stand once: commands, options of a permission request, cells of a notebook.
//!
//! Left alone: the same name in two messages, and words of a filter.

use super::flawed;
use crate::capture::Proof;
use crate::rules::{Absence, Duty, Occasions, On, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PAY022",
    name: "not-unique",
    summary: "a name in a list is not unique, or has blanks in it",
    on: On::Flawed,
    duty: Duty::either(Occasions::NAMES_MANY),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/not-unique.md"),
    check: |event| flawed(RULE.code, event),
};
