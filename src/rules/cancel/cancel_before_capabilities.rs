//! A cancel that passes before the answer to the handshake, where a cancel needs a capability of the receiver.
//!
//! Exact at every vantage: what passes first was sent before the other was received. A cancel of the handshake itself
//! is `initialize-cancelled`.

use super::{age, faulty, object};
use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Duty, Occasions, On, Rule, Whose};
use crate::session::{CancelFault, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN015",
    name: "cancel-before-capabilities",
    summary: "a cancel was sent before capabilities were exchanged",
    on: On::Cancel,
    duty: Duty::either(Occasions::CANCELS_OWN),
    needs: Proof::CANCEL_TARGET.and(Proof::DIRECTION).and(Proof::BOTH_SIDES).and(Proof::CLIENT),
    absence: Absence::Before(Whose::Both),
    default_on: true,
    page: include_str!("../../../docs/rules/cancel-before-capabilities.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Cancel { cancel, fault: Some(CancelFault::BeforeCapabilities), target } = event.what else { return None };
    let (sender, age) = (cancel.sender.as_str(), age(cancel));
    let summary = format!("the {sender} cancels {}{age}, before capabilities were exchanged", object(cancel, target));
    faulty(RULE.code, event, summary)
}
