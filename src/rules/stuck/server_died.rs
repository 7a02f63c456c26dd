//! The server's process ended while requests of the client were in flight. The finding is at its end.
//!
//! Left alone: a process that ends after its client has closed the connection or sent `exit`, and one that leaves
//! nothing open to which an answer was due.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::number::duration;
use crate::protocol::Side;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "STK004",
    name: "server-died",
    summary: "the server's process ended with requests in flight",
    on: On::ServerDied,
    duty: Duty::server(Occasions::ASKED),
    needs: Proof::ALL_ANSWERS.and(Proof::DIRECTION).and(Proof::BOTH_SIDES),
    absence: Absence::Since(Whose::Owing),
    default_on: true,
    page: include_str!("../../../docs/rules/server-died.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::ServerDied { first, open, exit, judgement, stderr, last_words } = event.what else { return None };
    let (label, title) = (first.label(), first.title());
    let age = event.seen.since(first.request).map_or(String::new(), |us| format!(", {} after it", duration(us)));
    let others = if open > 1 { format!(" and {} more requests", open - 1) } else { String::new() };
    let others = others.replace(" 1 more requests", " 1 more request");
    let handshake = Some(&*first.method) == event.profile.opening.initialize && first.issuer == Side::Client;
    let early = if handshake { "; the handshake was never answered" } else { "" };
    let words = if last_words.is_empty() { String::new() } else { format!("; its last words: {last_words}") };
    let unsure = judgement.reason.map_or(String::new(), |reason| format!("; not decidable: {reason}"));
    let summary = format!("the server {exit} with {label} {title}{others} open{age}{early}{words}{unsure}");
    let mut finding = found(RULE.code, event, summary)?.about(first);
    for line in stderr {
        finding = finding.with("stderr", *line);
    }
    finding = finding.with("end", event.seen);
    finding.evidence.sort_by_key(|evidence| evidence.frame);
    Some(finding.judged(&judgement))
}
