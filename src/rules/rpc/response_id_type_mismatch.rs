//! A response whose id is that of a request in flight, but as the other JSON type: `"2"` for `2`. The request counts as
//! answered. The same number in another spelling (`2.0` for `2`) is a note.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::Severity;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, Whose, found, race_text};
use crate::session::{Event, Judgement, Stray, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC012",
    name: "response-id-type-mismatch",
    summary: "a response has the id of its request as another JSON type",
    on: On::Stray,
    duty: Duty::either(Occasions::ANSWERS),
    needs: Proof::DIRECTION.and(Proof::ENVELOPE),
    absence: Absence::Before(Whose::Peer),
    default_on: true,
    page: include_str!("../../../docs/rules/response-id-type-mismatch.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Stray { id, stray } = event.what else { return None };
    let mut judged = Judgement::EXACT;
    let (request, finding) = match stray {
        Stray::TypeMismatch { request, judgement, own_stream } => {
            judged = judgement;
            let twin = id.twin().map_or(String::new(), |twin| format!(" {twin}"));
            let summary =
                format!("response with id {id} to request{twin}: same text, other JSON type{}", race_text(&judged));
            let finding = found(RULE.code, event, summary)?;
            (request, if own_stream { finding.concluding(Absence::Between(Whose::Peer)) } else { finding })
        }
        Stray::OtherSpelling { request } => {
            let summary = format!("response to request {id}: the id is the same number, spelled differently");
            // The value is the same, and that is all that the clause asks for.
            (request, Finding { severity: Severity::Note, clause: None, ..found(RULE.code, event, summary)? })
        }
        _ => return None,
    };
    Some(finding.judged(&judged).about_request(request).with("response", event.seen))
}
