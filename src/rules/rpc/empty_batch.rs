//! An array without members, sent as a batch of requests or as the answer to one. It is one in protocols without batches, too.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC015",
    name: "empty-batch",
    summary: "an empty array was sent as a batch",
    on: On::Batch,
    duty: Duty::either(Occasions::BATCHES),
    needs: Proof::ENVELOPE,
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/empty-batch.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Batch(batch) = event.what else { return None };
    if batch.members != 0 {
        return None;
    }
    Some(found(RULE.code, event, "array without any message".to_string())?.with("batch", event.seen))
}
