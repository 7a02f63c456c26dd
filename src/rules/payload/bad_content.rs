//! An image, a sound, an embedded resource or a blob that is not encoded as the specification says.
//!
//! Left alone: data that a logger may have cut, and base64 with the signs of addresses.

use super::flawed;
use crate::capture::Proof;
use crate::rules::{Absence, Duty, Occasions, On, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PAY003",
    name: "bad-content",
    summary: "an image, a sound or a resource is not encoded as the specification says",
    on: On::Flawed,
    duty: Duty::server(Occasions::RESULTS),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/bad-content.md"),
    check: |event| flawed(RULE.code, event),
};
