//! An error with another code than the cancelled one, in answer to a request that was cancelled before.
//!
//! Left alone: results (a finished or partial result is a valid answer), codes that the protocol keeps for other ends
//! of a request, turns ended by `session/cancel`, and, where the code is only advised, errors that may have crossed
//! the cancel.

use crate::capture::Proof;
use crate::finding::{Finding, Severity};
use crate::protocol::{Level, Mechanism};
use crate::rules::{Absence, Build, On, Rule, Whose, found, race_text};
use crate::session::{Certainty, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN012",
    name: "wrong-error-code-on-cancel",
    summary: "a cancelled request was answered with an error that does not say so",
    on: On::LateAnswer,
    needs: Proof::CANCEL_TARGET.and(Proof::DIRECTION).and(Proof::ERROR_CODE),
    absence: Absence::Between(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/wrong-error-code-on-cancel.md"),
    check,
};

/// ContentModified, ServerCancelled and RequestFailed: ends of a request that have nothing to do with the cancel.
const ENDS: [i64; 3] = [-32801, -32802, -32803];

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::LateAnswer { exchange, cancel, judgement, error_code: Some(code), support_evident, .. } = event.what
    else {
        return None;
    };
    let profile = event.profile;
    let own_end = ENDS.contains(&code) && profile.codes.contains(&code);
    if Some(code) == profile.cancelled_code || own_end || cancel.mechanism == Mechanism::SessionCancel {
        return None;
    }
    let advised = profile.clause(RULE.code).is_some_and(|clause| clause.level != Level::Must);
    if advised && judgement.certainty != Certainty::Violation {
        return None;
    }
    let (label, title) = (exchange.label(), exchange.title());
    let later = race_text(&judgement);
    let summary = format!("{label} {title} was cancelled, and error {code} answered it{later}");
    let mut finding = found(RULE.code, event, summary)?;
    if !support_evident {
        finding.severity = finding.severity.min(Severity::Warning);
    }
    Some(finding.about(exchange).with("cancel", cancel.seen).with("response", event.seen).judged(&judgement))
}
