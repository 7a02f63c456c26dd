//! Progress with a token that no request of the other side gave. `1` and `"1"` are two tokens.
//!
//! Left alone: tokens that the sender itself gave (PRG006 speaks of them).

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, ProgressFault, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PRG003",
    name: "progress-unknown-token",
    summary: "progress was reported with a token that nobody gave",
    on: On::Progress,
    duty: Duty::either(Occasions::PROGRESS),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::BOTH_SIDES),
    absence: Absence::Before(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/progress-unknown-token.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Progress { fault: Some(ProgressFault::UnknownToken(judgement)), token, .. } = event.what else {
        return None;
    };
    let nobody =
        if event.profile.introduces_progress() { "no progressStart has introduced" } else { "no request has given" };
    let summary = format!("progress with the progress token {token}, which {nobody}{}", race_text(&judgement));
    let finding = found(RULE.code, event, summary)?.with("progress", event.seen).judged(&judgement);
    // Where the sender creates tokens, too, its own lost message may have been the one that did.
    Some(if event.profile.creates_tokens() { finding.concluding(Absence::Before(Whose::Both)) } else { finding })
}
