//! A second `initialize` in one connection.
//!
//! Left alone: a further attempt after the first was answered by an error, and one after `shutdown` (LIF006 speaks of it). Where
//! the log does not keep connections apart, the server may have been started anew, unless it says that it was not.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF004",
    name: "duplicate-initialize",
    summary: "the handshake was asked for twice",
    on: On::AskedAnew,
    duty: Duty::client(Occasions::HANDSHAKE),
    needs: Proof::DIRECTION.and(Proof::CLIENT),
    absence: Absence::Between(Whose::Both),
    default_on: true,
    page: include_str!("../../../docs/rules/duplicate-initialize.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::AskedAnew { first, answered, refusal, judgement } = event.what else { return None };
    let method = event.profile.opening.initialize?;
    let summary = format!("{method} was sent a second time{}", race_text(&judgement));
    let finding = found(RULE.code, event, summary)?.judged(&judgement);
    let finding = finding.with("initialize", first).maybe("response", answered).with("message", event.seen);
    Some(finding.maybe("refusal", refusal))
}
