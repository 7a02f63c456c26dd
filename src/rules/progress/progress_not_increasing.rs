//! A progress value that is not greater than the one before it, for the same token.
//!
//! Left alone: the order of messages on different HTTP streams, which the log cannot tell.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, ProgressFault, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PRG004",
    name: "progress-not-increasing",
    summary: "a progress value is not greater than the one before",
    on: On::Progress,
    duty: Duty::either(Occasions::REPORTS_AGAIN),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Between(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/progress-not-increasing.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Progress { fault: Some(ProgressFault::NotIncreasing { previous, judgement }), token, exchange } =
        event.what
    else {
        return None;
    };
    let of = exchange.map_or(String::new(), |exchange| format!(" of {} {}", exchange.label(), exchange.title()));
    let summary = format!("the progress{of} with the progress token {token} did not increase{}", race_text(&judgement));
    let mut finding = found(RULE.code, event, summary)?.judged(&judgement);
    if let Some(exchange) = exchange {
        finding = finding.about(exchange);
    }
    Some(finding.with("previous progress", previous).with("progress", event.seen))
}
