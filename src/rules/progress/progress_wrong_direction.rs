//! Progress from the side that gave the token, and so waits for progress itself.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, ProgressFault, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PRG006",
    name: "progress-wrong-direction",
    summary: "progress was reported by the side that gave the token",
    on: On::Progress,
    duty: Duty::either(Occasions::PROGRESS),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Before(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/progress-wrong-direction.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Progress { fault: Some(ProgressFault::WrongDirection), token, exchange } = event.what else {
        return None;
    };
    let sender = event.sender?.as_str();
    let summary = format!("the {sender} reports progress with the progress token {token}, which it gave itself");
    let mut finding = found(RULE.code, event, summary)?;
    if let Some(exchange) = exchange {
        finding = finding.about(exchange);
    }
    Some(finding.with("progress", event.seen))
}
