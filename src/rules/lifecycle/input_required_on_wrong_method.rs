//! A result that asks for input, where the revision has no such answer to that request.
//!
//! Left alone: extensions whose methods the profile does not know.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::Facts;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF018",
    name: "input-required-on-wrong-method",
    summary: "a request that cannot bring input was answered by a question for it",
    on: On::Answer,
    duty: Duty::server(Occasions::ASKS_INPUT),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Reused(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/input-required-on-wrong-method.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, facts, .. } = event.what else { return None };
    let asks = Facts::is(facts.result_type(), "input_required");
    if !asks || exchange.known.is_none() || event.profile.may_ask_for_input(&exchange.method) {
        return None;
    }
    let summary = format!("{} {} was answered by a question for input", exchange.label(), exchange.title());
    Some(found(RULE.code, event, summary)?.about(exchange).with("response", event.seen))
}
