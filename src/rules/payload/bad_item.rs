//! What a language server gives that lacks a name or a title, is neither edit nor command, or is of two kinds at once (LSP).
//!
//! Left alone: code actions that may still be resolved, and what is not there at all or of another type: that is the schema's affair.

use super::flawed;
use crate::capture::Proof;
use crate::rules::{Absence, Duty, Occasions, On, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PAY021",
    name: "bad-item",
    summary: "something that a language server gives is not made as the specification says",
    on: On::Flawed,
    duty: Duty::server(Occasions::GIVES_ITEMS),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/bad-item.md"),
    check: |event| flawed(RULE.code, event),
};
