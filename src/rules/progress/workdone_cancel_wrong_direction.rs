//! A `window/workDoneProgress/cancel` from the server.
//!
//! Left alone: logs in which the sender is a guess.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::{Mechanism, Side};
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PRG011",
    name: "workdone-cancel-wrong-direction",
    summary: "a server sends what only the client may send to cancel progress",
    on: On::Cancel,
    duty: Duty::server(Occasions::CREATES_TOKEN.and(Occasions::CANCELS_WORK)),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/workdone-cancel-wrong-direction.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Cancel { cancel, .. } = event.what else { return None };
    if cancel.mechanism != Mechanism::WorkDoneProgressCancel || cancel.sender != Side::Server {
        return None;
    }
    let token = cancel.target_text.as_deref().unwrap_or("null");
    let summary = format!("the server cancels the progress {token}, which only the client may do");
    Some(found(RULE.code, event, summary)?.with("cancel", event.seen))
}
