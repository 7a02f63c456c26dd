//! A cancel by the method of another protocol or revision. The peer is free to ignore it.
//!
//! Such a cancel does not count: what happens to its request afterwards is judged as if it had not been sent.

use super::{faulty, object};
use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Duty, Occasions, On, Rule};
use crate::session::{CancelFault, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN008",
    name: "cancel-dialect-mismatch",
    summary: "a cancel is spelled in the dialect of another protocol or revision",
    on: On::Cancel,
    duty: Duty::either(Occasions::CANCELS),
    needs: Proof::CANCEL_TARGET.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/cancel-dialect-mismatch.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Cancel { cancel, fault: Some(CancelFault::ForeignDialect), target } = event.what else { return None };
    let (method, member) = event.profile.cancel?;
    let (sender, used) = (cancel.sender.as_str(), cancel.mechanism.as_str());
    let object = object(cancel, target);
    let own = format!("{} has {method} with `{member}`", event.profile.label());
    faulty(RULE.code, event, format!("the {sender} cancels {object} by {used}, which may be ignored: {own}"))
}
