//! A POST without `Mcp-Session-Id`, after the server had issued a session and the client had shown that it knows it.
//!
//! Left alone: clients that never send the header, in a log that may not keep it; and handshakes, which begin a session.

use super::in_words;
use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TRN004",
    name: "session-header-missing",
    summary: "a request of the client lacks the session header",
    on: On::Posted,
    duty: Duty::client(Occasions::POSTS).over_http(),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::STREAMS),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/session-header-missing.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Posted { head, message, shown, bound: true, .. } = event.what else { return None };
    if !shown.session || head.session.is_some() {
        return None;
    }
    let summary = format!("{} is sent without the session that other requests name", in_words(message));
    Some(found(RULE.code, event, summary)?.with("message", event.seen))
}
