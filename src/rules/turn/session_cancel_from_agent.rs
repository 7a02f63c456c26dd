//! A `session/cancel` from the agent.
//!
//! Left alone: logs in which the sender is a guess.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::{Mechanism, Side};
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SES009",
    name: "session-cancel-from-agent",
    summary: "the agent sends a session/cancel, which only the client may",
    on: On::Cancel,
    duty: Duty::server(Occasions::MESSAGES),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/session-cancel-from-agent.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Cancel { cancel, .. } = event.what else { return None };
    if cancel.mechanism != Mechanism::SessionCancel || cancel.sender != Side::Server {
        return None;
    }
    let summary = "the agent cancels a turn, which only the client may do".to_string();
    Some(found(RULE.code, event, summary)?.with("cancel", event.seen))
}
