//! The notification that ends the handshake is missing where the client goes on to work, comes before the answer that it
//! confirms, or comes twice where it may be sent only once.
//!
//! Left alone: messages before the answer (LIF002 speaks of them), a cancel of the handshake, an `exit`, and a handshake that
//! failed. Reported once a connection, where it is missing.

use super::order_of;
use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::Kind;
use crate::protocol::Side;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF005",
    name: "initialized-missing-or-early",
    summary: "the client did not end the handshake in its place",
    on: On::Message,
    duty: Duty::client(Occasions::HANDSHAKE_ANSWERED),
    needs: Proof::DIRECTION.and(Proof::BOTH_SIDES).and(Proof::CLIENT),
    absence: Absence::Before(Whose::Both),
    default_on: true,
    page: include_str!("../../../docs/rules/initialized-missing-or-early.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Message { message, cancels_initialize, .. } = event.what else { return None };
    if event.sender != Some(Side::Client) {
        return None;
    }
    let steps = &event.connection.lifecycle;
    let method = message.method();
    let opening = &event.profile.opening;
    let (initialize, initialized) = (steps.initialize?, opening.initialized?);
    let summary = if message.kind == Kind::Notification && method == initialized {
        match (steps.initialize_answer, steps.initialized) {
            (None, None) if !event.profile.client_waits(message.kind, method) => {
                format!("{initialized} was sent before the answer to initialize")
            }
            (_, Some(_)) if event.profile.initialized_once => format!("{initialized} was sent a second time"),
            _ => return None,
        }
    } else {
        let done = steps.initialized.is_some() || steps.operated_early;
        if done || steps.initialize_answer.is_none() || steps.initialize_failed {
            return None;
        }
        let exempt = cancels_initialize || [opening.initialize, opening.exit].contains(&Some(method));
        if exempt || !event.profile.client_waits(message.kind, method) {
            return None;
        }
        format!("{method} was sent and no {initialized} before it")
    };
    let order = order_of(event, Side::Client);
    let finding = found(RULE.code, event, summary + &race_text(&order))?.judged(&order);
    let finding = finding.with("initialize", initialize).maybe("response", steps.initialize_answer);
    Some(finding.maybe("initialized", steps.initialized).with("message", event.seen))
}
