//! An answer that creates a task with the id of one that another answer of the same receiver had created.
//!
//! Left alone: tasks of which only the status was reported before.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, TaskReport, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TSK013",
    name: "task-id-reused",
    summary: "a new task has the id of an earlier one",
    on: On::Task,
    duty: Duty::either(Occasions::CREATES_TASK),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::CLIENT),
    absence: Absence::Between(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/task-id-reused.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Task(TaskReport { task, exchange: Some(exchange), recreated: Some(earlier), .. }) = event.what else {
        return None;
    };
    let summary = format!("the answer to {} creates the task {task}, and an answer before it had", exchange.label());
    let finding = found(RULE.code, event, summary)?.with("earlier request", earlier);
    Some(finding.about(exchange).with("response", event.seen))
}
