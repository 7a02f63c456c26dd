//! A subscription whose first notification is not the acknowledgement. All of it comes from the server, so its order is known.
//!
//! Left alone: subscriptions whose request is not in the log.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::About;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SUB001",
    name: "ack-not-first",
    summary: "the first message for a subscription does not acknowledge it",
    on: On::Unacknowledged,
    duty: Duty::server(Occasions::PAST_LISTENED),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Unsaid(Whose::Both, About::Subscription),
    default_on: true,
    page: include_str!("../../../docs/rules/ack-not-first.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Unacknowledged { exchange, judgement } = event.what else { return None };
    let race = race_text(&judgement);
    let summary = format!("the first message for the subscription {} does not acknowledge it{race}", exchange.label());
    Some(found(RULE.code, event, summary)?.about(exchange).with("notification", event.seen).judged(&judgement))
}
