//! A list of the same tools as before in another order.
//!
//! Left alone: lists between which the server has said that something changed.

use super::flawed;
use crate::capture::Proof;
use crate::rules::{Absence, Duty, Occasions, On, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PAY018",
    name: "tools-reordered",
    summary: "the same tools are listed in another order",
    on: On::Flawed,
    duty: Duty::server(Occasions::LISTS),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/tools-reordered.md"),
    check: |event| flawed(RULE.code, event),
};
