//! A request in flight for longer than the stuck limit where the capture merely ends: for a look at a live log.
//!
//! Off unless selected. Left alone: cancelled requests to which no answer is due, and connections that were seen to
//! end.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::number::duration;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{End, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "STK002",
    name: "stuck-live",
    summary: "a request has been in flight for long in a capture that is still open",
    on: On::Unanswered,
    duty: Duty::either(Occasions::ASKED),
    needs: Proof::ALL_ANSWERS.and(Proof::DIRECTION).and(Proof::BOTH_SIDES),
    absence: Absence::Since(Whose::Owing),
    default_on: false,
    page: include_str!("../../../docs/rules/stuck-live.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Unanswered { exchange, judgement, age_us: Some(age), .. } = event.what else { return None };
    let owed = exchange.cancel().is_none() || event.profile.answers_cancelled();
    if event.connection.end != End::Open || !owed {
        return None;
    }
    let (label, title) = (exchange.label(), exchange.title());
    let finding = found(RULE.code, event, format!("{label} {title} has been in flight for {}", duration(age)))?;
    Some(finding.about(exchange).maybe("progress", exchange.last_progress).with("end", event.seen).judged(&judgement))
}
