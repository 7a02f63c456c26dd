//! An answer to a request that was cancelled before, in protocols where a cancelled request is not to be answered.
//!
//! Left alone: answers that may have crossed the cancel (a race, and only a note), requests whose cancel was
//! itself against the rules (`initialize`, tasks), subscriptions that the server itself ended, and every protocol in
//! which an answer is still owed.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN010",
    name: "response-after-cancel",
    summary: "a cancelled request was answered all the same",
    on: On::LateAnswer,
    duty: Duty::either(Occasions::PAST_CANCEL.and(Occasions::ENDS_CANCELLED)),
    needs: Proof::CANCEL_TARGET.and(Proof::ANSWER_TIME).and(Proof::DIRECTION),
    absence: Absence::Reused(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/response-after-cancel.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::LateAnswer { exchange, cancel, judgement, error_code, is_error, .. } = event.what else { return None };
    if cancel.sender != exchange.issuer {
        return None;
    }
    let answer = match (is_error, error_code) {
        (false, _) => "a result".to_string(),
        (true, Some(code)) => format!("error {code}"),
        (true, None) => "an error".to_string(),
    };
    let (label, title) = (exchange.label(), exchange.title());
    let summary = format!("{label} {title} was cancelled, and {answer} answered it{}", race_text(&judgement));
    let finding = found(RULE.code, event, summary)?;
    Some(finding.about(exchange).with("cancel", cancel.seen).with("response", event.seen).judged(&judgement))
}
