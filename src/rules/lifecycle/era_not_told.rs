//! A server of a revision without a handshake that does not know `server/discover`, or that refuses a handshake and names no version.
//!
//! Left alone: servers that have shown no message of this revision: they may be of an earlier one.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found_by};
use crate::session::{EraFault, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF029",
    name: "era-not-told",
    summary: "a server does not say which versions it speaks",
    on: On::Era,
    duty: Duty::server(Occasions::TELLS_ERA.and(Occasions::REFUSES_OTHER_ERA)),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::PAIRING).and(Proof::ERROR_CODE),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/era-not-told.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Era { exchange: Some(exchange), fault, shown } = event.what else { return None };
    let (case, summary) = match fault {
        EraFault::Undiscovered => (RULE.code, "server/discover is not known to a server of this revision"),
        EraFault::Unnamed => {
            ("LIF029/initialize", "a handshake is refused, and no version named that the server speaks")
        }
        _ => return None,
    };
    let finding = found_by(RULE.code, event.profile.ruling(case)?, event, summary.to_string());
    Some(finding.about(exchange).with("response", event.seen).with("result of this revision", shown))
}
