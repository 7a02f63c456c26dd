//! A request that came after `shutdown` and was answered by anything but the error "invalid request".
//!
//! Left alone: requests that were cancelled, whose answer may say that instead, and
//! one that starts with `$/` and was rejected as those are.

use super::answer_in_words;
use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::Side;
use crate::protocol::codes::INVALID_REQUEST;
use crate::rules::rpc::dollar_request_not_rejected;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF007",
    name: "after-shutdown-wrong-answer",
    summary: "a request after the shutdown was not rejected as it should be",
    on: On::Answer,
    duty: Duty::server(Occasions::ANSWERS_AFTER_SHUTDOWN),
    needs: Proof::DIRECTION.and(Proof::ERROR_CODE).and(Proof::BOTH_SIDES),
    absence: Absence::Between(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/after-shutdown-wrong-answer.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, .. } = event.what else { return None };
    let shutdown = event.connection.lifecycle.shutdown?;
    if exchange.issuer != Side::Client
        || exchange.request.frame <= shutdown.frame
        || exchange.error_code == Some(INVALID_REQUEST)
        || exchange.cancel().is_some()
        || dollar_request_not_rejected::rejected(event, exchange)
    {
        return None;
    }
    let answer = answer_in_words(exchange);
    let (label, title) = (exchange.label(), exchange.title());
    let summary =
        format!("{label} {title} came after shutdown and was answered by {answer}, not by error {INVALID_REQUEST}");
    Some(found(RULE.code, event, summary)?.with("shutdown", shutdown).about(exchange).with("response", event.seen))
}
