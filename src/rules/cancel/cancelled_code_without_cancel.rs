//! Error -32800 for a request that was not cancelled in the protocol's own way.
//!
//! Left alone: protocols that let a side cancel work of its own accord and say so with this code.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN013",
    name: "cancelled-code-without-cancel",
    summary: "a request that nobody cancelled was answered as cancelled",
    on: On::Answer,
    duty: Duty::either(Occasions::ERRORS),
    needs: Proof::CANCEL_TARGET.and(Proof::ANSWER_TIME).and(Proof::ERROR_CODE),
    absence: Absence::Between(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/cancelled-code-without-cancel.md"),
    check,
};

/// The literal code: protocols that define no cancelled code see it too, from libraries made for others.
const REQUEST_CANCELLED: i64 = -32800;

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, .. } = event.what else { return None };
    if exchange.error_code != Some(REQUEST_CANCELLED) || exchange.cancel().is_some() {
        return None;
    }
    let foreign = exchange.cancels.first();
    let why = match foreign {
        Some(cancel) => format!("which was cancelled only by {}, a foreign dialect", cancel.mechanism.as_str()),
        None => "which nobody cancelled".to_string(),
    };
    let (label, title) = (exchange.label(), exchange.title());
    let summary = format!("error {REQUEST_CANCELLED} for {label} {title}, {why}");
    let finding = found(RULE.code, event, summary)?.about(exchange);
    Some(finding.maybe("foreign cancel", foreign.map(|cancel| cancel.seen)).with("response", event.seen))
}
