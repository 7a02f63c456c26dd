//! A response with the id `null` by a side to which notifications were sent, while nothing else can have caused it: every request that
//! came before was answered under its own id. A result may have no such cause either: one for a request bears its id.
//!
//! Over HTTP it is a response with the id `null` to the POST of a notification.
//!
//! Left alone: the codes that say that no id could be read (-32700, -32600), sides that sent something without a usable id or that was no
//! message, and over HTTP errors with a status that refuses the POST: they say why.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Cause, Certainty, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC023",
    name: "reply-to-notification",
    summary: "a notification was answered",
    on: On::NotificationAnswered,
    duty: Duty::either(Occasions::PAST_NOTIFICATION),
    needs: Proof::ENVELOPE.and(Proof::DIRECTION).and(Proof::BOTH_SIDES).and(Proof::ALL_ANSWERS),
    absence: Absence::Before(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/reply-to-notification.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::NotificationAnswered { notification, error_code, cause, judgement } = event.what else {
        return None;
    };
    let answer = match error_code {
        Some(code) => format!("error {code}"),
        None => "a response".to_string(),
    };
    let caused = match (judgement.certainty, cause) {
        (_, Cause::Posted) => "it came as the response to a notification",
        (Certainty::Violation, Cause::Whichever) => "it answers a notification, or what has another id",
        (Certainty::Violation, Cause::Alone) => "only a notification can have caused it",
        _ => "a notification may have caused it",
    };
    let summary = format!("{answer} with the id null: {caused}{}", race_text(&judgement));
    let finding = found(RULE.code, event, summary)?.judged(&judgement);
    let finding = if cause == Cause::Posted { finding.concluding(Absence::None) } else { finding };
    Some(finding.with("notification", notification).with("response", event.seen))
}
