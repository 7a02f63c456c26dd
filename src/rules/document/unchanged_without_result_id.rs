//! A diagnostic report that says that nothing has changed, to a request that names no earlier result.
//!
//! Left alone: requests and answers out of which a filter has taken something.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "DOC005",
    name: "unchanged-without-result-id",
    summary: "diagnostics are said to be unchanged, and the request names no earlier result",
    on: On::Answer,
    duty: Duty::server(Occasions::GIVES_DIAGNOSTICS),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/unchanged-without-result-id.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, facts, previous_result: false, .. } = event.what else { return None };
    if !facts.unchanged || &*exchange.method != "textDocument/diagnostic" {
        return None;
    }
    let summary =
        format!("{} {} is answered with unchanged, and names no earlier result", exchange.label(), exchange.title());
    Some(found(RULE.code, event, summary)?.about(exchange).with("response", event.seen))
}
