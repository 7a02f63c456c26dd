//! A client that speaks revisions with and without a handshake on one connection and has not asked first which the server speaks.
//!
//! Left alone: clients that show one kind only.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{EraFault, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF031",
    name: "probe-skipped",
    summary: "a client that speaks both kinds of revision does not ask first which the server speaks",
    on: On::Era,
    duty: Duty::client(Occasions::STATELESS),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Before(Whose::Sender),
    default_on: false,
    page: include_str!("../../../docs/rules/probe-skipped.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Era { fault: EraFault::Unprobed, shown, .. } = event.what else { return None };
    let summary = "a client speaks both kinds of revision, and did not begin with server/discover".to_string();
    Some(found(RULE.code, event, summary)?.with("one kind", shown).with("the other kind", event.seen))
}
