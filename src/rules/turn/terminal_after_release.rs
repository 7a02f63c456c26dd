//! A request about a terminal that its agent has released before.
//!
//! Left alone: releases that are not answered yet or were refused, and ids that the client has given again since.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
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
    let What::Released { exchange, released } = event.what else { return None };
    let summary = format!("{} {} is for a terminal that was released", exchange.label(), exchange.title());
    Some(found(RULE.code, event, summary)?.about(exchange).with("release", released))
}
