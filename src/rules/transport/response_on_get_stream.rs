//! A response on a stream that a GET without `Last-Event-ID` opened, though the POST of its request was answered with 200 and a stream of
//! its own, or only taken by a server that issues sessions.
//!
//! Not decidable where the stream of the POST had ended before the GET came, and the log may leave out the header. Left alone: resumed streams, and the
//! transport of 2024-11-05, in which every answer comes so.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TRN001",
    name: "response-on-get-stream",
    summary: "a response came on a stream that a GET opened",
    on: On::Misplaced,
    duty: Duty::server(Occasions::ANSWERS).over_http(),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::STREAMS).and(Proof::CLIENT),
    absence: Absence::Between(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/response-on-get-stream.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Misplaced { exchange, stream: None, judgement } = event.what else { return None };
    let (label, title) = (exchange.label(), exchange.title());
    let how = race_text(&judgement);
    let summary = format!("the answer to {label} {title} comes on a stream that a GET opened, and resumes none{how}");
    let finding = found(RULE.code, event, summary)?.judged(&judgement);
    Some(finding.about(exchange).with("response", event.seen))
}
