//! An error with a code that has a status of its own, in a response with another one.
//!
//! Left alone: responses whose status the log does not show, and event streams, whose status was sent before. Not decidable: -32601 to a
//! request that calls something by its name, which may be what is not there.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::codes::METHOD_NOT_FOUND;
use crate::protocol::names_callee;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found_by};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TRN010",
    name: "error-status",
    summary: "an error came with another HTTP status than the one it has",
    on: On::Answer,
    duty: Duty::server(Occasions::RESPONDS).over_http(),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::STREAMS),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/error-status.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, status: Some(status), streamed: false, request_has_meta, .. } = event.what else {
        return None;
    };
    let code = exchange.error_code?;
    let stated = request_has_meta || event.connection.lifecycle.initialize.is_some();
    let due = event.profile.status_of(code, stated).filter(|due| *due != status)?;
    let (label, title) = (exchange.label(), exchange.title());
    let summary = format!("the error {code} to {label} {title} comes with the status {status}, and not {due}");
    let own = format!("{}/{code}", RULE.code);
    let ruling = event.profile.ruling(&own).or_else(|| event.profile.ruling(RULE.code))?;
    let finding = found_by(RULE.code, ruling, event, summary).about(exchange).with("response", event.seen);
    let callee = code == METHOD_NOT_FOUND && names_callee(&exchange.method);
    Some(if callee { finding.undecidable("what is called may be unknown, and not the method") } else { finding })
}
