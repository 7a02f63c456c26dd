//! The same request again, while an older one is in flight and was never cancelled: the sender has probably given up
//! on the first in silence.
//!
//! Left alone: polling, and repetitions within five seconds, which are likely to be meant as parallel work.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::number::duration;
use crate::protocol::About;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN025",
    name: "retry-without-cancel",
    summary: "a request was repeated while the first one was in flight and not cancelled",
    on: On::Request,
    duty: Duty::either(Occasions::REPEATS.and(Occasions::CANCELS_OWN)),
    needs: Proof::PAYLOAD
        .and(Proof::CANCEL_TARGET)
        .and(Proof::ANSWER_TIME)
        .and(Proof::DIRECTION)
        .and(Proof::BOTH_SIDES)
        .and(Proof::CLIENT),
    absence: Absence::Unsaid(Whose::Both, About::Cancel),
    default_on: true,
    page: include_str!("../../../docs/rules/retry-without-cancel.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Request { exchange, repeats: Some(first), .. } = event.what else { return None };
    let waited = event.seen.since(first).map_or(String::new(), |us| format!(" {}", duration(us)));
    let (label, title) = (exchange.label(), exchange.title());
    let summary = format!("{label} {title} repeats a request sent{waited} before, in flight and never cancelled");
    Some(found(RULE.code, event, summary)?.with("first request", first).about(exchange))
}
