//! Rules about cancels. `session` finds what is wrong with a cancel; a rule says it. What they say alike stands here.

pub mod cancel_before_capabilities;
pub mod cancel_dialect_mismatch;
pub mod cancel_id_type_mismatch;
pub mod cancel_notification_on_http;
pub mod cancel_of_completed;
pub mod cancel_unknown_id;
pub mod cancel_without_capability;
pub mod cancel_without_reason;
pub mod cancel_wrong_direction;
pub mod cancelled_code_without_cancel;
pub mod cancelled_never_answered;
pub mod cascade_incomplete;
pub mod disconnect_treated_as_cancel;
pub mod duplicate_cancel;
pub mod initialize_cancelled;
pub mod listen_teardown_signal;
pub mod malformed_cancel;
pub mod message_after_cancel;
pub mod new_nested_after_cancel;
pub mod response_after_cancel;
pub mod retry_without_cancel;
pub mod server_cancel_forbidden;
pub mod server_cancelled_unsupported;
pub mod task_cancelled_by_notification;
pub mod wrong_error_code_on_cancel;

use super::{Build, found};
use crate::finding::Finding;
use crate::number::duration;
use crate::session::{Cancellation, Event, Target, What};

/// The finding for a cancel at fault: the request it names, its answer or first cancel, then the cancel itself.
fn faulty(code: &'static str, event: &Event<'_>, summary: String) -> Option<Finding> {
    let What::Cancel { cancel, target, .. } = event.what else { return None };
    let mut finding = found(code, event, summary)?;
    if let Some(target) = target {
        let earlier = target.first_cancel.filter(|first| first.frame != cancel.seen.frame);
        finding = finding.about_request(target.request).maybe("first cancel", earlier).maybe("response", target.answer);
    }
    finding = finding.with("cancel", cancel.seen);
    // A cancel may come before its own request.
    finding.evidence.sort_by_key(|evidence| evidence.frame);
    Some(finding)
}

/// What a cancel names, for a sentence: `#17 tools/call`, or the bare id where no request is near.
fn object(cancel: &Cancellation, target: Option<Target<'_>>) -> String {
    match target {
        Some(target) => format!("{} {}", target.issuer.label(target.id.to_json()), target.method),
        None => cancel.target_text.as_deref().map_or("nothing".to_string(), |id| cancel.sender.label(id)),
    }
}

/// ` 1.20 s after it was sent`, where the log has the times.
fn age(cancel: &Cancellation) -> String {
    cancel.delay_us.filter(|us| *us >= 0).map_or(String::new(), |us| format!(" {} after it was sent", duration(us)))
}
