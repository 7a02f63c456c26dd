//! A request of the client without the two members of `_meta` that the revision requires of every request.
//!
//! Left alone: connections with a handshake, and methods that the revision has dropped: such a request belongs to an
//! older revision, which the same server may serve as well.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::Side;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF011",
    name: "missing-request-meta",
    summary: "a request does not state its revision and capabilities",
    on: On::Request,
    duty: Duty::client(Occasions::REQUESTS),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/missing-request-meta.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Request { exchange, facts, .. } = event.what else { return None };
    if !event.profile.revision_per_request || exchange.issuer != Side::Client {
        return None;
    }
    let lacking = match (facts.meta_revision().is_some(), facts.meta_capabilities().is_some()) {
        (true, true) => return None,
        (true, false) => "client capabilities",
        (false, true) => "protocol version",
        (false, false) => "protocol version and no client capabilities",
    };
    if event.connection.lifecycle.initialize.is_some() || event.profile.removed_method(&exchange.method) {
        return None;
    }
    let (label, title) = (exchange.label(), exchange.title());
    Some(found(RULE.code, event, format!("{label} {title} states no {lacking} in _meta"))?.about(exchange))
}
