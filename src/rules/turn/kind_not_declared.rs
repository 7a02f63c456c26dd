//! A request with a kind of content or of MCP server that the agent has not declared to take.
//!
//! Left alone: captures in which the declaration is not to be seen.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::{Kinds, Side};
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found_by};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SES014",
    name: "kind-not-declared",
    summary: "a prompt or a session holds a kind of content or of MCP server that the agent did not declare",
    on: On::Request,
    duty: Duty::client(Occasions::SENDS_KIND),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::BOTH_SIDES),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/kind-not-declared.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Request { exchange, facts, .. } = event.what else { return None };
    let declared = event.connection.capabilities(Side::Server).filter(|_| facts.kinds != Kinds::default())?;
    let (kind, needs) = facts.kinds.needs().find(|(_, needs)| !declared.declares(needs))?;
    let case = if needs.starts_with("mcp") { "SES014/mcp" } else { RULE.code };
    let ruling = event.profile.ruling(case)?;
    let summary =
        format!("{} {} has {kind} for an agent that did not declare {needs}", exchange.label(), exchange.title());
    Some(found_by(RULE.code, ruling, event, summary).about(exchange))
}
