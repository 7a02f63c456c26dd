//! A `ping` that was answered by an error, or by a result with members. The second is the lesser fault and has a ruling of
//! its own, `LIF016/members`.
//!
//! Left alone: an answer that is none (RPC004 speaks of it), `_meta` in the result, and a ping that was cancelled (CAN010 speaks of its
//! answer).

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::{Defect, Kind};
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF016",
    name: "ping-answer",
    summary: "a ping was answered by an error, or by more than an empty result",
    on: On::Answer,
    duty: Duty::either(Occasions::ANSWERS_PING),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Reused(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/ping-answer.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, message, facts, .. } = event.what else { return None };
    // What is no answer is told by others.
    let is_none = message.defects.has(Defect::NeitherResultNorError) || message.defects.has(Defect::ResultAndError);
    if &*exchange.method != "ping" || exchange.cancel().is_some() || is_none {
        return None;
    }
    let label = exchange.label();
    let finding = match (message.kind, exchange.error_code) {
        (Kind::Result, _) if facts.result_members => {
            let ruling = event.profile.ruling("LIF016/members")?;
            let finding = found(RULE.code, event, format!("the result for {label} ping is not empty"))?;
            Finding { severity: ruling.severity, clause: ruling.clause, ..finding }
        }
        (Kind::Result, _) => return None,
        (_, Some(code)) => found(RULE.code, event, format!("{label} ping was answered by error {code}"))?,
        (_, None) => found(RULE.code, event, format!("{label} ping was answered by an error"))?,
    };
    Some(finding.about(exchange).with("response", event.seen))
}
