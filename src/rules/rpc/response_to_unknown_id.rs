//! A response with an id that the other side has not used.
//!
//! Left alone: the id `null`, with which a side answers what it could not read, and an id of the other JSON type
//! (RPC012). Where the capture starts in the middle or has a gap, the request may stand in the part that is missing.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::Side;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, Stray, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC009",
    name: "response-to-unknown-id",
    summary: "a response has an id that nobody issued",
    on: On::Stray,
    duty: Duty::either(Occasions::ANSWERS),
    needs: Proof::DIRECTION.and(Proof::ALL_ANSWERS).and(Proof::BOTH_SIDES),
    absence: Absence::Before(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/response-to-unknown-id.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Stray { id, stray: Stray::UnknownId { judgement, foreign_stream } } = event.what else { return None };
    let issuer = super::side(event.sender.map(Side::peer));
    let summary = format!("response with id {id}, which {issuer} has not used in this log{}", race_text(&judgement));
    let finding = found(RULE.code, event, summary)?.maybe("stream", foreign_stream).with("response", event.seen);
    let finding = finding.judged(&judgement);
    // On the stream of one request there is no answer to another, whatever was asked before.
    Some(if foreign_stream.is_some() { finding.concluding(Absence::Between(Whose::Peer)) } else { finding })
}
