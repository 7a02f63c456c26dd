//! A notification that belongs to a cancelled request, where nothing more may be sent for it.
//!
//! Left alone: progress, which has a rule of its own, notifications that nothing ties to the request, subscriptions
//! that the server itself ended, and messages that may have crossed the cancel (a race, and only a note).

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Cancellation, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN021",
    name: "message-after-cancel",
    summary: "a notification was sent for a request that was cancelled",
    on: On::NotificationAfterCancel,
    duty: Duty::server(Occasions::PAST_CANCEL),
    needs: Proof::CANCEL_TARGET.and(Proof::ANSWER_TIME).and(Proof::DIRECTION).and(Proof::PAYLOAD),
    absence: Absence::Between(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/message-after-cancel.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::NotificationAfterCancel { exchange, cancel, judgement } = event.what else { return None };
    let by_issuer = |sent: &Cancellation| sent.seen == cancel && sent.sender == exchange.issuer;
    if !exchange.cancels.iter().any(by_issuer) {
        return None;
    }
    let (label, title) = (exchange.label(), exchange.title());
    let later = race_text(&judgement);
    let summary = format!("{label} {title} was cancelled, and a notification for it was sent{later}");
    let finding = found(RULE.code, event, summary)?.about(exchange);
    Some(finding.with("cancel", cancel).with("notification", event.seen).judged(&judgement))
}
