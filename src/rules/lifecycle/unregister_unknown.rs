//! A language server that takes back a registration which it has not made.
//!
//! Left alone: ids that the answer to the handshake holds, and logs in which a registration may be missing.

use crate::capture::Proof;
use crate::rules::payload::flawed;
use crate::rules::{Absence, Duty, Occasions, On, Rule, Whose};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF032",
    name: "unregister-unknown",
    summary: "a server takes back a registration that it has not made",
    on: On::Flawed,
    duty: Duty::server(Occasions::REQUESTS),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Before(Whose::Sender),
    default_on: false,
    page: include_str!("../../../docs/rules/unregister-unknown.md"),
    check: |event| flawed(RULE.code, event),
};
