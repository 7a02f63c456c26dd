//! A prompt whose result says that it was cancelled, while nobody had cancelled it or closed its session.
//!
//! Left alone: cancels in another dialect, which the agent may have understood.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::Kind;
use crate::protocol::{About, Facts};
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SES012",
    name: "prompt-cancelled-without-cancel",
    summary: "a prompt that nobody cancelled ended as cancelled",
    on: On::Answer,
    duty: Duty::server(Occasions::ANSWERS_PROMPT),
    needs: Proof::PAYLOAD
        .and(Proof::DIRECTION)
        .and(Proof::BOTH_SIDES)
        .and(Proof::CANCEL_TARGET)
        .and(Proof::ANSWER_TIME),
    absence: Absence::Unsaid(Whose::Peer, About::Cancel),
    default_on: true,
    page: include_str!("../../../docs/rules/prompt-cancelled-without-cancel.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, message, facts, .. } = event.what else { return None };
    let says = message.kind == Kind::Result && Facts::is(facts.stop_reason(), "cancelled");
    let asked = !exchange.cancels.is_empty() || exchange.session_closed.is_some();
    if &*exchange.method != "session/prompt" || !says || asked {
        return None;
    }
    let summary = format!("{} ended as cancelled, and nobody had cancelled it", exchange.label());
    Some(found(RULE.code, event, summary)?.about(exchange).with("response", event.seen))
}
