//! A message without the member `"jsonrpc": "2.0"`, in a connection in which other messages have it.
//!
//! Left alone: a log in which no message has it, since then the logger dropped it (CAP007). After ten messages of one
//! side, one more finding says that there are others.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC002",
    name: "missing-jsonrpc",
    summary: "a message lacks the member \"jsonrpc\": \"2.0\"",
    on: On::VersionMissing,
    duty: Duty::either(Occasions::MESSAGES),
    needs: Proof::ENVELOPE,
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/missing-jsonrpc.md"),
    check,
};

/// So many messages of one side are reported one by one.
const SINGLY: u32 = 10;

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::VersionMissing { nth } = event.what else { return None };
    let sender = super::side(event.sender);
    let summary = match nth {
        0..=SINGLY => format!("message of {sender} without \"jsonrpc\": \"2.0\""),
        _ if nth == SINGLY + 1 => {
            format!("and more messages of {sender} without \"jsonrpc\": \"2.0\": only the first {SINGLY} are listed")
        }
        _ => return None,
    };
    Some(found(RULE.code, event, summary)?.with("message", event.seen))
}
