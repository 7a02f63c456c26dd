//! A task that was reported as cancelled and later as anything else.

use super::reported;
use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TSK003",
    name: "cancelled-status-changed",
    summary: "a cancelled task was reported in another status",
    on: On::Task,
    duty: Duty::either(Occasions::TASK_CANCELLED),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/cancelled-status-changed.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Task(report) = event.what else { return None };
    let (before, "cancelled") = report.before? else { return None };
    if report.status == "cancelled" {
        return None;
    }
    let summary = format!("task {} was cancelled and is now reported {}", report.task, report.status);
    Some(reported(found(RULE.code, event, summary)?, event, &report, Some(before)))
}
