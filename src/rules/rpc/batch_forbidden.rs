//! An array of messages, in a protocol that does not provide for batches. One finding for each array.
//!
//! Left alone: the members, which are judged like any other message.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::Severity;
use crate::rules::{Absence, Build, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC013",
    name: "batch-forbidden",
    summary: "an array of messages where the protocol has no batches",
    on: On::Batch,
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
    let finding = found(RULE.code, event, summary)?;
    // Where batches are merely not mentioned, an empty one is RPC015's.
    if batch.members == 0 && finding.severity == Severity::Note {
        return None;
    }
    Some(finding.with("batch", event.seen))
}
