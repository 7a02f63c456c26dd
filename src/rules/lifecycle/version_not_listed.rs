//! A client that was told which versions its server speaks, and goes on by another one (MCP 2026-07-28).
//!
//! Left alone: requests that may have crossed the refusal (a race, and only a note), and handshakes. Where nothing shows that the client
//! speaks one of those versions, and it asks by the one that was refused, it is not decidable.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found, race_text};
use crate::session::{Certainty, EraFault, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF034",
    name: "version-not-listed",
    summary: "a client goes on by a version that its server does not list",
    on: On::Era,
    duty: Duty::client(Occasions::VERSION_REFUSED),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::BOTH_SIDES),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/version-not-listed.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Era { fault: EraFault::Unlisted { same, judgement }, shown, .. } = event.what else { return None };
    let race = race_text(&judgement);
    let summary = format!("a request states a version that the server has not listed when it refused another{race}");
    let finding =
        found(RULE.code, event, summary)?.with("refusal", shown).with("message", event.seen).judged(&judgement);
    let unsure = same && judgement.certainty == Certainty::Violation;
    Some(if unsure { finding.undecidable("which versions a client speaks is known to it alone") } else { finding })
}
