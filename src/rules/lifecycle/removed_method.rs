//! A request that states a revision and uses a method which that revision no longer has.
//!
//! Left alone: requests that state no revision. A server may serve two eras at once, and they may belong to the older one.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF010",
    name: "removed-method",
    summary: "a request uses a method that its own revision has dropped",
    on: On::Request,
    duty: Duty::client(Occasions::REQUESTS),
    needs: Proof::PAYLOAD,
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/removed-method.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Request { exchange, facts, .. } = event.what else { return None };
    if facts.meta_revision().is_none() || !event.profile.removed_method(&exchange.method) {
        return None;
    }
    let (label, method, profile) = (exchange.label(), &exchange.method, event.profile.label());
    Some(found(RULE.code, event, format!("{label} uses {method}, which {profile} has removed"))?.about(exchange))
}
