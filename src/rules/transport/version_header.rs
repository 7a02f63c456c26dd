//! A POST without `MCP-Protocol-Version` where others have it, or with another version than the one that was agreed on (or that its own
//! `_meta` states).
//!
//! Left alone: clients that never send the header, in a log that may not keep it; handshakes; and, where each request states its version,
//! what is no request: of the headers of notifications that revision says that it defines none.

use super::in_words;
use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::Kind;
use crate::protocol::Facts;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found, found_by};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TRN005",
    name: "version-header",
    summary: "a request of the client lacks the header of its protocol version, or names another",
    on: On::Posted,
    duty: Duty::client(Occasions::POSTS).over_http(),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::STREAMS),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/version-header.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Posted { head, message, facts, shown, bound: true, negotiated } = event.what else { return None };
    if event.profile.revision_per_request && message.kind != Kind::Request {
        return None;
    }
    let Some(header) = &head.revision else {
        let summary = format!("{} is sent without the protocol version that other requests name", in_words(message));
        return Some(found(RULE.code, event, summary).filter(|_| shown.revision)?.with("message", event.seen));
    };
    let stated = Facts::told(facts.meta_revision());
    let agreed = negotiated.filter(|_| facts.meta_revision().is_none());
    let expected = stated.as_deref().or(agreed).filter(|expected| **expected != **header)?;
    // What a message states itself must be the same; what was agreed on should be.
    let ruling = match stated.is_some() {
        true => event.profile.ruling("TRN005/stated"),
        false => event.profile.ruling("TRN005/negotiated"),
    };
    let summary = format!("{} has the protocol version {header} as a header, and it is {expected}", in_words(message));
    Some(found_by(RULE.code, ruling?, event, summary).with("message", event.seen))
}
