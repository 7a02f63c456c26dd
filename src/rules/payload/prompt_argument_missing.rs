//! A server gives a prompt although the request lacks an argument that it has listed as required.
//!
//! Left alone: prompts of which two lists do not say the same, or that may have changed since they were listed; questions for input.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PAY019",
    name: "prompt-argument-missing",
    summary: "a prompt was given without an argument that its server requires",
    on: On::Unvalidated,
    duty: Duty::server(Occasions::GIVES_PROMPT),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Between(Whose::Sender),
    default_on: false,
    page: include_str!("../../../docs/rules/prompt-argument-missing.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Unvalidated { exchange, listed, argument } = event.what else { return None };
    let (label, title) = (exchange.label(), exchange.title());
    let summary = format!("{label} {title} was served without the argument {argument}, which the server requires");
    let finding = found(RULE.code, event, summary)?.with("definition", listed);
    Some(finding.about(exchange).with("response", event.seen))
}
