//! A response to a request that was answered before.
//!
//! Left alone: responses to an id that was used for several requests in flight at once. Each of them may be answered
//! once, and which answer belongs to which cannot be told (RPC010). What a stream repeats that was taken up again is no
//! second response.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::number::duration;
use crate::protocol::Side;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, Stray, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC008",
    name: "duplicate-response",
    summary: "a request was answered twice",
    on: On::Stray,
    duty: Duty::either(Occasions::ANSWERS),
    needs: Proof::DIRECTION.and(Proof::ALL_ANSWERS),
    absence: Absence::Reused(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/duplicate-response.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Stray { id, stray: Stray::Duplicate { request, answer, judgement } } = event.what else { return None };
    let issuer = super::side(event.sender.map(Side::peer));
    let after = answer.and_then(|answer| event.seen.since(answer));
    let after = after.map_or(String::new(), |us| format!(", {} after the first", duration(us)));
    let summary = format!("second response to request {id} of {issuer}{after}{}", race_text(&judgement));
    let finding = found(RULE.code, event, summary)?.judged(&judgement);
    Some(finding.about_request(request).maybe("first response", answer).with("response", event.seen))
}
