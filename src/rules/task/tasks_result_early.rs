//! A report that a task is still at work, after its result was delivered. Both come from the owner of the task, so their order is known.
//!
//! Left alone: tasks that had been reported as ended before (TSK003 and TSK004 speak of them), and refusals of `tasks/result`.

use super::reported;
use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Duty, Occasions, On, Rule, found};
use crate::session::{Event, TaskReport, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TSK008",
    name: "tasks-result-early",
    summary: "the result of a task was delivered before the task had ended",
    on: On::Task,
    duty: Duty::either(Occasions::DELIVERS_TASK),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/tasks-result-early.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Task(report) = event.what else { return None };
    let answer = report.delivered?;
    let ended = report.before.is_some_and(|(_, status)| is_terminal(status));
    if ended || is_terminal(report.status) {
        return None;
    }
    let summary = format!("task {} is {} after its result was delivered", report.task, report.status);
    let report = TaskReport { judgement: report.behind_delivery, ..report };
    Some(reported(found(RULE.code, event, summary)?, event, &report, Some(answer)))
}

fn is_terminal(status: &str) -> bool {
    matches!(status, "completed" | "failed" | "cancelled")
}
