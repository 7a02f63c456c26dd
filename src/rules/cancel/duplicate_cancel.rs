//! A second cancel by the same side for a request that is still in flight.
//!
//! Hygiene only: no sentence forbids it.

use super::{faulty, object};
use crate::capture::Proof;
use crate::finding::Finding;
use crate::number::duration;
use crate::rules::{Absence, Duty, Occasions, On, Rule, Whose};
use crate::session::{CancelFault, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN006",
    name: "duplicate-cancel",
    summary: "a request was cancelled twice",
    on: On::Cancel,
    duty: Duty::either(Occasions::CANCELS_OWN),
    needs: Proof::CANCEL_TARGET.and(Proof::DIRECTION).and(Proof::BOTH_SIDES).and(Proof::CLIENT),
    absence: Absence::Between(Whose::Sender),
    default_on: true,
    page: include_str!("../../../docs/rules/duplicate-cancel.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Cancel { cancel, fault: Some(CancelFault::Duplicate), target } = event.what else { return None };
    let since = target.and_then(|target| target.first_cancel).and_then(|first| cancel.seen.since(first));
    let later = since.map_or(String::new(), |us| format!(" {} after the first cancel", duration(us)));
    faulty(RULE.code, event, format!("the {} cancels {} again{later}", cancel.sender.as_str(), object(cancel, target)))
}
