//! A response that is a stream of events, without the header that keeps it from being held back on the way.
//!
//! Left alone: logs in which no response has the header, so that they may not keep it.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "TRN017",
    name: "buffering-header",
    summary: "a stream of events may be held back by what stands between",
    on: On::Responded,
    duty: Duty::server(Occasions::STREAMS).over_http(),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION).and(Proof::STREAMS),
    absence: Absence::None,
    default_on: false,
    page: include_str!("../../../docs/rules/buffering-header.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Responded { stream, shows_buffering: true, .. } = event.what else { return None };
    let (_, head) = stream.response.as_ref().filter(|_| stream.streams())?;
    let said = match head.buffering.as_deref() {
        Some(said) if said.eq_ignore_ascii_case("no") => return None,
        Some(said) => format!("says X-Accel-Buffering: {said}"),
        None => "lacks the X-Accel-Buffering that others have".to_string(),
    };
    let asked = stream.request.as_ref().map(|(seen, _)| *seen);
    let summary = format!("a stream of events {said}");
    Some(found(RULE.code, event, summary)?.maybe("head", asked).with("response head", event.seen))
}
