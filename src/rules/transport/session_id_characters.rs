//! A session whose id has other signs than visible ASCII.
//!
//! Left alone: words of a filter in its place, and so blanks.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::is_placeholder;
use crate::redact::is_visible;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TRN013",
    name: "session-id-characters",
    summary: "the id of a session has signs that are not visible ASCII",
    on: On::Responded,
    duty: Duty::server(Occasions::ISSUES_SESSION).over_http(),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::STREAMS),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/session-id-characters.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Responded { stream, .. } = event.what else { return None };
    let session = stream.response.as_ref().and_then(|(_, head)| head.session.as_deref())?;
    if session.is_empty() || is_visible(session) || is_placeholder(&format!("\"{session}\"")) {
        return None;
    }
    let summary = "the id of a session has signs that are not visible ASCII".to_string();
    let asked = stream.request.as_ref().map(|(seen, _)| *seen);
    Some(found(RULE.code, event, summary)?.maybe("head", asked).with("response head", event.seen))
}
