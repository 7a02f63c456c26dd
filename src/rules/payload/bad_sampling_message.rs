//! A request for sampling in which a use of a tool is not followed by its result, results are mixed with something else, or a
//! message has no role.
//!
//! Left alone: what the model answers.

use super::flawed;
use crate::capture::Proof;
use crate::rules::{Absence, Duty, Occasions, On, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PAY005",
    name: "bad-sampling-message",
    summary: "messages for a language model are not in the order that the specification wants",
    on: On::Flawed,
    duty: Duty::server(Occasions::ASKS_MODEL),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/bad-sampling-message.md"),
    check: |event| flawed(RULE.code, event),
};
