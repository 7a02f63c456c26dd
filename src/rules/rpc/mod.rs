//! Rules about envelopes, ids, pairing, batches and error codes: what JSON-RPC itself asks for.

pub mod bad_error_object;
pub mod bad_id_type;
pub mod batch_forbidden;
pub mod batch_response_mismatch;
pub mod dollar_request_not_rejected;
pub mod duplicate_response;
pub mod empty_batch;
pub mod id_reused_in_flight;
pub mod id_reused_in_session;
pub mod initialize_in_batch;
pub mod invalid_json;
pub mod missing_jsonrpc;
pub mod neither_result_nor_error;
pub mod notification_with_id;
pub mod null_request_id;
pub mod params_not_structured;
pub mod reply_to_notification;
pub mod reserved_error_code;
pub mod reserved_method_name;
pub mod response_id_type_mismatch;
pub mod response_to_unknown_id;
pub mod response_without_id;
pub mod result_and_error;
pub mod unclassifiable_message;

use crate::finding::Finding;
use crate::jsonrpc::{IdField, Kind, Message};
use crate::protocol::Side;
use crate::rules::found;
use crate::session::Event;

/// Like [`found`], with severity and clause of a second ruling (such as `RPC020/null`) where the profile has one.
fn found_as(code: &'static str, ruling: &str, event: &Event<'_>, summary: String) -> Option<Finding> {
    let finding = found(code, event, summary)?;
    Some(match event.profile.ruling(ruling) {
        Some(ruling) => Finding { severity: ruling.severity, clause: ruling.clause, ..finding },
        None => finding,
    })
}

/// A side in a sentence.
fn side(side: Option<Side>) -> &'static str {
    match side {
        Some(Side::Client) => "the client",
        Some(Side::Server) => "the server",
        None => "one side",
    }
}

/// What a message is, as its role in the evidence.
fn role(kind: Kind) -> &'static str {
    match kind {
        Kind::Request => "request",
        Kind::Notification => "notification",
        Kind::Result | Kind::Error => "response",
        Kind::Unclassified => "message",
    }
}

/// Names a message in a sentence: `request #7 tools/call`, `response to s3`, `notification initialized`.
fn subject(event: &Event<'_>, message: &Message<'_>) -> String {
    match message.kind {
        Kind::Request => format!("request {} {}", label(event.sender, message), message.method()),
        Kind::Notification => format!("notification {}", message.method()),
        Kind::Result | Kind::Error if message.id == IdField::Absent => "response".to_string(),
        Kind::Result | Kind::Error => format!("response to {}", label(event.sender.map(Side::peer), message)),
        Kind::Unclassified => "message".to_string(),
    }
}

/// An id in the way of [`crate::session::Exchange::label`].
fn label(issuer: Option<Side>, message: &Message<'_>) -> String {
    issuer.unwrap_or(Side::Client).label(id_text(message))
}

/// The id as it stands in the message, cut where it is long: an id may be an object of any size.
fn id_text(message: &Message<'_>) -> String {
    const LIMIT: usize = 40;
    let text = match (message.id_text, &message.id) {
        (Some(text), _) => text.to_string(),
        (None, IdField::Value(id)) => id.to_string(),
        (None, IdField::Null) => "null".to_string(),
        (None, IdField::Absent | IdField::Bad) => "?".to_string(),
    };
    match text.char_indices().nth(LIMIT) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text,
    }
}
