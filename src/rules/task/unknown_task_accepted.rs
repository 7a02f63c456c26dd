//! A `tasks/get`, `tasks/result` or `tasks/cancel` that is answered by a result, though no answer has created the task. Tasks outlive
//! connections, so that is not decidable, unless the same receiver had refused the same name before: then it contradicts itself. Said
//! once for each task.
//!
//! Left alone: logs that do not show how the connection began.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TSK006",
    name: "unknown-task-accepted",
    summary: "a receiver went into a task that was never created",
    on: On::UnknownTask,
    duty: Duty::either(Occasions::REFUSES_TASK),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::BOTH_SIDES),
    absence: Absence::Before(Whose::Both),
    default_on: true,
    page: include_str!("../../../docs/rules/unknown-task-accepted.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::UnknownTask { exchange, task, refused } = event.what else { return None };
    let (label, title) = (exchange.label(), exchange.title());
    let summary = format!("{label} {title} is answered by a result, and nothing has created the task {task}");
    let finding =
        found(RULE.code, event, summary)?.about(exchange).maybe("refusal", refused).with("response", event.seen);
    Some(match refused {
        Some(_) => finding,
        None => finding.undecidable("another connection may have created it"),
    })
}
