//! A response with both `result` and `error`, also where the error is `null` as JSON-RPC 1.0 has it.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::Defect;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC003",
    name: "result-and-error",
    summary: "a response has both result and error",
    on: On::Message,
    duty: Duty::either(Occasions::ANSWERS),
    needs: Proof::ENVELOPE,
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/result-and-error.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Message { message, .. } = event.what else { return None };
    if message.defects.is_empty() {
        return None;
    }
    let subject = || super::subject(event, message);
    let summary = if message.defects.has(Defect::ResultAndError) {
        format!("{} has both result and error", subject())
    } else if message.defects.has(Defect::NullErrorBesideResult) {
        format!("{} has \"error\": null beside its result, in the style of JSON-RPC 1.0", subject())
    } else {
        return None;
    };
    Some(found(RULE.code, event, summary)?.with("response", event.seen))
}
