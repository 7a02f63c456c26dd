//! A progress token that is neither a string nor an integer, where it is given or where it is used.
//!
//! Left alone: `null` in a request, which is read as no token.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::Facts;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PRG007",
    name: "progress-bad-token-type",
    summary: "a progress token is neither string nor integer",
    on: On::Message,
    duty: Duty::either(Occasions::GIVES_TOKEN),
    needs: Proof::PAYLOAD,
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/progress-bad-token-type.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Message { message, facts, .. } = event.what else { return None };
    let given = facts.progress_token().filter(|raw| *raw != "null");
    let used = || facts.token().filter(|_| event.profile.progress.is_some_and(|method| message.method() == method));
    let token = given.or_else(used)?;
    if Facts::id(Some(token)).is_some_and(|id| !id.is_fractional()) {
        return None;
    }
    let summary = format!("the progress token {token} in {} is neither string nor integer", message.method());
    Some(found(RULE.code, event, summary)?.with("message", event.seen))
}
