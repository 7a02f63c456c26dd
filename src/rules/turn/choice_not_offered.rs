//! A choice that the agent has not offered: a way to log in, a mode, a config option or its value, an option of a permission request.
//!
//! Left alone: what was offered once, also where it was taken back since; sessions of which no offer is seen; offers that a filter has cut.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found_by, reserved};
use crate::session::{Event, Offer, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SES013",
    name: "choice-not-offered",
    summary: "something was chosen that the agent had not offered",
    on: On::NotOffered,
    duty: Duty::client(
        Occasions::LOGS_IN
            .and(Occasions::CHOOSES_MODE)
            .and(Occasions::CHOOSES_VALUE)
            .and(Occasions::ANSWERS_PERMISSION),
    ),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::BOTH_SIDES).and(Proof::CLIENT),
    absence: Absence::Before(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/choice-not-offered.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::NotOffered { exchange, offer, chosen, by, judgement } = event.what else { return None };
    let (case, thing) = match offer {
        Offer::Login => ("SES013/login", "a way to log in that the handshake does not list"),
        Offer::Terminal => ("SES013/terminal", "a way to log in that is for a terminal alone"),
        Offer::Mode => ("SES013/mode", "a mode that the session was not offered"),
        Offer::Value => ("SES013/value", "a config option or a value that the session was not offered"),
        Offer::Option => ("SES013/option", "an option that the request did not have"),
    };
    let ruling = event.profile.ruling(case).or_else(|| event.profile.ruling(RULE.code))?;
    let reason = reserved(&judgement);
    let summary = format!("{} {}: \"{chosen}\" is {thing}{reason}", exchange.label(), exchange.title());
    let finding = found_by(RULE.code, ruling, event, summary).about(exchange).judged(&judgement).maybe("offer", by);
    Some(if offer == Offer::Option { finding.with("response", event.seen) } else { finding })
}
