//! A request of the server that it sent on two streams that were open at once: the same id, method and parameters, while the first was
//! not answered.
//!
//! Left alone: streams that were resumed, where the server sends again what may have been lost; and notifications, of which two may say
//! the same.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TRN002",
    name: "broadcast",
    summary: "the same request came on several streams",
    on: On::IdReused,
    duty: Duty::server(Occasions::REQUESTS).over_http(),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::STREAMS).and(Proof::CLIENT),
    absence: Absence::Between(Whose::Both),
    default_on: true,
    page: include_str!("../../../docs/rules/broadcast.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::IdReused { id, method, earlier, broadcast: Some(judgement), .. } = event.what else { return None };
    let summary = format!("the server sends {method} with the id {id} on a second stream{}", race_text(&judgement));
    let finding = found(RULE.code, event, summary)?.with("earlier request", earlier).about_request(event.seen);
    Some(finding.judged(&judgement))
}
