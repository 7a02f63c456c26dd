//! A server refuses a request that brings less input than it had asked for, and does not ask for the rest again (MCP 2026-07-28).
//!
//! Left alone: errors of another code than -32602. One that does not name what is missing may have another reason, and is not decidable.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF033",
    name: "shortfall-refused",
    summary: "a request that lacks an input was refused, and the input not asked for again",
    on: On::Shortfall,
    duty: Duty::server(Occasions::ASKED_AGAIN),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::ERROR_CODE),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/shortfall-refused.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Shortfall { exchange, asked, missing, named } = event.what else { return None };
    let (label, title) = (exchange.label(), exchange.title());
    let summary = format!("{label} {title} does not bring {missing}, and is refused: the server does not ask again");
    let finding = found(RULE.code, event, summary)?.with("asked for input", asked);
    let finding = finding.about(exchange).with("response", event.seen);
    Some(if named { finding } else { finding.undecidable("the refusal may have another reason: it does not name it") })
}
