//! A result of a tool with an embedded resource, of a server that did not declare `resources`.
//!
//! Left alone: captures in which the declaration is not to be seen, and links to resources.

use super::flawed;
use crate::capture::Proof;
use crate::rules::{Absence, Duty, Occasions, On, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PAY016",
    name: "embedded-not-declared",
    summary: "a tool gives an embedded resource, and its server did not declare resources",
    on: On::Flawed,
    duty: Duty::server(Occasions::CALLED),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/embedded-not-declared.md"),
    check: |event| flawed(RULE.code, event),
};
