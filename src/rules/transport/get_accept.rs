//! A GET that opened a stream of events and does not list them among what it accepts.
//!
//! Left alone: requests of which the log shows no such header, and ranges that hold event streams.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::Side;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TRN012",
    name: "get-accept",
    summary: "a GET opened a stream of events that it does not accept",
    on: On::Responded,
    duty: Duty::client(Occasions::OPENS_STREAM).over_http(),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::STREAMS),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/get-accept.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Responded { stream, .. } = event.what else { return None };
    let (asked, head) = stream.request.as_ref().filter(|_| stream.opens_events())?;
    let accept = head.accept.as_deref()?.to_ascii_lowercase();
    if stream.asks_for_events() || accept.contains("text/*") || accept.contains("*/*") {
        return None;
    }
    let summary = format!("a GET that accepts {accept} has opened a stream of events");
    let finding = found(RULE.code, event, summary)?.with("head", *asked).with("response head", event.seen);
    Some(Finding { by: Some(Side::Client), ..finding })
}
