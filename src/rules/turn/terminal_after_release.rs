//! A request about a terminal that its agent has released before.
//!
//! Left alone: releases of which the agent had no answer yet or that were refused, terminals of another session with the same id, and ids
//! that the client has given again since.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, reserved};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SES019",
    name: "terminal-after-release",
    summary: "a terminal was used after it was released",
    on: On::Released,
    duty: Duty::server(Occasions::ASKS_TERMINAL),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::BOTH_SIDES),
    absence: Absence::Between(Whose::Both),
    default_on: true,
    page: include_str!("../../../docs/rules/terminal-after-release.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Released { exchange, released, answer, judgement } = event.what else { return None };
    let reason = reserved(&judgement);
    let summary = format!("{} {} is for a terminal that was released{reason}", exchange.label(), exchange.title());
    let finding = found(RULE.code, event, summary)?.about(exchange).with("release", released);
    Some(finding.with("response", answer).judged(&judgement))
}
