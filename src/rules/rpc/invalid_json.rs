//! Bytes that stand where a message should and are none: no JSON, JSON that is cut off, or JSON that is neither
//! an object nor an array.
//!
//! Left alone: lines of a log that its format does not promise to be messages. They are counted as skipped.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC001",
    name: "invalid-json",
    summary: "bytes that are no JSON-RPC message",
    on: On::Malformed,
    duty: Duty::either(Occasions::MESSAGES),
    needs: Proof::ENVELOPE,
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/invalid-json.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Malformed { reason } = event.what else { return None };
    let sender = super::side(event.sender);
    let finding = found(RULE.code, event, format!("{sender} sent bytes that are no message: {reason}"))?;
    Some(finding.with("message", event.seen))
}
