//! Rules about tasks and their cancels.

pub mod cancel_result_not_cancelled;
pub mod cancel_terminal_accepted;
pub mod cancel_terminal_wrong_code;
pub mod cancelled_status_changed;
pub mod create_task_result_missing;
pub mod ext_cancel_ack_not_empty;
pub mod illegal_task_transition;
pub mod result_without_related_task;
pub mod task_augmentation_without_capability;
pub mod task_id_reused;
pub mod task_support_ignored;
pub mod tasks_cancel_without_capability;
pub mod tasks_result_early;
pub mod unknown_task_accepted;

use crate::capture::Transport;
use crate::finding::Finding;
use crate::rules::{Build, race_text};
use crate::session::{Event, Exchange, Judgement, Seen, TaskReport};

/// Whether the receiver of a `tasks/cancel` had reported `terminal` before it gave its answer.
fn order_of_reports(event: &Event<'_>, exchange: &Exchange, terminal: Seen) -> Judgement {
    // A report that passed the tap before the request did was sent before the request can have arrived.
    let known = event.connection.transport == Transport::Ordered || terminal.frame < exchange.request.frame;
    Judgement::exact_if(known, "the messages came on different HTTP streams, whose order is not known")
}

/// Adds what proves a finding about a report: the report before it, the request, and the report itself.
fn reported(finding: Finding, event: &Event<'_>, report: &TaskReport<'_>, before: Option<Seen>) -> Finding {
    let mut finding = finding.judged(&report.judgement).maybe("previous status", before);
    finding.summary.push_str(&race_text(&report.judgement));
    if let Some(exchange) = report.exchange {
        finding = finding.about(exchange);
    }
    in_order(finding.with("status", event.seen))
}

/// Puts the evidence in order: a status may have been reported before a request or while it was in flight.
fn in_order(mut finding: Finding) -> Finding {
    finding.evidence.sort_by_key(|evidence| evidence.frame);
    finding
}
