//! A `textDocument/didChange` whose version is not above that of the notification before it.
//!
//! Left alone: versions that are no integers.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{DocumentFault, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "DOC003",
    name: "version-not-increasing",
    summary: "the version of a document did not increase",
    on: On::Document,
    duty: Duty::client(Occasions::CHANGES_DOCUMENT),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    // Without the beginning nothing shows that one server is spoken to: each has documents of its own.
    absence: Absence::Before(Whose::Sender),
    default_on: true,
    page: include_str!("../../../docs/rules/version-not-increasing.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Document { address, fault: DocumentFault::Version { before, was, now } } = event.what else {
        return None;
    };
    let finding = found(RULE.code, event, format!("\"{address}\" is changed to version {now}, and had version {was}"))?;
    Some(finding.with("before", before).with("change", event.seen))
}
