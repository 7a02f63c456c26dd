//! Looks for secrets in what is read, so that the audit can say that a capture holds some (rule CAP010).
//!
//! Rules read no payloads; this is the one place of the audit that does, and it looks at the beginning of a connection only:
//! handshakes and first calls are where credentials stand, and the rest of a gigabyte costs too much.

use std::collections::hash_map::Entry;

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
    /// What whoever read the bodies found in the next frame, where they are not here.
    told: Option<Option<&'static str>>,
}

impl Lookout {
    /// The kind of the first secret of this connection, if it stands in this frame.
    pub fn look(&mut self, connection: u32, frame: &Frame<'_>) -> Option<&'static str> {
        let text = text_of(frame)?;
        let left = self.left.entry(connection).or_insert(MESSAGES);
        *left = left.checked_sub(1)?;
        let kind = match self.told {
            Some(told) => told,
            None => kind_in(&mut self.redactor, text),
        }?;
        *left = 0;
        Some(kind)
    }

    /// Says what was found in the next frame when its body was read; the body itself is not looked at then.
    pub(super) fn tell(&mut self, kind: Option<&'static str>) {
        self.told = Some(kind);
    }
}

/// Looks for secrets where bodies are left behind, before it is known which connection a message will be of.
#[derive(Debug, Default)]
pub(super) struct Foresight {
    redactor: Redactor,
    left: FxHashMap<u32, u32>,
}

impl Foresight {
    /// The kind of the first secret in this frame, if a lookout may ask for it: connections of a channel follow each other, and
    /// `begins` says that a new one may begin here. Behind another one twice as much is looked at, for the last words of that.
    pub(super) fn look(&mut self, channel: u32, frame: &Frame<'_>, begins: bool) -> Option<&'static str> {
        let left = match self.left.entry(channel) {
            Entry::Vacant(first) => first.insert(MESSAGES),
            Entry::Occupied(known) => {
                let left = known.into_mut();
                if begins {
                    *left = 2 * MESSAGES;
                }
                left
            }
        };
        let text = text_of(frame)?;
        *left = left.checked_sub(1)?;
        kind_in(&mut self.redactor, text)
    }
}

fn text_of<'f>(frame: &'f Frame<'_>) -> Option<&'f str> {
    match &frame.body {
        Body::Message(captured) => Some(captured.json.unwrap_or(captured.text)),
        Body::Batch { text, .. } => Some(text),
        _ => None,
    }
}

fn kind_in(redactor: &mut Redactor, text: &str) -> Option<&'static str> {
    let end = (0..=text.len().min(BYTES)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    redactor.first_kind(&text[..end])
}
