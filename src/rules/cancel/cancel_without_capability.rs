//! A cancel towards a side that did not declare the capability which this revision asks for.
//!
//! Not decidable where the declaration is not in the log. Left alone: all revisions without such a capability.

use super::{faulty, object};
use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Duty, Occasions, On, Rule, Whose, race_text};
use crate::session::{CancelFault, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN016",
    name: "cancel-without-capability",
    summary: "a cancel was sent to a side that declared no support for it",
    on: On::Cancel,
    duty: Duty::either(Occasions::CANCELS_OWN),
    needs: Proof::CANCEL_TARGET.and(Proof::DIRECTION).and(Proof::PAYLOAD).and(Proof::BOTH_SIDES),
    absence: Absence::Before(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/cancel-without-capability.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Cancel { cancel, fault: Some(CancelFault::WithoutCapability(judgement)), target } = event.what else {
        return None;
    };
    let (sender, peer) = (cancel.sender.as_str(), cancel.sender.peer().as_str());
    let object = object(cancel, target);
    let reason = race_text(&judgement);
    let summary = format!("the {sender} cancels {object}, but the {peer} declared no support for cancels{reason}");
    Some(faulty(RULE.code, event, summary)?.judged(&judgement))
}
