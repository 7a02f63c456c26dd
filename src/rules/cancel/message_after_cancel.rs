//! A notification that belongs to a cancelled request, where nothing more may be sent for it.
//!
//! Left alone: progress, which has a rule of its own, notifications that nothing ties to the request, and those that
//! may have crossed the cancel (a race, and only a note).

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Build, On, Rule, found, race_text};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN021",
    name: "message-after-cancel",
    summary: "a notification was sent for a request that was cancelled",
    on: On::NotificationAfterCancel,
    needs: Proof::CANCEL_TARGET.and(Proof::DIRECTION).and(Proof::PAYLOAD),
    default_on: true,
    page: include_str!("../../../docs/rules/message-after-cancel.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::NotificationAfterCancel { exchange, cancel, judgement } = event.what else { return None };
    let (label, title) = (exchange.label(), exchange.title());
    let summary = format!("notification for {label} {title} after it was cancelled{}", race_text(&judgement));
    let finding = found(RULE.code, event, summary)?.about(exchange);
    Some(finding.with("cancel", cancel).with("notification", event.seen).judged(&judgement))
}
