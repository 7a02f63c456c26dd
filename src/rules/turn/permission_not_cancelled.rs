//! A permission request of a cancelled turn that the client, which had cancelled the turn, answered by anything but `cancelled`.
//!
//! Left alone: the cancelled code, where the agent itself had cancelled the request.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SES003",
    name: "permission-not-cancelled",
    summary: "a permission request of a cancelled turn was answered as if nothing had happened",
    on: On::PermissionAnswer,
    duty: Duty::client(Occasions::PERMISSION_CANCELLED),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Between(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/permission-not-cancelled.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::PermissionAnswer { exchange, cancel, outcome, error_code, cancelled_by_agent } = event.what else {
        return None;
    };
    let code_allowed = cancelled_by_agent && error_code.is_some() && error_code == event.profile.cancelled_code;
    if outcome == Some("cancelled") || code_allowed {
        return None;
    }
    let answer = match (outcome, error_code) {
        (Some(outcome), _) => format!("the outcome {outcome}"),
        (None, Some(code)) => format!("error {code}"),
        (None, None) => "no outcome".to_string(),
    };
    let label = exchange.label();
    let summary = format!("{label} {} was answered with {answer} after the turn was cancelled", exchange.title());
    let finding = found(RULE.code, event, summary)?;
    let mut finding = finding.about(exchange).with("cancel", cancel).with("response", event.seen);
    // The agent may have asked before the cancel or after it.
    finding.evidence.sort_by_key(|evidence| evidence.frame);
    Some(finding)
}
