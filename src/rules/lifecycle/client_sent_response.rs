//! A response of the client, in a revision in which no server may ask it anything.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, Stray, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF015",
    name: "client-sent-response",
    summary: "the client sent a response where only the server may",
    on: On::Stray,
    duty: Duty::client(Occasions::MESSAGES),
    needs: Proof::DIRECTION,
    absence: Absence::Before(Whose::Both),
    default_on: true,
    page: include_str!("../../../docs/rules/client-sent-response.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Stray { id, stray: Stray::ClientAnswer { request } } = event.what else { return None };
    let finding = found(RULE.code, event, format!("the client sent a response, with the id {id}"))?;
    Some(finding.maybe("request", request).with("response", event.seen))
}
