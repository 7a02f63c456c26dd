//! A method whose name begins with `rpc.`, which is kept for JSON-RPC itself and its extensions.
//!
//! Left alone: `rpc.discover`, which is an extension (OpenRPC).

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC024",
    name: "reserved-method-name",
    summary: "the name of a method is reserved",
    on: On::Message,
    duty: Duty::either(Occasions::MESSAGES),
    needs: Proof::DIRECTION,
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/reserved-method-name.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Message { message, .. } = event.what else { return None };
    let method = message.method();
    if !method.starts_with("rpc.") || method == "rpc.discover" {
        return None;
    }
    let summary = format!("{method}: names that begin with rpc. are reserved");
    Some(found(RULE.code, event, summary)?.with(super::role(message.kind), event.seen))
}
