//! The result that ends a subscription has more in it than what all results have.
//!
//! Left alone: subscriptions that end without a response.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::jsonrpc::Kind;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SUB005",
    name: "listen-result-data",
    summary: "the end of a subscription brings data",
    on: On::Answer,
    duty: Duty::server(Occasions::ENDS_SUBSCRIPTION),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/listen-result-data.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, message, facts, .. } = event.what else { return None };
    let ends = message.kind == Kind::Result && exchange.known.is_some_and(|known| known.long_lived);
    if !ends || !facts.result_more {
        return None;
    }
    let summary = format!("the result that ends the subscription {} brings data of its own", exchange.label());
    Some(found(RULE.code, event, summary)?.about(exchange).with("response", event.seen))
}
