//! A request or notification of the client after its `shutdown`, other than `exit`.
//!
//! Left alone: its answers to requests of the server.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::number::duration;
use crate::protocol::Side;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF006",
    name: "message-after-shutdown",
    summary: "the client went on after it had asked for the end",
    on: On::Message,
    duty: Duty::client(Occasions::SHUTDOWN),
    needs: Proof::DIRECTION.and(Proof::CLIENT),
    absence: Absence::Between(Whose::Sender),
    default_on: true,
    page: include_str!("../../../docs/rules/message-after-shutdown.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Message { message, .. } = event.what else { return None };
    let shutdown = event.connection.lifecycle.shutdown?;
    let method = message.method();
    if event.sender != Some(Side::Client) || method.is_empty() || event.profile.opening.exit == Some(method) {
        return None;
    }
    let after = event.seen.since(shutdown).map_or(String::new(), |us| format!(" {}", duration(us)));
    let finding = found(RULE.code, event, format!("{method} was sent{after} after shutdown"))?;
    Some(finding.with("shutdown", shutdown).with("message", event.seen))
}
