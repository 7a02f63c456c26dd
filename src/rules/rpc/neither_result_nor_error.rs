//! A response with neither `result` nor `error`.
//!
//! Left alone: `"result": null`, which is a result.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::Defect;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC004",
    name: "neither-result-nor-error",
    summary: "a response has neither result nor error",
    on: On::Message,
    duty: Duty::either(Occasions::ANSWERS),
    needs: Proof::ENVELOPE.and(Proof::PAYLOAD),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/neither-result-nor-error.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Message { message, .. } = event.what else { return None };
    if !message.defects.has(Defect::NeitherResultNorError) {
        return None;
    }
    let summary = format!("{} has neither result nor error", super::subject(event, message));
    Some(found(RULE.code, event, summary)?.with("response", event.seen))
}
