//! An `initialize` request inside an array of messages, or (ACP 2) another request on which the order of the
//! conversation depends.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC014",
    name: "initialize-in-batch",
    summary: "a handshake or lifecycle request is part of a batch",
    on: On::Batch,
    duty: Duty::client(Occasions::BATCHES),
    needs: Proof::ENVELOPE,
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/initialize-in-batch.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Batch(batch) = event.what else { return None };
    let what = match (batch.has_initialize, batch.has_lifecycle) {
        (true, _) => "initialize",
        (false, true) => "a request that opens or ends a session or a turn",
        (false, false) => return None,
    };
    let summary = format!("{what} is part of a batch, {} member(s) in all", batch.members);
    Some(found(RULE.code, event, summary)?.with("batch", event.seen))
}
