//! A cancel of the handshake request, most often sent by a client whose own timeout ran out.
//!
//! One sender, one direction: exact at every vantage. Left alone: protocols in which nothing forbids it.

use super::{age, faulty, object};
use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Duty, Occasions, On, Rule, Whose, race_text};
use crate::session::{CancelFault, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN003",
    name: "initialize-cancelled",
    summary: "the handshake request was cancelled",
    on: On::Cancel,
    duty: Duty::client(Occasions::HANDSHAKE_ANSWERED),
    needs: Proof::CANCEL_TARGET.and(Proof::DIRECTION).and(Proof::CLIENT),
    absence: Absence::Between(Whose::Both),
    default_on: true,
    page: include_str!("../../../docs/rules/initialize-cancelled.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Cancel { cancel, fault: Some(CancelFault::Initialize(judgement)), target } = event.what else {
        return None;
    };
    let (object, age) = (object(cancel, target), age(cancel));
    let reason = cancel.reason.as_deref().map_or(String::new(), |reason| format!(", with the reason \"{reason}\""));
    let doubt = race_text(&judgement);
    let summary = format!("the {} cancels {object}{age}{reason}{doubt}", cancel.sender.as_str());
    Some(faulty(RULE.code, event, summary)?.judged(&judgement))
}
