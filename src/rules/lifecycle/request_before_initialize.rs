//! The first request of a client that has not asked for the handshake yet, in a capture that starts with the connection.
//!
//! Left alone: what may come first (a ping; in ACP everything outside sessions), captures that start in the middle,
//! and all such requests but the first of a connection.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF001",
    name: "request-before-initialize",
    summary: "a request came before the handshake",
    on: On::EarlyRequest,
    duty: Duty::client(Occasions::HANDSHAKE),
    needs: Proof::DIRECTION.and(Proof::CLIENT),
    absence: Absence::Before(Whose::Sender),
    default_on: true,
    page: include_str!("../../../docs/rules/request-before-initialize.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::EarlyRequest { method } = event.what else { return None };
    if !event.connection.complete_head() || !event.profile.must_follow_initialize(method) {
        return None;
    }
    let finding = found(RULE.code, event, format!("request {method} was sent before the handshake was asked for"))?;
    Some(finding.with("request", event.seen))
}
