//! A page of a list with another `cacheScope` than the pages before it.
//!
//! Left alone: pages without the member; cursors that stood on pages of different scopes, so that what a page goes on from is not known.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PAY012",
    name: "cache-scope-changes",
    summary: "a page of a list says otherwise than the one before it who may keep it",
    on: On::Rescoped,
    duty: Duty::server(Occasions::LISTS),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::PAIRING),
    absence: Absence::Between(Whose::Both),
    default_on: false,
    page: include_str!("../../../docs/rules/cache-scope-changes.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Rescoped { exchange, first } = event.what else { return None };
    let summary = format!("{} {} has another cacheScope than the pages before it", exchange.label(), exchange.title());
    Some(found(RULE.code, event, summary)?.about(exchange).with("first page", first).with("response", event.seen))
}
