//! An object that is neither request, notification nor response: it has no `method`, `id`, `result` or `error`, or its
//! `method` is not a string.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::Defect;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC019",
    name: "unclassifiable-message",
    summary: "an object is neither request, notification nor response",
    on: On::Message,
    duty: Duty::either(Occasions::MESSAGES),
    needs: Proof::ENVELOPE,
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/unclassifiable-message.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Message { message, .. } = event.what else { return None };
    if message.defects.is_empty() {
        return None;
    }
    let summary = if message.defects.has(Defect::Unclassifiable) {
        "object without method, id, result and error"
    } else if message.defects.has(Defect::MethodType) {
        "message whose method is not a string"
    } else {
        return None;
    };
    Some(found(RULE.code, event, summary.to_string())?.with("message", event.seen))
}
