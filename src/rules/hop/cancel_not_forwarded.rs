//! A request was cancelled at one hop, and the request that serves it at the hop below was not: whoever stands between them told nobody.
//!
//! Left alone: a request below that ended about when the cancel could have reached it, one that was sent only afterwards (that is
//! `cancelled-but-ran`), and requests that stay open by design.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::number::duration;
use crate::rules::{Absence, Duty, Occasions, On, Rule, Whose};
use crate::session::{Event, HopFault, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "HOP001",
    name: "cancel-not-forwarded",
    summary: "a request was cancelled, and the one that serves it at the next hop was not",
    on: On::Hop,
    duty: Duty::either(Occasions::PAST_CANCEL),
    needs: Proof::CANCEL_TARGET.and(Proof::ANSWER_TIME).and(Proof::DIRECTION).and(Proof::PAYLOAD),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/cancel-not-forwarded.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Hop(hop) = &event.what else { return None };
    let HopFault::NotForwarded { cancel, for_us, within } = hop.fault else { return None };
    let (upper, lower) = super::names(hop);
    let time = duration(for_us);
    let then = hop.lower.answer.map_or("was open at the end of the log,", |_| "was answered");
    let says = format!("{upper} was cancelled, but {lower}, which serves it, was not: it {then} {time} later");
    let answer = hop.lower.answer.map(|answer| ("response below", answer));
    let seen: Vec<_> = [Some(("cancel", cancel)), answer].into_iter().flatten().collect();
    let finding = super::between(RULE.code, event, hop, says, &seen)?;
    Some(finding.concluding(Absence::Within(Whose::Peer, within.0, within.1)))
}
