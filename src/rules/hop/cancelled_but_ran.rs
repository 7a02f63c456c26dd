//! A request was cancelled at one hop, and at a hop below the work was begun only then, or came to its result all the same.
//!
//! Left alone: a request below that was cancelled itself (`response-after-cancel` judges what came of it), a result that was on its way,
//! an error.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::number::duration;
use crate::rules::{Absence, Duty, Occasions, On, Rule};
use crate::session::{Event, HopFault, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "HOP002",
    name: "cancelled-but-ran",
    summary: "a request was cancelled, and its work was begun or done at a hop below after that",
    on: On::Hop,
    duty: Duty::either(Occasions::PAST_CANCEL),
    needs: Proof::CANCEL_TARGET.and(Proof::ANSWER_TIME).and(Proof::DIRECTION).and(Proof::PAYLOAD),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/cancelled-but-ran.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Hop(hop) = &event.what else { return None };
    let HopFault::Ran { cancel, work, after_us } = hop.fault else { return None };
    let (upper, lower) = super::names(hop);
    let (time, sent) = (duration(after_us), work == hop.lower.request);
    let did = if sent { "was sent" } else { "came to a result" };
    let says = format!("{upper} was cancelled, but its work went on: {lower} {did} {time} later");
    let result = (!sent).then_some(("response below", work));
    let seen: Vec<_> = [Some(("cancel", cancel)), result].into_iter().flatten().collect();
    super::between(RULE.code, event, hop, says, &seen)
}
