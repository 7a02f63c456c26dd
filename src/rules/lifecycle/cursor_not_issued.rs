//! A request with a cursor that no result before it had as its next one.
//!
//! Left alone: empty cursors, with which some clients ask for the first page. Not decidable while another request for the list is in
//! flight.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF022",
    name: "cursor-not-issued",
    summary: "a list is asked for from a cursor that the server did not give",
    on: On::Request,
    duty: Duty::client(Occasions::PAGES),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::BOTH_SIDES).and(Proof::CLIENT),
    absence: Absence::Before(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/cursor-not-issued.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Request { exchange, strange_cursor: Some(judgement), .. } = event.what else { return None };
    let (label, title) = (exchange.label(), exchange.title());
    let race = race_text(&judgement);
    let summary = format!("{label} {title} goes on from a cursor that no result before it has given{race}");
    Some(found(RULE.code, event, summary)?.judged(&judgement).about(exchange))
}
