//! A result for `tasks/cancel` from a receiver that had reported before that the task has ended, or had delivered its result, which must
//! wait for the end.

use super::{in_order, order_of_reports};
use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TSK001",
    name: "cancel-terminal-accepted",
    summary: "a task that had ended before was cancelled with success",
    on: On::TaskCancelAnswer,
    duty: Duty::either(Occasions::ANSWERS_LATE_TASK_CANCEL),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Between(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/cancel-terminal-accepted.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::TaskCancelAnswer { exchange, task, terminal, delivered, status, is_error: false, .. } = event.what else {
        return None;
    };
    let (role, seen, ended) = match (terminal, delivered) {
        (Some((seen, status)), _) => ("status", seen, format!("reported {status} before")),
        // Of a task that is not said to have ended now, the delivery came too early: TSK008.
        (None, Some(seen)) if status == Some("cancelled") => {
            ("result", seen, "of which the result was delivered before".to_string())
        }
        _ => return None,
    };
    let summary = format!("{} cancels task {task}, {ended}, and was accepted", exchange.label());
    let order = order_of_reports(event, exchange, seen);
    let finding = found(RULE.code, event, summary + &race_text(&order))?.judged(&order);
    Some(in_order(finding.with(role, seen).about(exchange).with("response", event.seen)))
}
