//! An error for `tasks/cancel` of a task that had ended, with another code than "invalid params".

use super::{in_order, order_of_reports};
use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TSK002",
    name: "cancel-terminal-wrong-code",
    summary: "the cancel of a task that had ended was rejected with another code",
    on: On::TaskCancelAnswer,
    duty: Duty::either(Occasions::ANSWERS_LATE_TASK_CANCEL),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::ERROR_CODE),
    absence: Absence::Reused(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/cancel-terminal-wrong-code.md"),
    check,
};

const INVALID_PARAMS: i64 = -32602;

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::TaskCancelAnswer { exchange, task, terminal: Some((seen, status)), error_code, is_error: true, .. } =
        event.what
    else {
        return None;
    };
    let answer = match error_code {
        Some(INVALID_PARAMS) => return None,
        Some(code) => format!("error {code}"),
        None => "an error without a code".to_string(),
    };
    let label = exchange.label();
    let summary = format!(
        "{label} cancels task {task}, reported {status} before, and was rejected by {answer}, not {INVALID_PARAMS}"
    );
    let order = order_of_reports(event, exchange, seen);
    let finding = found(RULE.code, event, summary + &race_text(&order))?.judged(&order);
    Some(in_order(finding.with("status", seen).about(exchange).with("response", event.seen)))
}
