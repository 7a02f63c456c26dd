//! A cancel without the optional `reason`. Off unless selected: for those who read logs after an incident.
//!
//! Left alone: cancels that have a fault of their own, and cancels whose form has no place for a reason.

use super::{age, faulty, object};
use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::Mechanism;
use crate::rules::{Absence, Duty, Occasions, On, Rule};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN023",
    name: "cancel-without-reason",
    summary: "a cancel gives no reason",
    on: On::Cancel,
    duty: Duty::either(Occasions::CANCELS),
    needs: Proof::PAYLOAD,
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/cancel-without-reason.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Cancel { cancel, fault: None, target } = event.what else { return None };
    if cancel.mechanism != Mechanism::NotificationsCancelled || cancel.reason.is_some() {
        return None;
    }
    let (object, age) = (object(cancel, target), age(cancel));
    faulty(RULE.code, event, format!("the {} cancels without a reason: {object}{age}", cancel.sender.as_str()))
}
