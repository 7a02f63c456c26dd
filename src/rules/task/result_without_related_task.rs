//! A result of `tasks/result` without the related task in its `_meta`.
//!
//! Left alone: refusals.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::Kind;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TSK011",
    name: "result-without-related-task",
    summary: "the result of a task does not say which task it is of",
    on: On::Answer,
    duty: Duty::either(Occasions::DELIVERS_TASK),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Between(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/result-without-related-task.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, message, facts, .. } = event.what else { return None };
    if &*exchange.method != "tasks/result" || message.kind != Kind::Result || facts.related_task().is_some() {
        return None;
    }
    let summary = format!("the result of {} tasks/result does not name its task", exchange.label());
    Some(found(RULE.code, event, summary)?.about(exchange).with("response", event.seen))
}
