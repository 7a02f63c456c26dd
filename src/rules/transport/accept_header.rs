//! A POST whose `Accept` header lists only one of JSON and event streams.
//!
//! Left alone: requests of which the log shows no such header, and ranges that hold both.

use super::in_words;
use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TRN011",
    name: "accept-header",
    summary: "a request does not accept both kinds of response",
    on: On::Posted,
    duty: Duty::client(Occasions::POSTS).over_http(),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::STREAMS),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/accept-header.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Posted { head, message, .. } = event.what else { return None };
    let accept = head.accept.as_deref()?.to_ascii_lowercase();
    let takes = |media: &str, range: &str| accept.contains(media) || accept.contains(range) || accept.contains("*/*");
    let lacks = match (takes("application/json", "application/*"), takes("text/event-stream", "text/*")) {
        (true, true) => return None,
        (true, false) => "text/event-stream",
        (false, _) => "application/json",
    };
    let summary = format!("{} does not accept {lacks}", in_words(message));
    Some(found(RULE.code, event, summary)?.with("message", event.seen))
}
