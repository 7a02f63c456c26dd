//! A client cancels a tool call or a terminal by itself, and its agent does not offer that at the moment (ACP 2).
//!
//! Left alone: an offer whose end may have crossed the cancel (a race, and only a note), and what was reported before the log or before the
//! session was taken up.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found_by, race_text};
use crate::session::{ControlFault, Event, Thing, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SES020",
    name: "cancel-not-offered",
    summary: "a tool call or a terminal was cancelled, and its agent does not offer that",
    on: On::Control,
    duty: Duty::client(Occasions::CANCELS_PART),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::BOTH_SIDES),
    absence: Absence::Before(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/cancel-not-offered.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Control { thing, exchange: Some(exchange), fault: ControlFault::NotOffered { withdrawn }, judgement } =
        event.what
    else {
        return None;
    };
    let ruling = event.profile.ruling(case(thing))?;
    let (label, title, thing) = (exchange.label(), exchange.title(), thing.as_str());
    let offer = if withdrawn.is_some() { "no longer offers" } else { "does not offer" };
    let summary = format!("{label} {title} is for a {thing} whose cancel the agent {offer}{}", race_text(&judgement));
    let finding = found_by(RULE.code, ruling, event, summary).maybe("withdrawn", withdrawn);
    Some(finding.about(exchange).judged(&judgement))
}

/// The case of a thing: the specification has a sentence for each.
fn case(thing: Thing) -> &'static str {
    match thing {
        Thing::ToolCall => RULE.code,
        Thing::Terminal => "SES020/terminal",
    }
}
