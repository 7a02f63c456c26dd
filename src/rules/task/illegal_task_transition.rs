//! A task that had ended and is reported in another status, or that does not begin as `working`.
//!
//! Left alone: a cancelled task that changes its status (TSK003 speaks of it).

use super::reported;
use crate::capture::{Proof, Transport};
use crate::finding::Finding;
use crate::rules::{Absence, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, FrameId, TaskReport, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TSK004",
    name: "illegal-task-transition",
    summary: "a task changed its status in a way that is not allowed",
    on: On::Task,
    duty: Duty::either(Occasions::REPORTS_TASK_AGAIN.and(Occasions::CREATES_TASK)),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/illegal-task-transition.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Task(report) = event.what else { return None };
    let (task, status) = (report.task, report.status);
    match report.before {
        Some((before, old @ ("completed" | "failed"))) if old != status => {
            let summary = format!("task {task} was {old} and is now reported {status}");
            Some(reported(found(RULE.code, event, summary)?, event, &report, Some(before)))
        }
        None if report.created && status != "working" => {
            let finding = found(RULE.code, event, format!("task {task} begins as {status}, not as working"))?;
            // The ruling quotes the sentence on ended tasks; the one on the beginning is another.
            let clause = event.profile.clause("TSK004/first");
            let finding = reported(Finding { clause, ..finding }, event, &report, None);
            Some(finding.concluding(not_told_before(event, &report)))
        }
        _ => None,
    }
}

/// Over HTTP what was told of it before may have come on another stream, and stand anywhere behind its request.
fn not_told_before(event: &Event<'_>, report: &TaskReport<'_>) -> Absence {
    let asked = report.exchange.filter(|_| event.connection.transport == Transport::Http);
    let last = event.connection.last.map_or(FrameId::MAX, |last| last.frame);
    asked.map_or(Absence::None, |asked| Absence::Within(Whose::Sender, asked.request.frame, last))
}
