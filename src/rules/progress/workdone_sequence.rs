//! Progress with a token that the server created (in DAP with an id that `progressStart` introduced), out of the order of one begin,
//! any number of reports, and one end. All of it comes from the server, so its order is known.
//!
//! Left alone: tokens that the client gave with a request, and tokens that were created again.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::About;
use crate::rules::rule::found_by;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Event, ProgressFault, Seen, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "PRG008",
    name: "workdone-sequence",
    summary: "progress with a created token is out of its order",
    on: On::Progress,
    duty: Duty::server(Occasions::BEGINS_WORK),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Unsaid(Whose::Both, About::Progress),
    default_on: true,
    page: include_str!("../../../docs/rules/workdone-sequence.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let (before, what, token) = match event.what {
        What::Progress { fault: Some(ProgressFault::Sequence { before, what }), token, .. } => (before, what, token),
        What::Progress { fault: Some(ProgressFault::BegunAgain { before }), token, .. } => {
            return again(event, before, token);
        }
        _ => return None,
    };
    let summary = format!("progress with the created token {token} is out of order: {what}");
    Some(found(RULE.code, event, summary)?.with("before", before).with("progress", event.seen))
}

/// The id of a progress is that of one only.
fn again(event: &Event<'_>, before: Seen, token: &str) -> Option<Finding> {
    let ruling = event.profile.ruling("PRG008/again")?;
    let summary = format!("progress begins with the id {token}, which was used before");
    let finding = found_by(RULE.code, ruling, event, summary).concluding(Absence::None);
    Some(finding.with("before", before).with("progress", event.seen))
}
