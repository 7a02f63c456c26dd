//! A result of `tasks/cancel` with members besides `resultType` and `_meta`, where the extension has it acknowledged by an empty one.
//!
//! Left alone: revisions in which the task itself is the result.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::Kind;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TSK010",
    name: "ext-cancel-ack-not-empty",
    summary: "the cancel of a task was acknowledged by more than an empty result",
    on: On::Answer,
    duty: Duty::server(Occasions::ANSWERS_TASK_CANCEL),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Reused(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/ext-cancel-ack-not-empty.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, message, facts, .. } = event.what else { return None };
    if &*exchange.method != "tasks/cancel" || message.kind != Kind::Result || !facts.result_more {
        return None;
    }
    let summary = format!("{} tasks/cancel was acknowledged by a result that is not empty", exchange.label());
    Some(found(RULE.code, event, summary)?.about(exchange).with("response", event.seen))
}
