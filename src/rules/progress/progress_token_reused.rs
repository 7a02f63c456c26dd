//! A request that gives the progress token of another request of the same side, while that one is in flight.
//!
//! Left alone: the same token in both directions, and the token of a request that was cancelled.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PRG005",
    name: "progress-token-reused",
    summary: "a request gave a progress token that is in use",
    on: On::Request,
    duty: Duty::either(Occasions::GIVES_TOKEN),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::ANSWER_TIME).and(Proof::BOTH_SIDES).and(Proof::CLIENT),
    absence: Absence::Between(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/progress-token-reused.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Request { exchange, token_in_use: Some(owner), .. } = event.what else { return None };
    let token = exchange.progress_token.as_ref()?;
    let (label, title) = (exchange.label(), exchange.title());
    let summary = format!("{label} {title} gives the progress token {token}, which a request in flight has given");
    Some(found(RULE.code, event, summary)?.with("owner of the token", owner).about(exchange))
}
