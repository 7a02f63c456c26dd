//! A request for a receiver that has declared its capabilities, and not the one that the request needs, and that does not know its method.
//! Said once for each capability. Any other answer leaves open whether the declaration is what is wrong.
//!
//! Left alone: captures in which the declaration is not to be seen, and methods that the protocol does not gate.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::Kind;
use crate::protocol::codes::METHOD_NOT_FOUND;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found_by};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF019",
    name: "capability-not-negotiated",
    summary: "a request needs a capability that its receiver did not declare",
    on: On::Answer,
    duty: Duty::either(Occasions::NEEDS_CAPABILITY),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::BOTH_SIDES),
    absence: Absence::Before(Whose::Sender),
    default_on: true,
    page: include_str!("../../../docs/rules/capability-not-negotiated.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, message, undeclared: Some(needs), .. } = event.what else { return None };
    let (label, title, receiver) = (exchange.label(), exchange.title(), exchange.issuer.peer().as_str());
    let summary = format!("{label} {title} is sent to a {receiver} that did not declare {needs}");
    let ruling = event.profile.ruling_on(RULE.code, needs)?;
    let mut finding = found_by(RULE.code, ruling, event, summary).about(exchange).with("response", event.seen);
    finding.frame = exchange.request.frame;
    finding.by = Some(exchange.issuer);
    Some(match (message.kind, exchange.error_code) {
        (Kind::Error, Some(METHOD_NOT_FOUND)) => finding,
        (Kind::Result, _) => finding.undecidable("it was served, so that the declaration may be what is wrong"),
        _ => finding.undecidable(
            "it failed for another reason than an unknown method, so that the declaration may be what is wrong",
        ),
    })
}
