//! A request whose method starts with `$/`, answered by anything but the error -32601 (MethodNotFound).
//!
//! Left alone: notifications that start with `$/`, which the receiver may ignore, and the error that another clause demands of the same
//! answer: before `initialize`, after `shutdown`, and to a cancelled request.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::Kind;
use crate::protocol::codes::{INVALID_REQUEST, METHOD_NOT_FOUND, NOT_INITIALIZED, REQUEST_CANCELLED};
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, Exchange, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC018",
    name: "dollar-request-not-rejected",
    summary: "a request starting with $/ was not rejected with -32601",
    on: On::Answer,
    duty: Duty::either(Occasions::ANSWERS_DOLLAR),
    needs: Proof::DIRECTION.and(Proof::ERROR_CODE),
    absence: Absence::Reused(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/dollar-request-not-rejected.md"),
    check,
};

/// True for a request starting with `$/` that was rejected as the clause on those demands: another clause that demands another error of
/// the same answer cannot be kept with it.
pub fn rejected(event: &Event<'_>, exchange: &Exchange) -> bool {
    let code = exchange.error_code == Some(METHOD_NOT_FOUND);
    code && exchange.method.starts_with("$/") && event.profile.ruling(RULE.code).is_some()
}

/// True for the error that another clause demands of this answer.
fn demanded(event: &Event<'_>, exchange: &Exchange, code: i64) -> bool {
    let (life, asked) = (&event.connection.lifecycle, exchange.request.frame);
    match code {
        NOT_INITIALIZED => life.first_initialize.is_none_or(|initialize| asked < initialize.frame),
        INVALID_REQUEST => life.shutdown.is_some_and(|shutdown| asked > shutdown.frame),
        REQUEST_CANCELLED => exchange.cancel().is_some(),
        _ => false,
    }
}

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, message, .. } = event.what else { return None };
    if !exchange.method.starts_with("$/") {
        return None;
    }
    let answer = match (message.kind, message.error_code()) {
        (Kind::Error, Some(METHOD_NOT_FOUND)) => return None,
        (Kind::Error, Some(code)) if demanded(event, exchange, code) => return None,
        (Kind::Error, Some(code)) => format!("error {code}"),
        (Kind::Error, None) => "an error without code".to_string(),
        _ => "a result".to_string(),
    };
    let label = exchange.label();
    let summary =
        format!("{label} {} was answered with {answer} instead of error {METHOD_NOT_FOUND}", exchange.title());
    Some(found(RULE.code, event, summary)?.about(exchange).with("response", event.seen))
}
