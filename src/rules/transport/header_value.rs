//! A header that mirrors a name or an argument and does not carry it as the specification says: not encoded where it must be, encoded in
//! other letters, an integer that is not safe, or not there.
//!
//! Left alone: headers of arguments that no list of tools in the log wants.

use crate::capture::Proof;
use crate::rules::payload::flawed;
use crate::rules::{Absence, Duty, Occasions, On, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TRN015",
    name: "header-value",
    summary: "a header that mirrors the body does not carry its value as it must",
    on: On::Flawed,
    duty: Duty::client(Occasions::MIRRORS).over_http(),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::STREAMS),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/header-value.md"),
    check: |event| flawed(RULE.code, event),
};
