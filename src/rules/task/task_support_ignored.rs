//! A tool that must not be called as a task is, or one that must be is not, and its server refuses the call for it.
//!
//! Left alone: calls that are served, or refused with another code; tools of which two lists do not say the same, and those that may have
//! changed since they were listed.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found_by};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TSK014",
    name: "task-support-ignored",
    summary: "a tool was called as a task, or not, against what its definition says",
    on: On::Unsupported,
    duty: Duty::client(Occasions::ASKS_TASK),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::ERROR_CODE),
    absence: Absence::Between(Whose::Sender),
    default_on: false,
    page: include_str!("../../../docs/rules/task-support-ignored.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Unsupported { exchange, listed, required } = event.what else { return None };
    let (label, title) = (exchange.label(), exchange.title());
    let (case, words) = match required {
        true => ("TSK014/required", "asks for no task, and its tool requires one"),
        false => (RULE.code, "asks for a task, and its tool forbids that"),
    };
    let summary = format!("{label} {title} {words}");
    let finding = found_by(RULE.code, event.profile.ruling(case)?, event, summary).with("definition", listed);
    let finding = finding.about(exchange).with("response", event.seen);
    Some(Finding { frame: exchange.request.frame, by: Some(exchange.issuer), ..finding })
}
