//! `params` that is neither an object nor an array. `"params": null` has a severity of its own.
//!
//! Left alone: no `params` at all.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::Defect;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC020",
    name: "params-not-structured",
    summary: "params is neither object nor array",
    on: On::Message,
    duty: Duty::either(Occasions::REQUESTS.and(Occasions::NOTIFIES)),
    needs: Proof::ENVELOPE.and(Proof::PAYLOAD),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/params-not-structured.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Message { message, .. } = event.what else { return None };
    if message.defects.is_empty() {
        return None;
    }
    let finding = if message.defects.has(Defect::Params) {
        let summary = format!("{}: params is neither object nor array", super::subject(event, message));
        found(RULE.code, event, summary)?
    } else if message.defects.has(Defect::NullParams) {
        let summary = format!("{}: params is null", super::subject(event, message));
        super::found_as(RULE.code, "RPC020/null", event, summary)?
    } else {
        return None;
    };
    Some(finding.with(super::role(message.kind), event.seen))
}
