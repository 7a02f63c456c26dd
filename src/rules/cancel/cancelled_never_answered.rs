//! A cancelled request without an answer at the end of its connection, in protocols where a cancel does not end the
//! duty to answer.
//!
//! Left alone: protocols in which silence is the right answer, a cancelled handshake that is already a finding, and
//! permission requests of a cancelled turn, which have a rule of their own.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::stuck::ending;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN011",
    name: "cancelled-never-answered",
    summary: "a cancelled request was never answered, though an answer was due",
    on: On::Unanswered,
    duty: Duty::either(Occasions::ENDS_CANCELLED),
    needs: Proof::CANCEL_TARGET.and(Proof::DIRECTION).and(Proof::ALL_ANSWERS).and(Proof::BOTH_SIDES),
    absence: Absence::Since(Whose::Sender),
    default_on: true,
    page: include_str!("../../../docs/rules/cancelled-never-answered.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Unanswered { exchange, judgement, permission_of_cancelled_turn: None, .. } = event.what else {
        return None;
    };
    let cancel = exchange.cancel()?;
    let age = super::age(cancel);
    let (label, title) = (exchange.label(), exchange.title());
    let summary = format!("{label} {title} was cancelled{age} and never answered: {}", ending(event)?);
    let finding = found(RULE.code, event, summary)?.about(exchange).with("cancel", cancel.seen);
    Some(finding.maybe("progress", exchange.last_progress).with("end", event.seen).judged(&judgement))
}
