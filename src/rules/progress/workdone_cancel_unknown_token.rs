//! A `window/workDoneProgress/cancel` with a token that the server has not created.
//!
//! Left alone: logs that may lack the creation.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{CancelFault, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PRG010",
    name: "workdone-cancel-unknown-token",
    summary: "a client cancels progress that the server has not created",
    on: On::Cancel,
    duty: Duty::client(Occasions::CANCELS_WORK),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::BOTH_SIDES),
    absence: Absence::Before(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/workdone-cancel-unknown-token.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Cancel { cancel, fault: Some(CancelFault::UnknownToken(judgement)), .. } = event.what else {
        return None;
    };
    let token = cancel.target_text.as_deref().unwrap_or("null");
    let summary =
        format!("the server has created no progress with the progress token {token}{}", race_text(&judgement));
    Some(found(RULE.code, event, summary)?.with("cancel", event.seen).judged(&judgement))
}
