//! A side gives what it had to declare that it supports: a list that is not empty, roots, a sampling, an answer of a person. Its
//! declaration is in the log and does not have it. Said once for each capability.
//!
//! Left alone: empty lists, refusals, and captures in which the declaration is not to be seen.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found_by};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF024",
    name: "support-not-declared",
    summary: "a side gives what it had to declare that it supports, and did not",
    on: On::Unannounced,
    duty: Duty::either(Occasions::GIVES),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::BOTH_SIDES),
    absence: Absence::Before(Whose::Sender),
    default_on: false,
    page: include_str!("../../../docs/rules/support-not-declared.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Unannounced { exchange, offers } = event.what else { return None };
    let own = event.profile.ruling(&format!("{}/{offers}", RULE.code));
    let ruling = own.or_else(|| event.profile.ruling(RULE.code).filter(|_| offers == "tools"))?;
    let (label, title, side) = (exchange.label(), exchange.title(), exchange.issuer.peer().as_str());
    let summary = format!("{label} {title} is served by a {side} that did not declare {offers}");
    Some(found_by(RULE.code, ruling, event, summary).about(exchange).with("response", event.seen))
}
