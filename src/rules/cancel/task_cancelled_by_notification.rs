//! A cancel by notification of a request that runs as a task. A task is cancelled by the request `tasks/cancel`.
//!
//! Not decidable before the answer that creates the task: until then the issuer has no task id to name. Left alone:
//! `params.task` towards a receiver that declared no tasks, because the request is then an ordinary one.

use super::{faulty, object};
use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Duty, Occasions, On, Rule, Whose, reserved};
use crate::session::{CancelFault, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN017",
    name: "task-cancelled-by-notification",
    summary: "a task was cancelled by notification instead of `tasks/cancel`",
    on: On::Cancel,
    duty: Duty::either(Occasions::CANCELS_TASK),
    needs: Proof::CANCEL_TARGET.and(Proof::ANSWER_TIME).and(Proof::DIRECTION).and(Proof::PAYLOAD).and(Proof::CLIENT),
    absence: Absence::Between(Whose::Both),
    default_on: true,
    page: include_str!("../../../docs/rules/task-cancelled-by-notification.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Cancel { cancel, fault: Some(CancelFault::TaskAugmented(judgement)), target } = event.what else {
        return None;
    };
    let (sender, used) = (cancel.sender.as_str(), cancel.mechanism.as_str());
    let object = object(cancel, target);
    let reason = reserved(&judgement);
    let summary =
        format!("the {sender} cancels {object} by {used}, but it runs as a task: tasks/cancel is due{reason}");
    Some(faulty(RULE.code, event, summary)?.judged(&judgement))
}
