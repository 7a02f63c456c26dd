//! Work done progress with the token of a request that was begun and not ended, though the request was answered. The token ends with the
//! answer, so a client may close what it shows: a note, and off unless
//! it is selected.
//!
//! Left alone: tokens that the server created, whose work may outlive any request.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::About;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PRG009",
    name: "workdone-never-ended",
    summary: "work was begun with the token of a request that was answered, and never ended",
    on: On::WorkLeftOpen,
    duty: Duty::server(Occasions::PROGRESS),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Unsaid(Whose::Sender, About::Progress),
    default_on: false,
    page: include_str!("../../../docs/rules/workdone-never-ended.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::WorkLeftOpen { exchange, begin } = event.what else { return None };
    let (label, title) = (exchange.label(), exchange.title());
    let summary = format!("{label} {title} was answered while the work that it reports had begun and not ended");
    Some(found(RULE.code, event, summary)?.about(exchange).with("begin", begin).with("response", event.seen))
}
