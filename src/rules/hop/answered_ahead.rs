//! A request was answered with a result before the request that serves it at the hop below was answered.
//!
//! Left alone: errors (a gateway may give up), tasks, requests that several serve and one has answered, and what was never answered below.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::number::duration;
use crate::rules::{Absence, Duty, Occasions, On, Rule};
use crate::session::{Event, HopFault, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "HOP003",
    name: "answered-ahead",
    summary: "a request was answered before the one that serves it at the next hop",
    on: On::Hop,
    duty: Duty::either(Occasions::ASKED),
    needs: Proof::DIRECTION.and(Proof::PAYLOAD),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/answered-ahead.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Hop(hop) = &event.what else { return None };
    let HopFault::AnsweredAhead { answer, by_us } = hop.fault else { return None };
    let (upper, lower) = super::names(hop);
    let says = format!("{upper} was answered {} before {lower}, which serves it", duration(by_us));
    let below = hop.lower.answer.map(|answer| ("response below", answer));
    let seen: Vec<_> = [Some(("response", answer)), below].into_iter().flatten().collect();
    super::between(RULE.code, event, hop, says, &seen)
}
