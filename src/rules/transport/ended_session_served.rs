//! A request that names a session which the client has ended by a DELETE that the server took, and that the server answers with success.
//!
//! Left alone: a second DELETE, and sessions that the server ended by itself, which only a status of 404 shows.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TRN009",
    name: "ended-session-served",
    summary: "a request of a session that was ended is served",
    on: On::Responded,
    duty: Duty::server(Occasions::RESPONDS).over_http(),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::STREAMS),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/ended-session-served.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Responded { stream, ended: Some(ended), .. } = event.what else { return None };
    let status = stream.status().filter(|status| *status < 400 && stream.verb() != Some("DELETE"))?;
    let asked = stream.request.as_ref().map(|(seen, _)| *seen);
    let summary = format!("a request of a session that was ended is answered with the status {status}");
    Some(found(RULE.code, event, summary)?.with("end", ended).maybe("head", asked).with("response head", event.seen))
}
