//! One message of a recording or of a live peer, read leniently.

use crate::jsonrpc::{Message, Parsed, parse};
use crate::protocol::Facts;

/// A text as one message with its facts; `None` for a batch and for what is no message.
pub(crate) fn read(text: &str) -> Option<(Message<'_>, Facts<'_>)> {
    match parse::<Facts<'_>>(text) {
        Ok(Parsed::One(message, facts)) => Some((message, facts)),
        Ok(Parsed::Batch(_)) | Err(_) => None,
    }
}

/// Its method.
pub(crate) fn method(text: &str) -> Option<String> {
    read(text).and_then(|(message, _)| message.method.map(|method| method.into_owned()))
}
