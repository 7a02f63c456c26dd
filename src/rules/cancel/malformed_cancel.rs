//! A cancel without a usable target: no `params`, no id, or an id that is neither string nor integer.
//!
//! A `null` id that the protocol's own schema allows is a warning at most: it names nothing, but its form is valid.

use super::faulty;
use crate::capture::Proof;
use crate::finding::{Finding, Severity};
use crate::rules::{Absence, Duty, Occasions, On, Rule};
use crate::session::{CancelFault, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN007",
    name: "malformed-cancel",
    summary: "a cancel names nothing that could be cancelled",
    on: On::Cancel,
    duty: Duty::either(Occasions::CANCELS),
    needs: Proof::CANCEL_TARGET.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/malformed-cancel.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Cancel {
        cancel,
        fault: Some(CancelFault::Malformed { what, null_in_schema, foreign_member, null_params }),
        ..
    } = event.what
    else {
        return None;
    };
    let hint = match event.profile.cancel {
        Some((method, member)) if foreign_member => format!("; {method} has the id in `{member}`"),
        _ => String::new(),
    };
    let summary = format!("a cancel by the {} names nothing: {what}{hint}", cancel.sender.as_str());
    let mut finding = faulty(RULE.code, event, summary)?;
    if null_params && !event.connection.proof.covers(Proof::ENVELOPE) {
        finding = finding.undecidable("its logger may have written null where it kept no parameters");
    }
    if null_in_schema {
        finding.severity = finding.severity.min(Severity::Warning);
    }
    Some(finding)
}
