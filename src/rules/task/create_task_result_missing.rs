//! A request that asked for a task, of a receiver that declared it, and that was answered by a plain result.
//!
//! Left alone: receivers that did not declare tasks for that request (they may ignore the wish), and errors.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::Kind;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, TaskState, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TSK009",
    name: "create-task-result-missing",
    summary: "a request for a task was answered by a plain result",
    on: On::Answer,
    duty: Duty::either(Occasions::ANSWERS_TASK),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Reused(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/create-task-result-missing.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, message, facts, .. } = event.what else { return None };
    if exchange.task != TaskState::Asked || message.kind != Kind::Result || facts.task_created {
        return None;
    }
    let summary = format!("{} {} asked for a task, and its result names none", exchange.label(), exchange.title());
    Some(found(RULE.code, event, summary)?.about(exchange).with("response", event.seen))
}
