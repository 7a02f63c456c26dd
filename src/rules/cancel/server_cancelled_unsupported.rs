//! Error -32802 (`ServerCancelled`) for a request that does not support being cancelled by the server.
//!
//! Left alone: the two diagnostic requests, and semantic tokens where the client declared `serverCancelSupport`. For
//! methods outside the specification it is a note: their own documentation decides.

use crate::capture::Proof;
use crate::finding::{Finding, Severity};
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, Judgement, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN014",
    name: "server-cancelled-unsupported",
    summary: "`ServerCancelled` for a request that is not server cancellable",
    on: On::Answer,
    duty: Duty::server(Occasions::ERRORS),
    needs: Proof::ERROR_CODE,
    absence: Absence::Before(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/server-cancelled-unsupported.md"),
    check,
};

const SERVER_CANCELLED: i64 = -32802;
const DIAGNOSTICS: [&str; 2] = ["textDocument/diagnostic", "workspace/diagnostic"];
const SEMANTIC_TOKENS: &str = "textDocument/semanticTokens/";

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, .. } = event.what else { return None };
    if exchange.error_code != Some(SERVER_CANCELLED) || DIAGNOSTICS.contains(&&*exchange.method) {
        return None;
    }
    let declared = event.connection.client.map(|client| client.semantic_tokens_server_cancel);
    let judgement = match (exchange.method.starts_with(SEMANTIC_TOKENS), declared) {
        (true, Some(true)) => return None,
        (true, None) => Judgement::undecidable("the client's capabilities are not in the log"),
        _ => Judgement::EXACT,
    };
    let (label, title) = (exchange.label(), exchange.title());
    let reason = race_text(&judgement);
    let summary = format!("error {SERVER_CANCELLED} for {label} {title}, which a server may not cancel{reason}");
    let mut finding = found(RULE.code, event, summary)?;
    if exchange.known.is_none() {
        finding.severity = Severity::Note;
    }
    Some(finding.about(exchange).with("response", event.seen).judged(&judgement))
}
