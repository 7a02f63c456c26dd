//! A second `initialize` in one connection.
//!
//! Left alone: a further attempt after the first was answered by an error, and one after `shutdown` (LIF006 speaks of it).

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::Kind;
use crate::protocol::Side;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, Judgement, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF004",
    name: "duplicate-initialize",
    summary: "the handshake was asked for twice",
    on: On::Message,
    duty: Duty::client(Occasions::HANDSHAKE),
    needs: Proof::DIRECTION.and(Proof::CLIENT),
    absence: Absence::Between(Whose::Both),
    default_on: true,
    page: include_str!("../../../docs/rules/duplicate-initialize.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Message { message, .. } = event.what else { return None };
    let opening = &event.profile.opening;
    if message.kind != Kind::Request
        || opening.initialize != message.method.as_deref()
        || event.sender != Some(Side::Client)
    {
        return None;
    }
    let steps = &event.connection.lifecycle;
    let first = steps.initialize?;
    if steps.initialize_failed || steps.shutdown.is_some() {
        return None;
    }
    const ANEW: &str = "a server that was started anew is asked like this, too";
    let judgement = Judgement::exact_if(event.connection.separated, ANEW);
    let summary = format!("{} was sent a second time{}", message.method(), race_text(&judgement));
    let finding = found(RULE.code, event, summary)?.judged(&judgement);
    Some(finding.with("initialize", first).maybe("response", steps.initialize_answer).with("message", event.seen))
}
