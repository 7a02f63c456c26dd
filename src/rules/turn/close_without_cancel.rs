//! A `session/close` that the agent takes while a prompt of the session is in work, and that prompt then ends otherwise than as cancelled.
//!
//! Left alone: answers that may have crossed the close, closes that were refused, and prompts that were cancelled, too (SES001, SES002).

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SES010",
    name: "close-without-cancel",
    summary: "the prompt of a closed session ended otherwise than as cancelled",
    on: On::TurnOutlivesClose,
    duty: Duty::server(Occasions::TURN_CLOSED),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Between(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/close-without-cancel.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::TurnOutlivesClose { exchange, close, judgement } = event.what else { return None };
    let (label, title, race) = (exchange.label(), exchange.title(), race_text(&judgement));
    let summary = format!("the session of {label} {title} was closed, and it did not end as cancelled{race}");
    Some(
        found(RULE.code, event, summary)?
            .about(exchange)
            .with("close", close)
            .with("response", event.seen)
            .judged(&judgement),
    )
}
