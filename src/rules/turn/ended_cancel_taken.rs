//! An agent takes the cancel of a tool call or a terminal that it had reported as ended before the cancel came (ACP 2).
//!
//! Left alone: reports that passed behind the cancel, refusals, whatever their code, and what the agent has reported as at work again.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found_by};
use crate::session::{ControlFault, Event, Thing, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SES021",
    name: "ended-cancel-taken",
    summary: "the cancel of a tool call or a terminal that had ended was taken",
    on: On::Control,
    duty: Duty::server(Occasions::ANSWERS_CANCEL),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Between(Whose::Sender),
    default_on: true,
    page: include_str!("../../../docs/rules/ended-cancel-taken.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Control { thing, exchange: Some(exchange), fault: ControlFault::EndedTaken { ended }, judgement } =
        event.what
    else {
        return None;
    };
    let ruling = event.profile.ruling(case(thing))?;
    let (label, title, thing) = (exchange.label(), exchange.title(), thing.as_str());
    let summary = format!("{label} {title} is taken, and the agent had reported that the {thing} has ended");
    let finding = found_by(RULE.code, ruling, event, summary).with("ended", ended);
    Some(finding.about(exchange).with("response", event.seen).judged(&judgement))
}

/// The case of a thing: the specification has a sentence for each.
fn case(thing: Thing) -> &'static str {
    match thing {
        Thing::ToolCall => RULE.code,
        Thing::Terminal => "SES021/terminal",
    }
}
