//! A request whose method starts with `$/`, answered by anything but the error -32601 (MethodNotFound).
//!
//! Left alone: notifications that start with `$/`, which the receiver may ignore.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::Kind;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC018",
    name: "dollar-request-not-rejected",
    summary: "a request starting with $/ was not rejected with -32601",
    on: On::Answer,
    duty: Duty::either(Occasions::ANSWERS_DOLLAR),
    needs: Proof::DIRECTION.and(Proof::ERROR_CODE),
    absence: Absence::Between(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/dollar-request-not-rejected.md"),
    check,
};

const METHOD_NOT_FOUND: i64 = -32601;

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, message, .. } = event.what else { return None };
    if !exchange.method.starts_with("$/") {
        return None;
    }
    let answer = match (message.kind, message.error_code()) {
        (Kind::Error, Some(METHOD_NOT_FOUND)) => return None,
        (Kind::Error, Some(code)) => format!("error {code}"),
        (Kind::Error, None) => "an error without code".to_string(),
        _ => "a result".to_string(),
    };
    let label = exchange.label();
    let summary =
        format!("{label} {} was answered with {answer} instead of error {METHOD_NOT_FOUND}", exchange.title());
    Some(found(RULE.code, event, summary)?.about(exchange).with("response", event.seen))
}
