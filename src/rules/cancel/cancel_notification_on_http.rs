//! A client's cancel notification over HTTP, in a revision in which closing the response stream is the cancel.
//!
//! Left alone: cancels that have a fault of their own, stdio, and revisions that ask for the notification.

use super::{age, faulty, object};
use crate::capture::Proof;
use crate::capture::Transport;
use crate::finding::Finding;
use crate::protocol::{Mechanism, Side};
use crate::rules::{Absence, Duty, Occasions, On, Rule};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN020",
    name: "cancel-notification-on-http",
    summary: "a cancel was sent by notification where closing the stream is the cancel",
    on: On::Cancel,
    duty: Duty::client(Occasions::CANCELS).over_http(),
    needs: Proof::CANCEL_TARGET.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/cancel-notification-on-http.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Cancel { cancel, fault: None, target } = event.what else { return None };
    let notified = cancel.mechanism == Mechanism::NotificationsCancelled && cancel.sender == Side::Client;
    if !notified || event.connection.transport != Transport::Http {
        return None;
    }
    let (object, age) = (object(cancel, target), age(cancel));
    let summary = format!("the client cancels by notification, not by closing the stream: {object}{age}");
    faulty(RULE.code, event, summary)
}
