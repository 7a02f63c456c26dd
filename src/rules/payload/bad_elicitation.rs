//! An elicitation that lacks what it must have, asks for secrets by a form, or leads to an address that it must not lead to.
//!
//! Left alone: what is secret but does not say so, and addresses of the own machine.

use super::flawed;
use crate::capture::Proof;
use crate::rules::{Absence, Duty, Occasions, On, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PAY004",
    name: "bad-elicitation",
    summary: "a person is asked in a way that the specification rules out",
    on: On::Flawed,
    duty: Duty::server(Occasions::ASKS_PERSON),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/bad-elicitation.md"),
    check: |event| flawed(RULE.code, event),
};
