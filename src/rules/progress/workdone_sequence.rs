//! Progress with a token that the server created, out of the order of one begin, any number of reports, and one end. All of it comes from
//! the server, so its order is known.
//!
//! Left alone: tokens that the client gave with a request, and tokens that were created again.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, ProgressFault, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PRG008",
    name: "workdone-sequence",
    summary: "progress with a created token is out of its order",
    on: On::Progress,
    duty: Duty::server(Occasions::CREATES_TOKEN),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Between(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/workdone-sequence.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Progress { fault: Some(ProgressFault::Sequence { before, what }), token, .. } = event.what else {
        return None;
    };
    let summary = format!("progress with the created token {token} is out of order: {what}");
    Some(found(RULE.code, event, summary)?.with("before", before).with("progress", event.seen))
}
