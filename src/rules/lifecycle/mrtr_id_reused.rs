//! A request that brings the input it was asked for, with the id of the request that was asked.
//!
//! Left alone: ids that come again with a request that continues nothing; this revision allows that.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF017",
    name: "mrtr-id-reused",
    summary: "a request that was asked for input was sent again with the same id",
    on: On::IdReused,
    duty: Duty::client(Occasions::CONTINUES),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Between(Whose::Both),
    default_on: true,
    page: include_str!("../../../docs/rules/mrtr-id-reused.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::IdReused { id, method, earlier, in_flight: false, continues: true, .. } = event.what else { return None };
    let summary = format!("{method} brings its input with the id {id} of the request that was asked for it");
    let mut finding = found(RULE.code, event, summary)?.with("earlier request", earlier).with("request", event.seen);
    finding.exchange = Some(event.seen.frame);
    Some(finding)
}
