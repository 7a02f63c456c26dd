//! A turn that was cancelled, and of which the agent either never said that it is idle, or named another stop reason when it did (ACP 2).
//!
//! Left alone: reports that may have crossed the cancel (a race, and only a note), and prompts that were never answered (STK001).

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
    duty: Duty::server(Occasions::TURN_CANCELLED),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Since(Whose::Sender),
    default_on: true,
    page: include_str!("../../../docs/rules/v2-no-idle-state.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::TurnNotCancelled { exchange, cancel, idle, judgement } = event.what else { return None };
    let (label, title, race) = (exchange.label(), exchange.title(), race_text(&judgement));
    let how = match idle {
        Some(_) => "the idle state that ends it names another stop reason",
        None => "no idle state ever ended it",
    };
    let finding = found(RULE.code, event, format!("the turn of {label} {title} was cancelled, and {how}{race}"))?;
    let finding = finding.about(exchange).with("cancel", cancel).maybe("idle", idle).judged(&judgement);
    // A report that is there says itself what it is.
    Some(if idle.is_some() { finding.concluding(Absence::Between(Whose::Peer)) } else { finding })
}
