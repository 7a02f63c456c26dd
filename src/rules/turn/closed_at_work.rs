//! An agent closes a session, or puts it away, and has reported that it is at work there, and not since that it is idle (ACP 2).
//!
//! Left alone: closes that are refused; agents that report another state, or none.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::About;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SES023",
    name: "closed-at-work",
    summary: "a session was closed before its agent had reported the end of its work",
    on: On::ClosedAtWork,
    duty: Duty::server(Occasions::CLOSES_SESSION),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Unsaid(Whose::Sender, About::State),
    default_on: true,
    page: include_str!("../../../docs/rules/closed-at-work.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::ClosedAtWork { exchange, at_work, judgement } = event.what else { return None };
    let (label, title) = (exchange.label(), exchange.title());
    let summary = format!("{label} {title} is served, and the agent has not reported that its work there has ended");
    let finding = found(RULE.code, event, summary)?.with("at work", at_work).about(exchange);
    Some(finding.with("response", event.seen).judged(&judgement))
}
