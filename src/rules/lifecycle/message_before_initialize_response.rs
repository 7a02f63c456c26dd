//! A message of the client between its `initialize` and the answer to it. Which messages have to wait is the profile's to say.
//!
//! Left alone: the cancel of `initialize` (CAN003 speaks of it) and a second `initialize` (LIF004).

use super::order_of;
use crate::capture::Proof;
use crate::finding::Finding;
use crate::number::duration;
use crate::protocol::Side;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF002",
    name: "message-before-initialize-response",
    summary: "the client did not wait for the answer to the handshake",
    on: On::Message,
    duty: Duty::client(Occasions::HANDSHAKE_ANSWERED),
    needs: Proof::DIRECTION.and(Proof::BOTH_SIDES).and(Proof::CLIENT),
    absence: Absence::Before(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/message-before-initialize-response.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Message { message, cancels_initialize, .. } = event.what else { return None };
    let steps = &event.connection.lifecycle;
    if steps.initialize_answer.is_some() || cancels_initialize {
        return None;
    }
    let initialize = steps.initialize?;
    let method = message.method();
    if event.sender != Some(Side::Client)
        || event.profile.opening.initialize == Some(method)
        || !event.profile.client_waits(message.kind, method)
    {
        return None;
    }
    let order = order_of(event, Side::Client);
    let after = event.seen.since(initialize).map_or(String::new(), |us| format!(", {} after it", duration(us)));
    let summary = format!("{method} was sent before the answer to initialize{after}{}", race_text(&order));
    let finding = found(RULE.code, event, summary)?.judged(&order);
    Some(finding.with("initialize", initialize).with("message", event.seen))
}
