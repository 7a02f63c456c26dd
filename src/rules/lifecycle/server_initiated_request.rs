//! A request of the server, in a revision in which only the client asks.
//!
//! Left alone: connections with a handshake, which belong to an older revision.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::Side;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF014",
    name: "server-initiated-request",
    summary: "the server sent a request where only the client may",
    on: On::Request,
    duty: Duty::server(Occasions::MESSAGES),
    needs: Proof::DIRECTION,
    absence: Absence::Before(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/server-initiated-request.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Request { exchange, stated_by, .. } = event.what else { return None };
    if exchange.issuer != Side::Server || event.connection.lifecycle.initialize.is_some() {
        return None;
    }
    event.profile.ruling(RULE.code)?;
    let (label, title) = (exchange.label(), exchange.title());
    let finding = found(RULE.code, event, format!("the server sent the request {label} {title}"))?.about(exchange);
    // Where each request of the one client states the revision, or the one that is answered here, no handshake that the log lacks could
    // have settled another.
    let is_stated = !event.connection.revision_assumed && event.connection.proof.covers(Proof::CLIENT);
    let finding = if is_stated || stated_by.is_some() { finding.concluding(Absence::None) } else { finding };
    Some(finding.maybe("request", stated_by))
}
