//! A POST that holds notifications or responses only, and is answered with another status of success than 202.
//!
//! Left alone: statuses that refuse it.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TRN007",
    name: "notification-status",
    summary: "a notification or a response was accepted with another status than 202",
    on: On::Responded,
    duty: Duty::server(Occasions::RESPONDS).over_http(),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::STREAMS),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/notification-status.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Responded { stream, .. } = event.what else { return None };
    let status = stream.status().filter(|status| (200..300).contains(status) && *status != 202)?;
    if stream.verb() != Some("POST") || stream.requests > 0 || stream.others == 0 {
        return None;
    }
    let asked = stream.request.as_ref().map(|(seen, _)| *seen);
    let summary = format!("a POST without a request is accepted with the status {status}");
    Some(found(RULE.code, event, summary)?.maybe("head", asked).with("response head", event.seen))
}
