//! A request that came before `initialize` and was answered by anything but the error "server not initialized".
//!
//! Left alone: captures that start in the middle, requests that were cancelled, and
//! one that starts with `$/` and was rejected as those are.

use super::answer_in_words;
use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::Side;
use crate::protocol::codes::NOT_INITIALIZED;
use crate::rules::rpc::dollar_request_not_rejected;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF008",
    name: "not-initialized-wrong-code",
    summary: "a request before the handshake was not rejected as it should be",
    on: On::Answer,
    duty: Duty::server(Occasions::ANSWERS_EARLY),
    needs: Proof::DIRECTION.and(Proof::ERROR_CODE),
    absence: Absence::Before(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/not-initialized-wrong-code.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, .. } = event.what else { return None };
    let initialize = event.connection.lifecycle.first_initialize;
    if initialize.is_some_and(|initialize| exchange.request.frame >= initialize.frame)
        || exchange.issuer != Side::Client
        || !event.connection.complete_head()
        || exchange.error_code == Some(NOT_INITIALIZED)
        || exchange.cancel().is_some()
        || dollar_request_not_rejected::rejected(event, exchange)
    {
        return None;
    }
    // Asked before the text is made: without a handshake every answer comes this far.
    event.profile.ruling(RULE.code)?;
    let answer = answer_in_words(exchange);
    let (label, title) = (exchange.label(), exchange.title());
    let summary =
        format!("{label} {title} came before initialize and was answered by {answer}, not by error {NOT_INITIALIZED}");
    Some(found(RULE.code, event, summary)?.about(exchange).with("response", event.seen))
}
