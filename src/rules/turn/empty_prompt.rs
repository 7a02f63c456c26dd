//! A prompt without contents.
//!
//! Left alone: prompts that are no list.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SES017",
    name: "empty-prompt",
    summary: "a prompt is empty",
    on: On::Request,
    duty: Duty::client(Occasions::PROMPTS),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/empty-prompt.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Request { exchange, facts, .. } = event.what else { return None };
    let summary = || format!("{} {} is empty", exchange.label(), exchange.title());
    let empty = facts.kinds.is_empty_prompt().then(summary)?;
    Some(found(RULE.code, event, empty)?.about(exchange))
}
