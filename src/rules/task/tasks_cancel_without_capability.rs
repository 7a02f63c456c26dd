//! A `tasks/cancel` for a receiver that has declared its capabilities, and not this one.
//!
//! Left alone: captures in which the receiver's declaration is not to be seen.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TSK007",
    name: "tasks-cancel-without-capability",
    summary: "a task was cancelled although the receiver does not support that",
    on: On::Request,
    duty: Duty::either(Occasions::CANCELS_TASK),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Before(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/tasks-cancel-without-capability.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Request { exchange, .. } = event.what else { return None };
    if &*exchange.method != "tasks/cancel" {
        return None;
    }
    let receiver = exchange.issuer.peer();
    if event.connection.capabilities(receiver)?.tasks_cancel {
        return None;
    }
    let summary = format!("{} is sent to a {} that did not declare tasks.cancel", exchange.label(), receiver.as_str());
    Some(found(RULE.code, event, summary)?.about(exchange))
}
