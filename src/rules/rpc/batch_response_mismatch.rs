//! A batch of requests whose answers did not come in one array, or an array of answers that do not belong to one batch.
//!
//! Left alone: protocols without batches, and the order of the answers within the array.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, Seen, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC022",
    name: "batch-response-mismatch",
    summary: "batched requests and batched responses do not correspond",
    on: On::BatchMismatch,
    duty: Duty::either(Occasions::ANSWERS_BATCH),
    needs: Proof::ENVELOPE.and(Proof::DIRECTION),
    absence: Absence::Between(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/batch-response-mismatch.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::BatchMismatch { detail, requests } = event.what else { return None };
    let finding = found(RULE.code, event, detail.to_string())?;
    Some(finding.with("batch", Seen { frame: requests, at_us: None }).with("response", event.seen))
}
