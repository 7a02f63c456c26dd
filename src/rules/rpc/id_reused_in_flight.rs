//! A request whose id is that of an older request of the same side that is still in flight.
//!
//! Left alone: the same id in the other direction, since each side has ids of its own.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::number::duration;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC010",
    name: "id-reused-in-flight",
    summary: "a request uses the id of another one in flight",
    on: On::IdReused,
    duty: Duty::either(Occasions::REQUESTS),
    needs: Proof::DIRECTION.and(Proof::ANSWER_TIME).and(Proof::IN_FLIGHT).and(Proof::CLIENT),
    absence: Absence::Between(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/id-reused-in-flight.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::IdReused { id, issuer, method, earlier, in_flight: true, broadcast: None, .. } = event.what else {
        return None;
    };
    let issuer = super::side(Some(issuer));
    let before = event.seen.since(earlier).map_or(String::new(), |us| format!(", sent {} before", duration(us)));
    let summary = format!("request {method} of {issuer} uses the id {id} of a request still in flight{before}");
    Some(found(RULE.code, event, summary)?.with("earlier request", earlier).about_request(event.seen))
}
