//! A result for a request that lacked the members of `_meta` which the revision requires: the server has to reject it.
//!
//! Left alone: any error, and requests that belong to an older revision, as in LIF011.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::Kind;
use crate::protocol::Side;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF012",
    name: "missing-meta-accepted",
    summary: "a request that should have been rejected was served",
    on: On::Answer,
    duty: Duty::server(Occasions::ANSWERS_UNSTATED),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Reused(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/missing-meta-accepted.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, message, request_has_meta, .. } = event.what else { return None };
    if !event.profile.revision_per_request || request_has_meta {
        return None;
    }
    let older = event.connection.lifecycle.initialize.is_some() || event.profile.removed_method(&exchange.method);
    if older || exchange.issuer != Side::Client || message.kind != Kind::Result {
        return None;
    }
    let (label, title) = (exchange.label(), exchange.title());
    let summary = format!("{label} {title} lacked its _meta and was answered by a result, not by error -32602");
    Some(found(RULE.code, event, summary)?.about(exchange).with("response", event.seen))
}
