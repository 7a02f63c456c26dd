//! A new request to the client in the service of a turn or request that the client had cancelled before.
//!
//! Left alone: requests that clean up a terminal, and those that may have crossed the cancel (a race, and only a
//! note). What the methods of extensions do in a turn is not known: they prove no work of it.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Certainty, Event, Exchange, Judgement, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN019",
    name: "new-nested-after-cancel",
    summary: "a new request was issued for work that was cancelled",
    on: On::NestedAfterCancel,
    duty: Duty::either(Occasions::PAST_CANCEL.and(Occasions::ENDS_TURN)),
    needs: Proof::CANCEL_TARGET.and(Proof::ANSWER_TIME).and(Proof::DIRECTION).and(Proof::PAYLOAD),
    absence: Absence::Between(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/new-nested-after-cancel.md"),
    check,
};

/// What an agent needs to end what it began.
const CLEAN_UP: [&str; 4] = ["terminal/release", "terminal/kill", "terminal/output", "terminal/wait_for_exit"];

const EXTENSION: &str = "what this method asks for is not in the protocol: it may be no work of the turn";

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::NestedAfterCancel { exchange, cancel, judgement } = event.what else { return None };
    if CLEAN_UP.contains(&&*exchange.method) {
        return None;
    }
    let judgement = of_turn(event, exchange, judgement);
    let (label, title) = (exchange.label(), exchange.title());
    let summary = format!("work was cancelled, and {label} {title} was issued for it{}", race_text(&judgement));
    Some(found(RULE.code, event, summary)?.with("cancel", cancel).about(exchange).judged(&judgement))
}

/// The same judgement, unless nothing tells that the request is work of the turn which was cancelled.
fn of_turn(event: &Event<'_>, exchange: &Exchange, judgement: Judgement) -> Judgement {
    let unknown = event.profile.turns && exchange.known.is_none();
    if !unknown || judgement.certainty != Certainty::Violation {
        return judgement;
    }
    Judgement { certainty: Certainty::Undecidable, basis: None, reason: Some(EXTENSION), ..judgement }
}
