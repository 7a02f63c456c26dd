//! A notification for a subscription whose filter does not have its type. Said once for each type.
//!
//! Left alone: which resources are meant (the server may report on a part of one), and notifications of extensions.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SUB003",
    name: "unrequested-type",
    summary: "a subscription delivers notifications that it did not ask for",
    on: On::Unrequested,
    duty: Duty::server(Occasions::PAST_LISTENED),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Between(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/unrequested-type.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Unrequested { exchange, member, method } = event.what else { return None };
    let summary = format!("{method} comes for the subscription {}, which did not ask for {member}", exchange.label());
    Some(found(RULE.code, event, summary)?.about(exchange).with("notification", event.seen))
}
