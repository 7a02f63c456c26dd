//! A `session/cancel` while no prompt of its session is in work. No sentence forbids it; it tells what a user's click came too late for.
//!
//! Left alone: sessions that nothing has named (SES006).

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{CancelFault, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SES007",
    name: "session-cancel-idle",
    summary: "a session/cancel for a session in which nothing is in work",
    on: On::Cancel,
    duty: Duty::client(Occasions::CANCELS_TURN),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::BOTH_SIDES),
    absence: Absence::Before(Whose::Both),
    default_on: false,
    page: include_str!("../../../docs/rules/session-cancel-idle.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Cancel { cancel, fault: Some(CancelFault::NothingInWork { over, judgement }), .. } = event.what else {
        return None;
    };
    let session = cancel.target_text.as_deref().unwrap_or("null");
    let before = if over.is_some() { "the turn had ended" } else { "no prompt had been sent" };
    let summary = format!("nothing is in work in the session {session}: {before}{}", race_text(&judgement));
    Some(found(RULE.code, event, summary)?.maybe("end of the turn", over).with("cancel", event.seen).judged(&judgement))
}
