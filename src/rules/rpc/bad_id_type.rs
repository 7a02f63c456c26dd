//! An id that is a boolean, an object or an array, in any message; or a request whose id is a number with a fraction.
//!
//! Left alone: `1.0`, which is the number 1, and a response that repeats the fraction of its request, as it must.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::{Id, IdField, Kind};
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC007",
    name: "bad-id-type",
    summary: "an id is neither a string nor a whole number",
    on: On::Message,
    duty: Duty::either(Occasions::REQUESTS),
    needs: Proof::ENVELOPE,
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/bad-id-type.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Message { message, .. } = event.what else { return None };
    let finding = match &message.id {
        IdField::Bad => {
            let summary = format!("{}: the id is neither string nor number", super::subject(event, message));
            found(RULE.code, event, summary)?
        }
        IdField::Value(id @ Id::Number(_)) if message.kind == Kind::Request && id.is_fractional() => {
            let summary = format!("{}: the id has a fraction", super::subject(event, message));
            super::found_as(RULE.code, "RPC007/fraction", event, summary)?
        }
        _ => return None,
    };
    Some(finding.with(super::role(message.kind), event.seen))
}
