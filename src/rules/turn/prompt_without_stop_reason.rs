//! A prompt that is answered by a result without a stop reason, in a revision in which that answer ends the turn.
//!
//! Left alone: errors, and answers out of which a filter has taken something.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::Kind;
use crate::protocol::{Role, role};
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SES018",
    name: "prompt-without-stop-reason",
    summary: "a prompt was answered without a stop reason",
    on: On::Answer,
    duty: Duty::server(Occasions::ANSWERS_PROMPT),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/prompt-without-stop-reason.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, message, facts, .. } = event.what else { return None };
    let prompt = message.kind == Kind::Result && role(&exchange.method) == Role::Prompt;
    if !prompt || facts.stop_reason().is_some() || facts.taken_out {
        return None;
    }
    let summary = format!("{} {} is answered without a stop reason", exchange.label(), exchange.title());
    Some(found(RULE.code, event, summary)?.about(exchange).with("response", event.seen))
}
