//! An error with another code than the cancelled one, in answer to a request that was cancelled before.
//!
//! Left alone: results (a finished or partial result is a valid answer), codes that the protocol keeps for other ends
//! of a request or that refuse it, turns ended by `session/cancel`, and, where the code is only advised, errors that may have crossed
//! the cancel.

use crate::capture::Proof;
use crate::finding::{Finding, Severity};
use crate::protocol::{Level, Mechanism};
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Certainty, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN012",
    name: "wrong-error-code-on-cancel",
    summary: "a cancelled request was answered with an error that does not say so",
    on: On::LateAnswer,
    duty: Duty::either(Occasions::ANSWERS_CANCELLED),
    needs: Proof::CANCEL_TARGET.and(Proof::ANSWER_TIME).and(Proof::DIRECTION).and(Proof::ERROR_CODE),
    absence: Absence::Reused(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/wrong-error-code-on-cancel.md"),
    check,
};

/// InternalError and UnknownErrorCode say nothing of why a request failed. Every other code that a protocol defines has a reason of its
/// own, which a cancel does not take away: the request was none, its method or its parameters are unknown, the server is not initialized.
const VAGUE: [i64; 2] = [-32603, -32001];

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::LateAnswer { exchange, cancel, judgement, error_code: Some(code), support_evident, .. } = event.what
    else {
        return None;
    };
    let profile = event.profile;
    let own_end = profile.codes.contains(&code) && !VAGUE.contains(&code);
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
