//! A prompt to a session that no answer and no request before it has named.
//!
//! Left alone: sessions that were loaded or resumed, answered or not; sessions that an update has named.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SES016",
    name: "session-not-set-up",
    summary: "a prompt was sent to a session that was not set up",
    on: On::NotSetUp,
    duty: Duty::client(Occasions::PROMPTS),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::BOTH_SIDES).and(Proof::CLIENT),
    absence: Absence::Before(Whose::Both),
    // A session may have been set up over an earlier connection to the same agent.
    default_on: false,
    page: include_str!("../../../docs/rules/session-not-set-up.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::NotSetUp { exchange, session } = event.what else { return None };
    let summary = format!(
        "{} {} is for the session {session}, which nothing before it has set up",
        exchange.label(),
        exchange.title()
    );
    Some(found(RULE.code, event, summary)?.about(exchange))
}
