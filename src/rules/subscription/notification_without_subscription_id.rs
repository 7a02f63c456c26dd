//! A notification that is delivered to subscribers only, without the id of a subscription.
//!
//! Left alone: connections with a handshake, in which the same process speaks an older revision.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::Kind;
use crate::protocol::Side;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SUB002",
    name: "notification-without-subscription-id",
    summary: "a notification that comes to subscribers only does not name its subscription",
    on: On::Message,
    duty: Duty::server(Occasions::NOTIFIES),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Before(Whose::Both),
    default_on: true,
    page: include_str!("../../../docs/rules/notification-without-subscription-id.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Message { message, facts, .. } = event.what else { return None };
    let delivered = message.kind == Kind::Notification && event.sender == Some(Side::Server);
    let older = event.connection.lifecycle.first_initialize.is_some();
    if !delivered || older || facts.subscription().is_some() || !event.profile.is_subscribed(message.method()) {
        return None;
    }
    let summary = format!("{} does not name the subscription that it is for", message.method());
    Some(found(RULE.code, event, summary)?.with("notification", event.seen))
}
