//! A response without an `id` member.
//!
//! Left alone: the id `null`; MCP from 2025-11-25 on, where an error may lack the id of a request that could not be read; and over HTTP an
//! error by which a notification or a response is refused.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::{IdField, Kind};
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found_by, race_text};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC021",
    name: "response-without-id",
    summary: "a response has no id",
    on: On::Message,
    duty: Duty::either(Occasions::ANSWERS),
    needs: Proof::ENVELOPE,
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/response-without-id.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Message { message, owes_id, .. } = event.what else { return None };
    if message.id != IdField::Absent || !message.kind.is_response() {
        return None;
    }
    let judgement = owes_id?;
    let what = if message.kind == Kind::Error { "error" } else { "result" };
    let reserved = race_text(&judgement);
    let summary = format!("{what} without an id: it cannot be told which request it answers{reserved}");
    // Where an error may lack its id because none could be read, a result still may not.
    let ruling = event.profile.ruling(RULE.code);
    let ruling = ruling.or_else(|| event.profile.ruling("RPC021/result").filter(|_| message.kind == Kind::Result))?;
    let finding = found_by(RULE.code, ruling, event, summary);
    Some(finding.judged(&judgement).with("response", event.seen))
}
