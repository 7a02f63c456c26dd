//! A cancel by the server where the revision allows it only for a `subscriptions/listen` request.
//!
//! Left alone: revisions in which a server issues requests of its own and may cancel them.

use super::{age, faulty, object};
use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Duty, Occasions, On, Rule, Whose, race_text};
use crate::session::{CancelFault, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAN002",
    name: "server-cancel-forbidden",
    summary: "a server cancels what only the client may cancel",
    on: On::Cancel,
    duty: Duty::server(Occasions::CANCELS_BY_NAME),
    needs: Proof::CANCEL_TARGET.and(Proof::DIRECTION),
    absence: Absence::Before(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/server-cancel-forbidden.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Cancel { cancel, fault: Some(CancelFault::ServerForbidden(judgement)), target } = event.what else {
        return None;
    };
    let (object, age) = (object(cancel, target), age(cancel));
    let reason = race_text(&judgement);
    let summary = format!("the server cancels {object}{age}; it may cancel nothing but a subscriptions/listen{reason}");
    Some(faulty(RULE.code, event, summary)?.judged(&judgement))
}
