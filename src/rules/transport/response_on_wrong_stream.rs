//! A response, progress or a subscription's notification on the response stream of another request, while its own request has a stream of
//! its own.
//!
//! Left alone: messages that belong to no request.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TRN003",
    name: "response-on-wrong-stream",
    summary: "a message came on the stream of another request",
    on: On::Misplaced,
    duty: Duty::server(Occasions::MESSAGES).over_http(),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::STREAMS),
    absence: Absence::Between(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/response-on-wrong-stream.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Misplaced { exchange, stream: Some(other), .. } = event.what else { return None };
    let (label, title) = (exchange.label(), exchange.title());
    let summary = format!("what belongs to {label} {title} comes on the stream of another request");
    Some(found(RULE.code, event, summary)?.about(exchange).with("stream", other).with("message", event.seen))
}
