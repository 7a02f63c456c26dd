//! A request without an answer at the end of its connection.
//!
//! Left alone: cancelled requests (no answer is due, or `cancelled-never-answered` speaks), permission requests of a
//! cancelled turn, requests that stay open by design, and those whose id was used again.

use super::ending;
use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, Exchange, Judgement, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "STK001",
    name: "never-answered",
    summary: "a request was never answered",
    on: On::Unanswered,
    duty: Duty::either(Occasions::ANSWERS),
    needs: Proof::ALL_ANSWERS.and(Proof::DIRECTION).and(Proof::BOTH_SIDES),
    absence: Absence::Since(Whose::Owing),
    default_on: true,
    page: include_str!("../../../docs/rules/never-answered.md"),
    check,
};

const NAMELESS: &str = "the log has a cancel without its target";

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Unanswered { exchange, judgement, permission_of_cancelled_turn: None, .. } = event.what else {
        return None;
    };
    if exchange.cancel().is_some() {
        return None;
    }
    let (label, title) = (exchange.label(), exchange.title());
    let finding = found(RULE.code, event, format!("{label} {title} was never answered: {}", ending(event)?))?;
    let finding = finding.about(exchange).maybe("progress", exchange.last_progress).with("end", event.seen);
    let judgement = if may_be_cancelled(event, exchange) { Judgement::undecidable(NAMELESS) } else { judgement };
    Some(finding.judged(&judgement))
}

/// Where a cancelled request is owed nothing, a cancel whose target the log does not tell may have been for this one.
fn may_be_cancelled(event: &Event<'_>, exchange: &Exchange) -> bool {
    let connection = event.connection;
    let taken_out = || event.ledger.taken_out(Some(exchange.issuer), exchange.request.frame, event.seen.frame);
    let nameless = !connection.proof.covers(Proof::CANCEL_TARGET) || taken_out().is_some();
    connection.cancels > 0 && nameless && !event.profile.answers_cancelled()
}
