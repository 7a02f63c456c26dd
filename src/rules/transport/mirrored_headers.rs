//! A request whose `Mcp-Method` or `Mcp-Name` header is missing where others have it, or names something else than the body.
//!
//! Left alone: clients that never send the headers, in a log that may not keep them.

use super::in_words;
use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::Kind;
use crate::protocol::Facts;
use crate::protocol::http::{RequestHead, mirrored};
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TRN006",
    name: "mirrored-headers",
    summary: "headers do not say what the body says",
    on: On::Posted,
    duty: Duty::client(Occasions::POSTS).over_http(),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::STREAMS),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/mirrored-headers.md"),
    check,
};

/// True if the header with the name says the very same as the body, and only looks encoded.
fn as_it_stands(head: &RequestHead, body: &str) -> bool {
    head.mirrors.iter().any(|(header, value)| **header == *"mcp-name" && **value == *body)
}

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Posted { head, message, facts, shown, .. } = event.what else { return None };
    if message.kind != Kind::Request {
        return None;
    }
    let method = message.method();
    let name =
        mirrored(method).and_then(|member| Facts::told(if member == "uri" { facts.uri() } else { facts.name() }));
    let pairs = [
        ("Mcp-Method", &head.method, Some(method), shown.method),
        ("Mcp-Name", &head.name, name.as_deref(), shown.name),
    ];
    let wrong = pairs.into_iter().find_map(|(header, said, body, shown)| match (said, body) {
        (Some(said), Some(body)) if **said != *body && !as_it_stands(head, body) => {
            Some(format!("{header} says \"{said}\", and the body \"{body}\""))
        }
        (None, Some(body)) if shown => Some(format!("{header} is missing, and the body says \"{body}\"")),
        _ => None,
    })?;
    Some(found(RULE.code, event, format!("of {}, {wrong}", in_words(message)))?.with("message", event.seen))
}
