//! Progress on a request that its sender had answered before. Both messages have one sender, so their order is known.
//!
//! Left alone: tokens that outlive the request (a running task, a token that the server created), and tokens that a newer
//! request gave again.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::About;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, ProgressFault, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PRG001",
    name: "progress-after-response",
    summary: "progress was reported on a request that was answered before",
    on: On::Progress,
    duty: Duty::either(Occasions::ANSWERS_REPORTED),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Unsaid(Whose::Peer, About::Work),
    default_on: true,
    page: include_str!("../../../docs/rules/progress-after-response.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Progress { fault: Some(fault), token, exchange } = event.what else { return None };
    let ProgressFault::AfterAnswer { answer, task_ended, judgement } = fault else { return None };
    let of = exchange.map_or(String::new(), |exchange| format!(" of {} {}", exchange.label(), exchange.title()));
    let end = if task_ended.is_some() { "end of the task" } else { "answer" };
    let summary = format!("progress with the progress token {token} after the {end}{of}{}", race_text(&judgement));
    let mut finding = found(RULE.code, event, summary)?.judged(&judgement);
    if let Some(exchange) = exchange {
        finding = finding.about(exchange);
    }
    Some(finding.with("response", answer).maybe("task status", task_ended).with("progress", event.seen))
}
