//! A list of resources with an address that is no URI, or a plan in a file without a scheme (ACP 2).
//!
//! Left alone: what a scheme means, and the other signs that RFC 3986 wants to be encoded.

use super::flawed;
use crate::capture::Proof;
use crate::rules::{Absence, Duty, Occasions, On, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PAY014",
    name: "bad-uri",
    summary: "a resource or a plan has an address that is no URI",
    on: On::Flawed,
    duty: Duty::server(Occasions::LISTS.and(Occasions::PLANS)),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/bad-uri.md"),
    check: |event| flawed(RULE.code, event),
};
