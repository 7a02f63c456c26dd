//! Rules about one request at two hops, each with a log of its own. What they share: how its requests are named, and the doubt whether
//! one serves the other.

pub mod answered_ahead;
pub mod cancel_not_forwarded;
pub mod cancelled_but_ran;
pub mod shorter_patience;

use super::found;
use crate::finding::Finding;
use crate::rules::Build;
use crate::session::{Event, Hop, Judgement, Seen};

/// `#17 tools/call search at client`, and `#4 at gateway`.
fn names(hop: &Hop<'_>) -> (String, String) {
    let upper = format!("{} {} at {}", hop.upper.label(), hop.upper.title(), hop.names.0);
    (upper, format!("{} at {}", hop.lower.label(), hop.names.1))
}

/// The finding of `code`, with both requests and what happened between them; not decidable where it is not sure that the lower one serves
/// the upper one.
fn between(
    code: &'static str,
    event: &Event<'_>,
    hop: &Hop<'_>,
    says: String,
    seen: &[(&'static str, Seen)],
) -> Option<Finding> {
    let summary = hop.doubt.map_or(says.clone(), |doubt| format!("{says}; not decidable: {doubt}"));
    let judgement = hop.doubt.map_or(Judgement::EXACT, Judgement::undecidable);
    let finding = found(code, event, summary)?.about(hop.upper).with("request below", hop.lower.request);
    let finding = seen.iter().fold(finding, |finding, (role, seen)| finding.with(role, *seen));
    Some(finding.judged(&judgement))
}
