//! A result of `tasks/result` without the related task in its `_meta`, or with another one than was asked for.
//!
//! Left alone: refusals, and names that a filter has taken out.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::Kind;
use crate::protocol::{Facts, is_placeholder};
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
    absence: Absence::Reused(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/result-without-related-task.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, message, facts, topic, .. } = event.what else { return None };
    if &*exchange.method != "tasks/result" || message.kind != Kind::Result {
        return None;
    }
    let fault = match Facts::text(facts.related_task()).filter(|name| !name.is_empty()) {
        None => "does not name its task",
        Some(_) if Facts::told(facts.related_task()).is_none() => return None,
        Some(name) if topic.is_some_and(|asked| *asked != *name && !is_placeholder(&format!("{asked:?}"))) => {
            "names another task than was asked for"
        }
        Some(_) => return None,
    };
    let summary = format!("the result of {} tasks/result {fault}", exchange.label());
    Some(found(RULE.code, event, summary)?.about(exchange).with("response", event.seen))
}
