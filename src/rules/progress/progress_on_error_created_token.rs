//! Progress with a token that the client had refused to create.
//!
//! Left alone: progress that may have crossed the refusal (a race, and only a note).

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::About;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, ProgressFault, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PRG013",
    name: "progress-on-error-created-token",
    summary: "progress was reported with a token that the client had refused",
    on: On::Progress,
    duty: Duty::server(Occasions::TOKEN_REFUSED),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::BOTH_SIDES),
    absence: Absence::Unsaid(Whose::Both, About::Progress),
    default_on: true,
    page: include_str!("../../../docs/rules/progress-on-error-created-token.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Progress { fault: Some(ProgressFault::Refused { answer, judgement }), token, .. } = event.what else {
        return None;
    };
    let race = race_text(&judgement);
    let summary = format!("the client had refused the progress token {token}, and progress with it came{race}");
    Some(found(RULE.code, event, summary)?.with("response", answer).with("progress", event.seen).judged(&judgement))
}
