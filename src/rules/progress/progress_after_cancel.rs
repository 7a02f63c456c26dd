//! Progress on a request that was cancelled before, in protocols where a cancel ends the work and its messages.
//!
//! One finding per request and certainty, at the first such message; the text tells how many there were.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::About;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PRG002",
    name: "progress-after-cancel",
    summary: "progress was reported on a request that was cancelled before",
    on: On::ProgressAfterCancel,
    duty: Duty::either(Occasions::PAST_CANCEL),
    needs: Proof::PAYLOAD.and(Proof::CANCEL_TARGET).and(Proof::ANSWER_TIME).and(Proof::DIRECTION),
    absence: Absence::Unsaid(Whose::Peer, About::Work),
    default_on: true,
    page: include_str!("../../../docs/rules/progress-after-cancel.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::ProgressAfterCancel { exchange, cancel, judgement, count, last } = event.what else { return None };
    let (label, title, race) = (exchange.label(), exchange.title(), race_text(&judgement));
    let more = if count > 1 { format!("; {count} such messages in all") } else { String::new() };
    let finding =
        found(RULE.code, event, format!("{label} {title} was cancelled, and progress on it came{race}{more}"))?;
    let finding = finding.about(exchange).with("cancel", cancel).with("progress", event.seen).judged(&judgement);
    Some(if count > 1 { finding.with("last progress", last) } else { finding })
}
