//! A turn that was cancelled, and whose idle state names another stop reason (ACP 2).
//!
//! Left alone: reports that may have crossed the cancel (a race, and only a note), and turns of which no report ever came: the agent may
//! wait for what the client owes it.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SES008",
    name: "v2-no-idle-state",
    summary: "a cancelled turn did not end with an idle state that says so",
    on: On::TurnNotCancelled,
    duty: Duty::server(Occasions::PAST_TURN_CANCEL),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Between(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/v2-no-idle-state.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::TurnNotCancelled { exchange, cancel, judgement } = event.what else { return None };
    let (label, title, race) = (exchange.label(), exchange.title(), race_text(&judgement));
    let summary = format!(
        "the turn of {label} {title} was cancelled, and it became idle without the stop reason cancelled{race}"
    );
    let finding = found(RULE.code, event, summary)?.about(exchange).with("cancel", cancel);
    Some(finding.with("idle", event.seen).judged(&judgement))
}
