//! A response with status 200 and a content type that is neither JSON nor an event stream; for a GET that asks for an
//! event stream, any other.
//!
//! Left alone: responses of which the log shows no content type, other statuses, and what else passes beside MCP
//! (metadata of an authorization server, a health check, a browser).

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found_by};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TRN008",
    name: "response-content-type",
    summary: "the response to a request is of another type than JSON or an event stream",
    on: On::Responded,
    duty: Duty::server(Occasions::RESPONDS).over_http(),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::STREAMS),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/response-content-type.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Responded { stream, .. } = event.what else { return None };
    let (_, head) = stream.response.as_ref().filter(|(_, head)| head.status == 200)?;
    let (case, types): (&str, &[&str]) = match stream.verb() {
        Some("POST") if stream.requests > 0 => (RULE.code, &["application/json", "text/event-stream"]),
        Some("GET") if stream.asks_for_events() => ("TRN008/get", &["text/event-stream"]),
        _ => return None,
    };
    let named = head.content_type.as_deref().filter(|_| !head.is_of(types))?;
    let asked = stream.request.as_ref().map(|(seen, _)| *seen);
    let summary = format!("the response is of the type {named}, and not {}", types.join(" or "));
    let ruling = event.profile.ruling(case).or_else(|| event.profile.ruling(RULE.code))?;
    Some(found_by(RULE.code, ruling, event, summary).maybe("head", asked).with("response head", event.seen))
}
