//! A `session/cancel` for a session that no message before it has named.
//!
//! Left alone: logs that may lack the start of the session.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{CancelFault, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SES006",
    name: "session-cancel-unknown-session",
    summary: "a session/cancel names a session that nobody has opened",
    on: On::Cancel,
    duty: Duty::client(Occasions::CANCELS_TURN),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::BOTH_SIDES),
    absence: Absence::Before(Whose::Both),
    default_on: true,
    page: include_str!("../../../docs/rules/session-cancel-unknown-session.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Cancel { cancel, fault: Some(CancelFault::UnknownSession(judgement)), .. } = event.what else {
        return None;
    };
    let session = cancel.target_text.as_deref().unwrap_or("null");
    let doubt = race_text(&judgement);
    let summary = format!("the session {session} was not created, loaded or used in this connection before{doubt}");
    Some(found(RULE.code, event, summary)?.with("cancel", event.seen).judged(&judgement))
}
