//! A result for `tasks/cancel` that reports another status than `cancelled`.
//!
//! Left alone: a result without a status, and a task that had ended before (TSK001 speaks of it).

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TSK005",
    name: "cancel-result-not-cancelled",
    summary: "a task was cancelled with success and is not in the status cancelled",
    on: On::TaskCancelAnswer,
    duty: Duty::either(Occasions::ANSWERS_TASK_CANCEL),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Reused(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/cancel-result-not-cancelled.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::TaskCancelAnswer { exchange, task, terminal: None, status: Some(status), is_error: false, .. } =
        event.what
    else {
        return None;
    };
    if status == "cancelled" {
        return None;
    }
    let summary = format!("{} cancelled task {task}, whose status is {status} all the same", exchange.label());
    Some(found(RULE.code, event, summary)?.about(exchange).with("response", event.seen))
}
