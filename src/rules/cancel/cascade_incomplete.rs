//! A cancelled request that was answered while requests which served it were in flight, and stayed so to the end. The
//! finding is at that answer.
//!
//! Left alone: channels on which nothing links a nested request to its parent.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::number::duration;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN018",
    name: "cascade-incomplete",
    summary: "a cancelled request ended while requests that served it stayed open",
    on: On::Orphans,
    duty: Duty::either(Occasions::PAST_CANCEL),
    needs: Proof::CANCEL_TARGET
        .and(Proof::ANSWER_TIME)
        .and(Proof::DIRECTION)
        .and(Proof::PAYLOAD)
        .and(Proof::ALL_ANSWERS)
        .and(Proof::BOTH_SIDES),
    absence: Absence::Since(Whose::Both),
    default_on: true,
    page: include_str!("../../../docs/rules/cascade-incomplete.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Orphans { parent, cancel, orphans, judgement } = event.what else { return None };
    let oldest = orphans.iter().filter_map(|orphan| event.seen.since(*orphan)).max();
    let age = oldest.map_or(String::new(), |us| format!(", the oldest for {}", duration(us)));
    let (label, title, count) = (parent.label(), parent.title(), orphans.len());
    let over = if event.seen == cancel { "" } else { " and ended" };
    let unsure = judgement.reason.map_or(String::new(), |reason| format!("; not decidable: {reason}"));
    let summary = format!(
        "{label} {title} was cancelled{over} while requests that served it were open: {count}{age}; they stayed so{unsure}"
    );
    let mut finding = found(RULE.code, event, summary)?.about(parent).judged(&judgement);
    for orphan in orphans {
        finding = finding.with("nested request", *orphan);
    }
    finding = finding.with("cancel", cancel);
    Some(finding.maybe("response", (event.seen != cancel).then_some(event.seen)))
}
