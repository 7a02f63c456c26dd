//! A message of the server that the handshake does not allow yet: before `initialized` or before its own answer to
//! `initialize`, as the profile says.
//!
//! Left alone: what the profile lets a server send at any time, and everything once the client itself has gone on
//! without ending the handshake (LIF005 speaks of that).

use super::order_of;
use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::Message;
use crate::protocol::{Facts, Side};
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF003",
    name: "server-message-too-early",
    summary: "the server did not wait for the end of the handshake",
    on: On::Message,
    duty: Duty::server(Occasions::HANDSHAKE_ANSWERED),
    needs: Proof::DIRECTION.and(Proof::BOTH_SIDES).and(Proof::CLIENT),
    absence: Absence::Before(Whose::Both),
    default_on: true,
    page: include_str!("../../../docs/rules/server-message-too-early.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Message { message, facts, .. } = event.what else { return None };
    let steps = &event.connection.lifecycle;
    if steps.initialized.is_some() || steps.operated_early || event.sender != Some(Side::Server) {
        return None;
    }
    let for_the_end = event.profile.server_waits_for_initialized;
    if !for_the_end && steps.initialize_answer.is_some() {
        return None;
    }
    let known = steps.initialize.is_some() || event.connection.complete_head();
    let opening = &event.profile.opening;
    let awaited = if for_the_end { opening.initialized? } else { "the answer to initialize" };
    let waits =
        event.profile.server_waits(message.kind, message.method()) || is_foreign_progress(event, message, facts);
    if !known || !waits {
        return None;
    }
    let order = order_of(event, Side::Server);
    let summary = format!("the server sent {} before {awaited}{}", message.method(), race_text(&order));
    let finding = found(RULE.code, event, summary)?.judged(&order);
    Some(finding.maybe("initialize", steps.initialize).with("message", event.seen))
}

/// True for progress on a token that is shown to be another than that of the handshake, the only one that there can be.
fn is_foreign_progress(event: &Event<'_>, message: &Message<'_>, facts: &Facts<'_>) -> bool {
    let Some(asked) = event.connection.lifecycle.initialize else { return false };
    let is_progress = !event.profile.server_waits_for_initialized && event.profile.progress == Some(message.method());
    let Some(token) = Facts::id(facts.token()).filter(|_| is_progress && !facts.taken_out) else { return false };
    let shown = event.connection.proof.covers(Proof::PAYLOAD)
        && event.ledger.taken_out(Some(Side::Client), asked.frame, asked.frame).is_none();
    shown && event.connection.handshake_token != Some(token)
}
