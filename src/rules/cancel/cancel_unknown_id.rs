//! A cancel whose id belongs to no request of either side.
//!
//! Not decidable where the capture starts in the middle or has a gap: the request may be in the missing part.

use super::{faulty, object};
use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Duty, Occasions, On, Rule, Whose, race_text};
use crate::session::{CancelFault, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN004",
    name: "cancel-unknown-id",
    summary: "a cancel names an id that nobody issued",
    on: On::Cancel,
    duty: Duty::either(Occasions::CANCELS_BY_NAME),
    needs: Proof::CANCEL_TARGET.and(Proof::DIRECTION).and(Proof::CLIENT),
    absence: Absence::Before(Whose::Sender),
    default_on: true,
    page: include_str!("../../../docs/rules/cancel-unknown-id.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Cancel { cancel, fault: Some(CancelFault::UnknownId(judgement)), target } = event.what else {
        return None;
    };
    let (sender, object) = (cancel.sender.as_str(), object(cancel, target));
    let nobody = match target {
        Some(_) => "before it was issued",
        None => "which nobody issued",
    };
    let summary = format!("the {sender} cancels {object}, {nobody}{}", race_text(&judgement));
    Some(faulty(RULE.code, event, summary)?.judged(&judgement))
}
