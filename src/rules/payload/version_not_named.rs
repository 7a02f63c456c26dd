//! A handshake in which a side names no protocol version.
//!
//! Left alone: versions that nobody knows: what a side supports is known to it alone.

use super::flawed;
use crate::capture::Proof;
use crate::rules::{Absence, Duty, Occasions, On, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PAY013",
    name: "version-not-named",
    summary: "a side names no protocol version in the handshake",
    on: On::Flawed,
    duty: Duty::either(Occasions::HANDSHAKE),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/version-not-named.md"),
    check: |event| flawed(RULE.code, event),
};
