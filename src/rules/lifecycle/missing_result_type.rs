//! A result of the server without `resultType`, for a request that stated a revision which requires it.
//!
//! Left alone: answers to requests without `_meta`, and answers of the client (LIF015 speaks of them).

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::Kind;
use crate::protocol::Side;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF013",
    name: "missing-result-type",
    summary: "a result does not say what kind of result it is",
    on: On::Answer,
    duty: Duty::server(Occasions::RESULTS),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Reused(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/missing-result-type.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, message, facts, request_has_meta, .. } = event.what else { return None };
    if !event.profile.revision_per_request || facts.result_type().is_some() || !request_has_meta {
        return None;
    }
    if exchange.issuer != Side::Client || message.kind != Kind::Result {
        return None;
    }
    let (label, title) = (exchange.label(), exchange.title());
    let finding = found(RULE.code, event, format!("the result for {label} {title} has no resultType"))?;
    Some(finding.about(exchange).with("response", event.seen))
}
