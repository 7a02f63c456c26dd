//! A result to a request whose headers do not say what its body says, or have signs that they may not have.
//!
//! Left alone: refusals by any code, and requests that hold several messages.

use crate::capture::Proof;
use crate::rules::payload::flawed;
use crate::rules::{Absence, Duty, Occasions, On, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TRN016",
    name: "bad-header-served",
    summary: "a server serves a request that it has to refuse for its headers",
    on: On::Flawed,
    duty: Duty::server(Occasions::MIRRORS).over_http(),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::STREAMS),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/bad-header-served.md"),
    check: |event| flawed(RULE.code, event),
};
