//! An `exit` that overtakes the answer to `shutdown`.
//!
//! Left alone: an `exit` without any `shutdown`.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::number::duration;
use crate::protocol::Side;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF009",
    name: "exit-before-shutdown-response",
    summary: "the client did not wait for the answer to its shutdown",
    on: On::Message,
    duty: Duty::client(Occasions::EXIT),
    needs: Proof::DIRECTION.and(Proof::BOTH_SIDES),
    absence: Absence::Before(Whose::Both),
    default_on: true,
    page: include_str!("../../../docs/rules/exit-before-shutdown-response.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Message { message, .. } = event.what else { return None };
    let steps = &event.connection.lifecycle;
    let shutdown = steps.shutdown?;
    if steps.shutdown_answer.is_some()
        || event.sender != Some(Side::Client)
        || event.profile.opening.exit.is_none()
        || event.profile.opening.exit != message.method.as_deref()
    {
        return None;
    }
    let after = event.seen.since(shutdown).map_or(String::new(), |us| format!(", {} after it", duration(us)));
    let summary = format!("{} was sent before the answer to shutdown{after}", message.method());
    Some(found(RULE.code, event, summary)?.with("shutdown", shutdown).with("message", event.seen))
}
