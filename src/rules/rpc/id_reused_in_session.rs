//! A request whose id was used before by the same side in the same connection, for a request that is settled.
//!
//! Left alone: protocols that ask for unique ids only among the requests in flight, or not at all.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC011",
    name: "id-reused-in-session",
    summary: "an id was used twice in one connection",
    on: On::IdReused,
    duty: Duty::either(Occasions::REQUESTS),
    needs: Proof::DIRECTION.and(Proof::CLIENT),
    absence: Absence::Reused(Whose::Sender),
    default_on: true,
    page: include_str!("../../../docs/rules/id-reused-in-session.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::IdReused { id, issuer, method, earlier, in_flight: false, broadcast: None, .. } = event.what else {
        return None;
    };
    // Logs in which every request has the id 1 are common: no text is made for them in vain.
    event.profile.ruling(RULE.code)?;
    let issuer = super::side(Some(issuer));
    let summary = format!("request {method} of {issuer} uses the id {id} of an earlier request, which is settled");
    Some(found(RULE.code, event, summary)?.with("earlier request", earlier).about_request(event.seen))
}
