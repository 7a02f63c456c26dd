//! Error -32800 for a request that was not cancelled in the protocol's own way.
//!
//! Left alone: protocols that let a side cancel work of its own accord and say so with this code.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::About;
use crate::protocol::codes::REQUEST_CANCELLED;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, Judgement, NearCancel, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN013",
    name: "cancelled-code-without-cancel",
    summary: "a request that nobody cancelled was answered as cancelled",
    on: On::Answer,
    duty: Duty::either(Occasions::ERRORS),
    needs: Proof::CANCEL_TARGET.and(Proof::ANSWER_TIME).and(Proof::ERROR_CODE),
    absence: Absence::Unsaid(Whose::Peer, About::Cancel),
    default_on: true,
    page: include_str!("../../../docs/rules/cancelled-code-without-cancel.md"),
    check,
};

const ITS_PROGRESS: &str = "the client had cancelled progress that may be of this request";

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, near_cancel, .. } = event.what else { return None };
    if exchange.error_code != Some(REQUEST_CANCELLED) || exchange.cancel().is_some() {
        return None;
    }
    let foreign = exchange.cancels.first();
    let why = match (foreign, near_cancel) {
        (Some(cancel), _) => format!("which was cancelled only by {}, a foreign dialect", cancel.mechanism.as_str()),
        (None, Some(NearCancel::OtherType(_))) => {
            "which was cancelled only by its id in the other JSON type".to_string()
        }
        (None, Some(NearCancel::Progress(_))) => "which nobody cancelled by its id".to_string(),
        (None, None) => "which nobody cancelled".to_string(),
    };
    let judgement = match (foreign, near_cancel) {
        (None, Some(NearCancel::Progress(_))) => Judgement::undecidable(ITS_PROGRESS),
        _ => Judgement::EXACT,
    };
    let near = near_cancel.map(|(NearCancel::OtherType(cancel) | NearCancel::Progress(cancel))| cancel);
    let (label, title) = (exchange.label(), exchange.title());
    let summary = format!("error {REQUEST_CANCELLED} for {label} {title}, {why}{}", race_text(&judgement));
    let finding = found(RULE.code, event, summary)?.about(exchange);
    let finding = finding.maybe("foreign cancel", foreign.map(|cancel| cancel.seen));
    Some(finding.maybe("cancel", near).with("response", event.seen).judged(&judgement))
}
