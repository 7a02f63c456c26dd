//! A permission request of a cancelled turn that was never answered. It is reported here and not as STK001 or CAN011.
//!
//! Left alone: captures that merely end, where the answer may still have come (that is undecidable).

use crate::capture::Proof;
use crate::finding::Finding;
use crate::number::duration;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SES004",
    name: "permission-unanswered",
    summary: "a permission request of a cancelled turn was never answered",
    on: On::Unanswered,
    duty: Duty::client(Occasions::PERMISSION_CANCELLED),
    needs: Proof::ALL_ANSWERS.and(Proof::DIRECTION).and(Proof::BOTH_SIDES),
    absence: Absence::Since(Whose::Sender),
    default_on: true,
    page: include_str!("../../../docs/rules/permission-unanswered.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Unanswered { exchange, judgement, age_us, permission_of_cancelled_turn: Some(cancel), .. } = event.what
    else {
        return None;
    };
    let age = age_us.map_or(String::new(), |us| format!(" in {}", duration(us)));
    let why = judgement.reason.map_or(String::new(), |reason| format!("; not decidable: {reason}"));
    let (label, title) = (exchange.label(), exchange.title());
    let summary = format!("{label} {title} of a cancelled turn was not answered{age}{why}");
    let mut finding = found(RULE.code, event, summary)?.judged(&judgement).about(exchange).with("cancel", cancel);
    // The agent may have asked before the cancel or after it.
    finding.evidence.sort_by_key(|evidence| evidence.frame);
    Some(finding)
}
