//! A server that declared tools or prompts does not know the method that lists them.
//!
//! Left alone: any other error, servers whose declaration is not to be seen, and lists that no clause speaks of.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::Side;
use crate::protocol::codes::METHOD_NOT_FOUND;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found_by};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF025",
    name: "declared-not-served",
    summary: "a server does not know a method of what it has declared",
    on: On::Answer,
    duty: Duty::server(Occasions::ANSWERS),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::ERROR_CODE),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/declared-not-served.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, .. } = event.what else { return None };
    let case = match &*exchange.method {
        "tools/list" => "tools",
        "prompts/list" => "prompts",
        "resources/list" => "resources",
        _ => return None,
    };
    let declared = event.connection.capabilities(Side::Server)?.declares(case);
    if exchange.error_code != Some(METHOD_NOT_FOUND) || !declared {
        return None;
    }
    let own = event.profile.ruling(&format!("{}/{case}", RULE.code));
    let ruling = own.or_else(|| event.profile.ruling(RULE.code).filter(|_| case == "tools"))?;
    let (label, title) = (exchange.label(), exchange.title());
    let summary = format!("{label} {title} is not known to a server that declared {case}");
    Some(found_by(RULE.code, ruling, event, summary).about(exchange).with("response", event.seen))
}
