//! Looks for secrets in what is read, so that the audit can say that a capture holds some (rule CAP010).
//!
//! Rules read no payloads; this is the one place of the audit that does, and it looks at the beginning of a connection only:
//! handshakes and first calls are where credentials stand, and the rest of a gigabyte costs too much.

use rustc_hash::FxHashMap;

use crate::capture::{Body, Frame};
use crate::redact::Redactor;

/// Messages of a connection that are looked at.
const MESSAGES: u32 = 8;

/// How much of each is looked at, in bytes.
const BYTES: usize = 8 * 1024;

/// Looks until it has found something in a connection, or enough of it was seen.
#[derive(Debug, Default)]
pub struct Lookout {
    redactor: Redactor,
    left: FxHashMap<u32, u32>,
}

impl Lookout {
    /// The kind of the first secret of this connection, if it stands in this frame.
    pub fn look(&mut self, connection: u32, frame: &Frame<'_>) -> Option<&'static str> {
        let text = match &frame.body {
            Body::Message(captured) => captured.json.unwrap_or(captured.text),
            Body::Batch { text, .. } => text,
            _ => return None,
        };
        let left = self.left.entry(connection).or_insert(MESSAGES);
        *left = left.checked_sub(1)?;
        let end = (0..=text.len().min(BYTES)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        let kind = self.redactor.first_kind(&text[..end])?;
        *left = 0;
        Some(kind)
    }
}
