//! A capture that seems to hold a credential: to be scrubbed before it is shared.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::redact::TIED;
use crate::rules::{Absence, Duty, On, Rule, noted};
use crate::session::{CaptureNote, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAP010",
    name: "possible-secret",
    summary: "the capture seems to hold a credential",
    on: On::Capture,
    duty: Duty::NONE,
    needs: Proof::NONE,
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/possible-secret.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Capture(CaptureNote::PossibleSecret { kind }) = event.what else { return None };
    if kind == TIED {
        let summary = "an id or a token in this message looks like a secret; `rpctape scrub` keeps it, because it ties messages together";
        return noted(RULE.code, event, summary.to_string());
    }
    let summary = format!("this message seems to hold a secret ({kind}); `rpctape scrub` writes a copy without it");
    noted(RULE.code, event, summary)
}
