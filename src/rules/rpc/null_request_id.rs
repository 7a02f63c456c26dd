//! A request with the id `null`. It is never paired with a response.
//!
//! Left alone: responses with the id `null`, and methods that the protocol defines as notifications (RPC016).

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::{IdField, Kind};
use crate::protocol::MethodKind;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC006",
    name: "null-request-id",
    summary: "a request has the id null",
    on: On::Message,
    duty: Duty::either(Occasions::REQUESTS),
    needs: Proof::ENVELOPE,
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/null-request-id.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Message { message, .. } = event.what else { return None };
    if message.id != IdField::Null || message.kind != Kind::Request {
        return None;
    }
    let known = event.profile.method(message.method());
    if known.is_some_and(|method| method.kind == MethodKind::Notification) && event.profile.ruling("RPC016").is_some() {
        return None;
    }
    let summary = format!("request {} has the id null: its answer cannot be told from others", message.method());
    Some(found(RULE.code, event, summary)?.with("request", event.seen))
}
