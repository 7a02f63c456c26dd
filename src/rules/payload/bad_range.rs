//! Ranges and edits of an answer that do not stand to each other as they must (LSP).
//!
//! Left alone: ranges that only touch, and whether an edit contains the position that was asked about.

use super::flawed;
use crate::capture::Proof;
use crate::rules::{Absence, Duty, Occasions, On, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PAY020",
    name: "bad-range",
    summary: "ranges or edits of an answer do not fit each other",
    on: On::Flawed,
    duty: Duty::server(Occasions::GIVES_RANGES),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/bad-range.md"),
    check: |event| flawed(RULE.code, event),
};
