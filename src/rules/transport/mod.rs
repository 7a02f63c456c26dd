//! Rules about HTTP: streams, headers and status, as far as the log shows them.

pub mod accept_header;
pub mod bad_header_served;
pub mod broadcast;
pub mod buffering_header;
pub mod ended_session_served;
pub mod error_status;
pub mod get_accept;
pub mod header_value;
pub mod mirrored_headers;
pub mod not_by_post;
pub mod notification_status;
pub mod response_content_type;
pub mod response_on_get_stream;
pub mod response_on_wrong_stream;
pub mod session_header_missing;
pub mod session_id_characters;
pub mod version_header;

use crate::jsonrpc::{IdField, Message};

/// A message of the client in words: `#3 tools/call`, `notifications/initialized`, `a response`.
fn in_words(message: &Message<'_>) -> String {
    match (&message.id, message.method.as_deref()) {
        (IdField::Value(id), Some(method)) => format!("#{} {method}", id.to_json()),
        (_, Some(method)) => method.to_string(),
        _ => "a response".to_string(),
    }
}
