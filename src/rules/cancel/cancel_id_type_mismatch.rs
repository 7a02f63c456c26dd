//! A cancel with `"5"` where the request in flight has `5`, or the other way round. It hits nothing.
//!
//! Such a cancel does not count: the request goes on, and its answer is not late.

use super::{faulty, object};
use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Duty, Occasions, On, Rule, Whose, race_text};
use crate::session::{CancelFault, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN030",
    name: "cancel-id-type-mismatch",
    summary: "a cancel names its request with an id of the other JSON type",
    on: On::Cancel,
    duty: Duty::either(Occasions::CANCELS_BY_NAME),
    needs: Proof::CANCEL_TARGET.and(Proof::DIRECTION).and(Proof::CLIENT),
    absence: Absence::Before(Whose::Sender),
    default_on: true,
    page: include_str!("../../../docs/rules/cancel-id-type-mismatch.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Cancel { cancel, fault: Some(CancelFault::TypeMismatch(judgement)), target } = event.what else {
        return None;
    };
    let sender = cancel.sender.as_str();
    let spelled = cancel.target_text.as_deref().unwrap_or("another id");
    let object = object(cancel, target);
    let unsure = race_text(&judgement);
    let summary = format!("the {sender} cancels {spelled}, which hits nothing: the request is {object}{unsure}");
    Some(faulty(RULE.code, event, summary)?.judged(&judgement))
}
