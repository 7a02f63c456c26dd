//! A result that asks for input with a request that the capabilities stated by the client's own request do not have.
//!
//! Left alone: requests that state no capabilities (LIF011), and kinds of input that the protocol does not tie to a capability.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::input_methods;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF020",
    name: "input-not-declared",
    summary: "a server asks for input of a kind that the client did not declare",
    on: On::Answer,
    duty: Duty::server(Occasions::ASKS_INPUT),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/input-not-declared.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, facts, stated: Some(stated), .. } = event.what else { return None };
    let asked = facts.input_requests().map(input_methods).unwrap_or_default();
    let (method, needs) = asked.iter().find_map(|method| {
        let needs = event.profile.needs(method).filter(|needs| !stated.declares(needs))?;
        Some((method, needs))
    })?;
    let (label, title) = (exchange.label(), exchange.title());
    let summary = format!("the answer to {label} {title} asks for {method}, and the request does not declare {needs}");
    Some(found(RULE.code, event, summary)?.about(exchange).with("response", event.seen))
}
