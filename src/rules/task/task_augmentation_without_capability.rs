//! A tool call that asks for a task, to a server that has not declared support. The call is an ordinary one for all other rules.
//!
//! Left alone: captures in which the declaration is not to be seen, and other methods than the one that the sentence is about.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, TaskState, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TSK012",
    name: "task-augmentation-without-capability",
    summary: "a tool was called as a task although the server does not support that",
    on: On::Request,
    duty: Duty::client(Occasions::ASKS_TASK),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::BOTH_SIDES),
    absence: Absence::Before(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/task-augmentation-without-capability.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Request { exchange, .. } = event.what else { return None };
    if exchange.task != TaskState::AskedInVain || &*exchange.method != "tools/call" {
        return None;
    }
    event.connection.capabilities(exchange.issuer.peer())?;
    let (label, title) = (exchange.label(), exchange.title());
    let summary = format!("{label} {title} asks for a task, and the server did not declare tasks.requests.tools.call");
    Some(found(RULE.code, event, summary)?.about(exchange))
}
