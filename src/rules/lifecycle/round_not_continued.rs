//! A request that continues one which its server has answered with questions, and does not bring what it was given.
//!
//! Left alone: parameters that are spelled otherwise than in the request that is continued; states that were given to the same request in
//! any round before; requests of which no question is seen.

use crate::capture::{Proof, Transport};
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found_by};
use crate::session::{Event, RoundFault, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF026",
    name: "round-not-continued",
    summary: "a request that was asked for input was sent again without what it was given or asked for",
    on: On::Round,
    duty: Duty::client(Occasions::CONTINUES),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::BOTH_SIDES),
    absence: Absence::Before(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/round-not-continued.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Round { exchange, fault, asked } = event.what else { return None };
    let (case, does) = match fault {
        RoundFault::Changed => (RULE.code, "brings another requestState than it was given"),
        RoundFault::Dropped => (RULE.code, "leaves out the requestState that it was given"),
        RoundFault::Added => ("LIF026/added", "brings a requestState, and was given none"),
        RoundFault::Elsewhere => ("LIF026/other", "brings the requestState of another request"),
        RoundFault::Unanswered => ("LIF026/answers", "answers nothing of what it was asked"),
    };
    let ruling = event.profile.ruling(case)?;
    let summary = format!("{} {} {does}", exchange.label(), exchange.title());
    let finding = found_by(RULE.code, ruling, event, summary).about(exchange).with("asked for input", asked);
    let elsewhere = event.connection.transport == Transport::Http && fault != RoundFault::Unanswered;
    Some(if elsewhere {
        finding.undecidable("over HTTP a state may have been given on another connection")
    } else {
        finding
    })
}
