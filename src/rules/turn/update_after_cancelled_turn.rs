//! An update on the work of a cancelled turn after the answer that ended the turn. Both come from the agent, so their order is known.
//!
//! Left alone: updates that tell of the session and not of a turn, those of a tool call that began in an earlier turn, and everything
//! after the next prompt.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::number::duration;
use crate::protocol::About;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found};
use crate::session::{Certainty, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SES005",
    name: "update-after-cancelled-turn",
    summary: "an update came after the end of a cancelled turn",
    on: On::UpdateAfterTurn,
    duty: Duty::server(Occasions::ENDS_TURN),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::Unsaid(Whose::Peer, About::Work),
    default_on: true,
    page: include_str!("../../../docs/rules/update-after-cancelled-turn.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::UpdateAfterTurn { exchange, answer, update, begun, judgement } = event.what else { return None };
    if !event.profile.belongs_to_turn(update) {
        return None;
    }
    let after = event.seen.since(answer).map_or(String::new(), |us| format!(" {}", duration(us)));
    let (label, title) = (exchange.label(), exchange.title());
    let unsure = match judgement.certainty {
        Certainty::Violation => "",
        Certainty::Race => "; the answer and the cancel may have crossed",
        Certainty::Undecidable => "; not decidable: ",
    };
    let reason = judgement.reason.filter(|_| judgement.certainty == Certainty::Undecidable).unwrap_or_default();
    let summary = format!("update {update}{after} after the answer to cancelled {label} {title}{unsure}{reason}");
    let finding = found(RULE.code, event, summary)?.judged(&judgement);
    let finding = finding.about(exchange).maybe("begin", begun);
    Some(finding.with("response", answer).with("update", event.seen))
}
