//! A key of `_meta`, or the name of an extension, that is not formed as the specification says; a trace context that is none.
//!
//! Left alone: keys of the protocol itself, and values that a filter has written.

use super::flawed;
use crate::capture::Proof;
use crate::rules::{Absence, Duty, Occasions, On, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PAY001",
    name: "meta-key-name",
    summary: "a key of _meta or an extension is not named as the specification says",
    on: On::Flawed,
    duty: Duty::either(Occasions::MESSAGES),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/meta-key-name.md"),
    check: |event| flawed(RULE.code, event),
};
