//! One side sent no answer at all for a while, though several requests to it were waiting. The finding is at the
//! first of them.
//!
//! Left alone: single slow requests that others overtake.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::number::duration;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "STK003",
    name: "head-of-line",
    summary: "all answers stopped while requests kept coming",
    on: On::Stalled,
    duty: Duty::either(Occasions::ASKED),
    needs: Proof::ALL_ANSWERS.and(Proof::DIRECTION).and(Proof::BOTH_SIDES),
    absence: Absence::Between(Whose::Sender),
    default_on: true,
    page: include_str!("../../../docs/rules/head-of-line.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Stalled { since, requests, for_us } = event.what else { return None };
    let side = event.sender.map_or("one side".to_string(), |side| format!("the {}", side.as_str()));
    let time = duration(for_us);
    let summary = format!("from here on {side} answers nothing for {time}, while requests to it wait: {requests}");
    let mut finding = found(RULE.code, event, summary)?.about_request(since);
    finding.frame = since.frame;
    Some(finding)
}
