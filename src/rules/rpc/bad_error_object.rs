//! A response whose `error` is not an object with an integer `code` and a string `message`.
//!
//! Left alone: `"error": null` beside a result, which is RPC003's.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::Defect;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC005",
    name: "bad-error-object",
    summary: "an error is no object with an integer code and a string message",
    on: On::Message,
    duty: Duty::either(Occasions::ERRORS),
    needs: Proof::ENVELOPE.and(Proof::ERROR_CODE),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/bad-error-object.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Message { message, .. } = event.what else { return None };
    if !message.defects.has(Defect::ErrorObject) {
        return None;
    }
    let fault = match &message.error {
        None => "is not an object",
        Some(error) if error.code.is_none() => "has no integer code",
        Some(_) => "has no string message",
    };
    let summary = format!("error in the {} {fault}", super::subject(event, message));
    let case = if fault == "has no integer code" { RULE.code } else { "RPC005/members" };
    Some(super::found_as(RULE.code, case, event, summary)?.with("response", event.seen))
}
