//! An agent offers the cancel of a tool call or a terminal that it has reported as ended, or reports as ended in the same message (ACP 2).
//!
//! Left alone: an offer made before that end and not taken back: until when that must happen is not said. Said once for each.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found_by};
use crate::session::{ControlFault, Event, Thing, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SES022",
    name: "ended-cancel-offered",
    summary: "the cancel of a tool call or a terminal that had ended is offered",
    on: On::Control,
    duty: Duty::server(Occasions::OFFERS_CANCEL),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Between(Whose::Sender),
    default_on: true,
    page: include_str!("../../../docs/rules/ended-cancel-offered.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Control { thing, fault: ControlFault::StillOffered { ended }, judgement, .. } = event.what else {
        return None;
    };
    let ruling = event.profile.ruling(case(thing))?;
    let summary = format!("the cancel of a {} that has ended is offered", thing.as_str());
    let finding = found_by(RULE.code, ruling, event, summary).with("ended", ended);
    Some(finding.with("offer", event.seen).judged(&judgement))
}

/// The case of a thing: the specification has a sentence for each.
fn case(thing: Thing) -> &'static str {
    match thing {
        Thing::ToolCall => RULE.code,
        Thing::Terminal => "SES022/terminal",
    }
}
