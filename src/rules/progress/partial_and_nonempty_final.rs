//! A result with items in it, after partial results: they are the whole result, and what comes with the answer is shown twice or not at
//! all.
//!
//! Left alone: errors, and results whose lists are empty.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::Kind;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PRG012",
    name: "partial-and-nonempty-final",
    summary: "a request was answered by a result that is not empty after partial results",
    on: On::Answer,
    duty: Duty::server(Occasions::GIVES_PARTIAL),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Between(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/partial-and-nonempty-final.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, message, facts, partial: true, .. } = event.what else { return None };
    if message.kind != Kind::Result || !facts.result_filled {
        return None;
    }
    let (label, title) = (exchange.label(), exchange.title());
    let summary = format!("{label} {title} reported partial results, and its answer has items of its own");
    let finding = found(RULE.code, event, summary)?.about(exchange);
    Some(finding.maybe("partial result", exchange.last_progress).with("response", event.seen))
}
