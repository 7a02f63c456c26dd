//! A method that the protocol defines as a notification, sent with an id. It is then a request: a cancel sent so
//! cancels nothing. With the id null it is a notification all the same, which should not have the member.
//!
//! Left alone: methods that the protocol does not define.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::{IdField, Kind};
use crate::protocol::MethodKind;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC016",
    name: "notification-with-id",
    summary: "a notification carries an id",
    on: On::Message,
    duty: Duty::either(Occasions::NOTIFIES),
    needs: Proof::ENVELOPE,
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/notification-with-id.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Message { message, .. } = event.what else { return None };
    let has_id = matches!(message.kind, Kind::Request | Kind::Notification) && message.id != IdField::Absent;
    if !has_id || event.profile.method(message.method())?.kind != MethodKind::Notification {
        return None;
    }
    let id = super::id_text(message);
    let summary = format!("{} is a notification, but carries the id {id}", message.method());
    Some(found(RULE.code, event, summary)?.with("request", event.seen))
}
