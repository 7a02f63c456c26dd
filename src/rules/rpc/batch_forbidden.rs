//! An array of messages, in a protocol that does not provide for batches. One finding for each array.
//!
//! Left alone: the members, which are judged like any other message, and an array without any (RPC015 speaks of it).

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC013",
    name: "batch-forbidden",
    summary: "an array of messages where the protocol has no batches",
    on: On::Batch,
    duty: Duty::either(Occasions::MESSAGES),
    needs: Proof::ENVELOPE,
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/batch-forbidden.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Batch(batch) = event.what else { return None };
    let summary = match batch.members {
        1 => format!("array of 1 message: {} does not provide for batches", event.profile.label()),
        n => format!("array of {n} messages: {} does not provide for batches", event.profile.label()),
    };
    // An empty one holds no message that could be objected to; it is RPC015's.
    if batch.members == 0 {
        return None;
    }
    Some(found(RULE.code, event, summary)?.with("batch", event.seen))
}
