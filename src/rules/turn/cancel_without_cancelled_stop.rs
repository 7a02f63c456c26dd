//! A prompt whose turn was cancelled and whose result names another stop reason than `cancelled`.
//!
//! Left alone: results that may have crossed the cancel (a race, and only a note), and errors (SES002 speaks of them).

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::Mechanism;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, Outcome, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SES001",
    name: "cancel-without-cancelled-stop",
    summary: "a cancelled prompt ended with another stop reason",
    on: On::LateAnswer,
    duty: Duty::server(Occasions::ENDS_TURN),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Between(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/cancel-without-cancelled-stop.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::LateAnswer { exchange, cancel, judgement, is_error: false, .. } = event.what else { return None };
    if cancel.mechanism != Mechanism::SessionCancel || exchange.outcome != Outcome::Result {
        return None;
    }
    let (label, title, race) = (exchange.label(), exchange.title(), race_text(&judgement));
    let summary = format!("{label} {title} was cancelled, and was answered without the stop reason cancelled{race}");
    let finding = found(RULE.code, event, summary)?;
    Some(finding.about(exchange).with("cancel", cancel.seen).with("response", event.seen).judged(&judgement))
}
