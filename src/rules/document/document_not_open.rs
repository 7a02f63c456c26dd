//! A `textDocument/didChange` or `textDocument/didClose` for a document that was never opened, or closed before.
//!
//! Left alone: documents that were opened under another spelling of their address.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found_by};
use crate::session::{DocumentFault, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "DOC002",
    name: "document-not-open",
    summary: "a document was changed or closed that is not open",
    on: On::Document,
    duty: Duty::client(Occasions::CHANGES_DOCUMENT.and(Occasions::CLOSES_DOCUMENT)),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Before(Whose::Sender),
    default_on: true,
    page: include_str!("../../../docs/rules/document-not-open.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Document { address, fault: DocumentFault::NotOpen { closed, changes } } = event.what else { return None };
    let (done, case) = if changes { ("changed", "DOC002") } else { ("closed", "DOC002/close") };
    let since = if closed.is_some() { "it was closed before" } else { "it was never opened" };
    let ruling = event.profile.ruling(case).or_else(|| event.profile.ruling(RULE.code))?;
    let finding = found_by(RULE.code, ruling, event, format!("\"{address}\" is {done}, and {since}"));
    Some(finding.maybe("close", closed).with("notification", event.seen))
}
