//! A message of the client in a request that is no POST.
//!
//! Left alone: logs that do not show the method of the request, and GETs, by which a WebSocket begins.

use super::in_words;
use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TRN014",
    name: "not-by-post",
    summary: "a message of the client came by another request than a POST",
    on: On::Posted,
    duty: Duty::client(Occasions::POSTS).over_http(),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::STREAMS),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/not-by-post.md"),
    check,
};

/// Methods that carry a body and are none that MCP has for messages.
const OTHERS: [&str; 4] = ["PUT", "PATCH", "DELETE", "QUERY"];

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Posted { head, message, .. } = event.what else { return None };
    let verb = OTHERS.into_iter().find(|verb| head.verb.eq_ignore_ascii_case(verb))?;
    let summary = format!("{} came by a {verb}, and not by a POST", in_words(message));
    Some(found(RULE.code, event, summary)?.with("message", event.seen))
}
