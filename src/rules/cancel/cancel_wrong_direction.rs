//! A cancel that names a request which the other side issued, where the sender issued none with that id.
//!
//! Left alone: equal ids in both directions (each side has its own), and revisions in which only one side issues
//! requests.

use super::{faulty, object};
use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Duty, Occasions, On, Rule, Whose, race_text};
use crate::session::{CancelFault, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN001",
    name: "cancel-wrong-direction",
    summary: "a cancel names a request of the other side",
    on: On::Cancel,
    duty: Duty::either(Occasions::CANCELS_BY_NAME),
    needs: Proof::CANCEL_TARGET.and(Proof::DIRECTION).and(Proof::CLIENT),
    absence: Absence::Before(Whose::Sender),
    default_on: true,
    page: include_str!("../../../docs/rules/cancel-wrong-direction.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Cancel { cancel, fault: Some(CancelFault::WrongDirection(judgement)), target } = event.what else {
        return None;
    };
    let sender = cancel.sender.as_str();
    let object = object(cancel, target);
    let summary = format!("the {sender} cancels {object}, a request of the other side{}", race_text(&judgement));
    Some(faulty(RULE.code, event, summary)?.judged(&judgement))
}
