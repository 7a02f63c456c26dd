//! An error that speaks of a cancel, for a request that nobody cancelled and whose HTTP stream the client had closed.
//!
//! Left alone: revisions in which closing the stream is the cancel. Not decidable where a cancel may be missing from
//! the log.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::number::duration;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Basis, Event, Judgement, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN024",
    name: "disconnect-treated-as-cancel",
    summary: "a server took a closed HTTP stream for a cancel",
    on: On::Answer,
    duty: Duty::server(Occasions::ANSWERS_CLOSED_STREAM).over_http(),
    needs: Proof::STREAMS.and(Proof::CANCEL_TARGET).and(Proof::ANSWER_TIME).and(Proof::PAYLOAD),
    absence: Absence::Between(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/disconnect-treated-as-cancel.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, says_cancelled: true, .. } = event.what else { return None };
    let closed = exchange.stream_closed?;
    if exchange.cancel().is_some() {
        return None;
    }
    let judgement = Judgement { basis: Some(Basis::Content), ..Judgement::EXACT };
    let (label, title) = (exchange.label(), exchange.title());
    let after = event.seen.since(closed).map_or(String::new(), |us| format!(" {} before", duration(us)));
    let reason = race_text(&judgement);
    let summary = format!("{label} {title} ended as cancelled, but only its stream was closed{after}{reason}");
    let finding = found(RULE.code, event, summary)?.about(exchange);
    Some(finding.with("stream close", closed).with("response", event.seen).judged(&judgement))
}
