//! A subscription that the server ended by a successful response, with or without a `notifications/cancelled` before
//! it.
//!
//! Off unless selected: two pages of the revision ask for different signals, so neither can be called wrong. Left
//! alone: subscriptions that the client cancelled, and rejections.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, Outcome, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN022",
    name: "listen-teardown-signal",
    summary: "a server ended a subscription by a response",
    on: On::Answer,
    duty: Duty::server(Occasions::ANSWERS),
    needs: Proof::CANCEL_TARGET.and(Proof::ANSWER_TIME).and(Proof::DIRECTION),
    absence: Absence::Since(Whose::Sender),
    default_on: false,
    page: include_str!("../../../docs/rules/listen-teardown-signal.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, .. } = event.what else { return None };
    let ended = exchange.known.is_some_and(|method| method.long_lived) && exchange.outcome == Outcome::Result;
    if !ended || exchange.cancels.iter().any(|cancel| cancel.sender == exchange.issuer) {
        return None;
    }
    let notified = exchange.cancels.iter().find(|cancel| cancel.sender != exchange.issuer);
    let other = if notified.is_some() { "and by a cancel notification" } else { "without a cancel notification" };
    let (label, title) = (exchange.label(), exchange.title());
    let finding = found(RULE.code, event, format!("{label} {title} was ended by a response {other}"))?;
    Some(finding.about(exchange).maybe("cancel", notified.map(|cancel| cancel.seen)).with("response", event.seen))
}
