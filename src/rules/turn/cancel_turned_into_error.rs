//! A prompt whose turn was cancelled and that was answered by an error instead of a stop reason.
//!
//! Left alone: errors that may have crossed the cancel (a race, and only a note), and the cancelled code where the request
//! itself was cancelled as well.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::{About, Mechanism};
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SES002",
    name: "cancel-turned-into-error",
    summary: "a cancelled prompt was answered by an error",
    on: On::LateAnswer,
    duty: Duty::server(Occasions::ENDS_TURN),
    needs: Proof::DIRECTION.and(Proof::ERROR_CODE),
    absence: Absence::Unsaid(Whose::Peer, About::Cancel),
    default_on: true,
    page: include_str!("../../../docs/rules/cancel-turned-into-error.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::LateAnswer { exchange, cancel, judgement, error_code, is_error: true, .. } = event.what else {
        return None;
    };
    if cancel.mechanism != Mechanism::SessionCancel {
        return None;
    }
    let by_id = exchange.cancels.iter().any(|other| !other.foreign && other.mechanism != Mechanism::SessionCancel);
    if by_id && error_code.is_some() && error_code == event.profile.cancelled_code {
        return None;
    }
    let answer = error_code.map_or("an error".to_string(), |code| format!("error {code}"));
    let (label, title, race) = (exchange.label(), exchange.title(), race_text(&judgement));
    let summary = format!("{label} {title} was cancelled, and {answer} answered it{race}");
    let finding = found(RULE.code, event, summary)?;
    Some(finding.about(exchange).with("cancel", cancel.seen).with("response", event.seen).judged(&judgement))
}
