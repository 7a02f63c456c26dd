//! A `textDocument/didOpen` for a document that was opened before and not closed since.
//!
//! Left alone: connections with a second handshake, whose servers are told of the same documents.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::About;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{DocumentFault, Event, Judgement, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "DOC001",
    name: "document-opened-twice",
    summary: "a document was opened that is open",
    on: On::Document,
    duty: Duty::client(Occasions::OPENS_DOCUMENT),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Unsaid(Whose::Sender, About::Document),
    default_on: true,
    page: include_str!("../../../docs/rules/document-opened-twice.md"),
    check,
};

const SPELLED_OTHERWISE: &str = "what may be the same address in another spelling was closed in between";

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Document { address, fault: DocumentFault::Opened { before, closed } } = event.what else { return None };
    let judgement = Judgement::exact_if(closed.is_none(), SPELLED_OTHERWISE);
    let doubt = race_text(&judgement);
    let summary = format!("\"{address}\" is opened, and was not closed since it was opened before{doubt}");
    let finding = found(RULE.code, event, summary)?.with("earlier opening", before).maybe("close", closed);
    Some(finding.with("opening", event.seen).judged(&judgement))
}
