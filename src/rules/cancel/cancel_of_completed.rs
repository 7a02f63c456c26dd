//! A cancel of a request whose answer stands before it in the log.
//!
//! The plain crossing of the two on the wire is legal and common: it comes out as a race, and only as a note. Left
//! alone: a server that ends a subscription twice, by a response and by a cancel.

use super::{faulty, object};
use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Duty, Occasions, On, Rule, Whose, race_text};
use crate::session::{CancelFault, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN005",
    name: "cancel-of-completed",
    summary: "a request was cancelled after it was answered",
    on: On::Cancel,
    duty: Duty::either(Occasions::CANCELS_OWN),
    needs: Proof::CANCEL_TARGET.and(Proof::ANSWER_TIME).and(Proof::DIRECTION),
    absence: Absence::Between(Whose::Sender),
    default_on: true,
    page: include_str!("../../../docs/rules/cancel-of-completed.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Cancel { cancel, fault: Some(CancelFault::Completed(judgement)), target } = event.what else {
        return None;
    };
    if target.is_some_and(|target| target.issuer != cancel.sender) {
        return None;
    }
    let sender = cancel.sender.as_str();
    let object = object(cancel, target);
    let summary = format!("{object} was answered, and cancelled by the {sender}{}", race_text(&judgement));
    Some(faulty(RULE.code, event, summary)?.judged(&judgement))
}
