//! A log message for a request that did not ask for any, or for a subscription; a level that there is not and that the server takes.
//!
//! Left alone: connections with a handshake, in which a level is set for all of them, and messages that may belong to one of several
//! requests.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found_by};
use crate::session::{Event, LogFault, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "LIF028",
    name: "log-not-asked",
    summary: "a server sends log messages that were not asked for",
    on: On::Logged,
    duty: Duty::server(Occasions::LOGS),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/log-not-asked.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Logged { exchange, fault } = event.what else { return None };
    let title = exchange.map_or(String::new(), |exchange| format!("{} {}", exchange.label(), exchange.title()));
    let (case, summary) = match fault {
        LogFault::Unasked if exchange.is_none() => {
            (RULE.code, "a log message comes, and no request asks for any".to_string())
        }
        LogFault::Unasked => (RULE.code, format!("a log message comes for {title}, which asks for none")),
        LogFault::OnSubscription => {
            ("LIF028/subscription", format!("a log message comes for the subscription {title}"))
        }
        LogFault::LevelTaken => {
            ("LIF028/level", format!("{title} is served, and the log level that it asks for is none"))
        }
    };
    let finding = found_by(RULE.code, event.profile.ruling(case)?, event, summary);
    Some(match exchange {
        Some(exchange) => finding.about(exchange).with("message", event.seen),
        None => finding.with("message", event.seen).concluding(Absence::Before(Whose::Peer)),
    })
}
