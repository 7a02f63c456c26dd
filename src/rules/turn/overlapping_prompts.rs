//! A prompt for a session in which another one is in work.
//!
//! Left alone: version 2, in which the answer to a prompt does not end its turn.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::About;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SES011",
    name: "overlapping-prompts",
    summary: "a prompt was sent while another one of its session was in work",
    on: On::Request,
    duty: Duty::client(Occasions::PROMPTS),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::BOTH_SIDES),
    absence: Absence::Unsaid(Whose::Peer, About::State),
    default_on: true,
    page: include_str!("../../../docs/rules/overlapping-prompts.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Request { exchange, overlaps: Some(first), .. } = event.what else { return None };
    let summary = format!("{} is a second prompt of a session in which one is in work", exchange.label());
    let finding = found(RULE.code, event, summary)?.with("first prompt", first).about(exchange);
    Some(finding)
}
