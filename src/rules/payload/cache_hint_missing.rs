//! A list or the contents of a resource without `ttlMs` or `cacheScope`, or with a negative `ttlMs`.
//!
//! Left alone: results that ask for input, and those of servers of earlier revisions, which have no `resultType`.

use super::flawed;
use crate::capture::Proof;
use crate::rules::{Absence, Duty, Occasions, On, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PAY007",
    name: "cache-hint-missing",
    summary: "a result that may be kept does not say for how long",
    on: On::Flawed,
    duty: Duty::server(Occasions::LISTS),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/cache-hint-missing.md"),
    check: |event| flawed(RULE.code, event),
};
