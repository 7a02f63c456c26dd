//! A result that asks for input and names neither requests nor a state, asks by another method than the three that there are, or
//! for two things under one name.
//!
//! Left alone: what is asked for, which PAY004 and PAY005 look at.

use super::flawed;
use crate::capture::Proof;
use crate::rules::{Absence, Duty, Occasions, On, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PAY006",
    name: "bad-input-request",
    summary: "a result asks for input and does not say for what, or for what no client gives",
    on: On::Flawed,
    duty: Duty::server(Occasions::ASKS_INPUT),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/bad-input-request.md"),
    check: |event| flawed(RULE.code, event),
};
