//! A notification that is delivered to subscribers only, without the id of a subscription, or with the id of one that was never asked
//! for or that its server has ended.
//!
//! Left alone: connections with a handshake, in which the same process speaks an older revision, and subscriptions that the client has
//! cancelled (CAN021 speaks of them).

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, reserved};
use crate::session::{Event, SubscriptionFault, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SUB002",
    name: "notification-without-subscription-id",
    summary: "a notification that comes to subscribers only does not name a subscription that there is",
    on: On::Unsubscribed,
    duty: Duty::server(Occasions::NOTIFIES),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Before(Whose::Both),
    default_on: true,
    page: include_str!("../../../docs/rules/notification-without-subscription-id.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Unsubscribed { method, fault } = event.what else { return None };
    if event.connection.lifecycle.first_initialize.is_some() {
        return None;
    }
    let named = |summary: String| Some(found(RULE.code, event, summary)?.with("notification", event.seen));
    match fault {
        SubscriptionFault::Unnamed => named(format!("{method} does not name the subscription that it is for")),
        SubscriptionFault::Unknown { id, judgement } => {
            let summary = format!("{method} is for the subscription {id}, which nobody has asked for");
            Some(named(summary + &reserved(&judgement))?.judged(&judgement))
        }
        SubscriptionFault::Ended { exchange, end, judgement } => {
            let summary = format!("{method} is for the subscription {}, which its server had ended", exchange.label());
            let finding = found(RULE.code, event, summary + &reserved(&judgement))?.judged(&judgement).about(exchange);
            let finding = finding.with("end", end).with("notification", event.seen);
            Some(finding.concluding(Absence::Between(Whose::Peer)))
        }
    }
}
