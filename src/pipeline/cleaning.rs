//! Redaction at ingest: secrets are replaced before anything is stored or judged.
//!
//! Only where the user asks for it: captured bytes are evidence, and the log is on the disk anyway.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::capture::{Body, Captured, Frame, Missing, body_of, text_hash};
use crate::error::Result;
use crate::redact::{Custom, Redactor};
use crate::store::{Store, Which};

/// What every placeholder begins with.
const PLACEHOLDER: &str = "<<secret:";

/// Replaces secrets in frames.
pub(super) struct Cleaning {
    redactor: Redactor,
    custom: Custom,
    /// The last text, and its translation where it is no JSON.
    room: (String, String),
}

impl Cleaning {
    /// A cleaning that knows which placeholders the store has already: a new secret gets a new number.
    pub(super) fn new(custom: &Custom, store: &Store) -> Result<Cleaning> {
        let mut redactor = Redactor::new(custom);
        if !store.is_new() {
            store.each_frame(Which::All, &mut |_, _, frame| {
                if let Some(text) = text_of(&frame.body).filter(|text| text.contains(PLACEHOLDER)) {
                    redactor.note_placeholders(&text);
                }
                Ok(())
            })?;
        }
        Ok(Cleaning { redactor, custom: custom.clone(), room: Default::default() })
    }

    /// The name of a channel, by which its connection is stored. The same name is the same when a log is read on, and two are two:
    /// a part of its hash tells apart what only its secret told.
    pub(super) fn name(&self, name: &str) -> Option<String> {
        let Cow::Owned(clean) = Redactor::new(&self.custom).text(name) else { return None };
        Some(format!("{clean}~{:06x}", text_hash(name.as_bytes()) & 0xff_ffff))
    }

    /// How many were replaced, by kind.
    pub(super) fn counts(&self) -> &BTreeMap<&'static str, u64> {
        self.redactor.counts()
    }

    /// The frame without its secrets.
    pub(super) fn frame<'a>(&'a mut self, frame: Frame<'a>) -> Frame<'a> {
        let Some(text) = text_of(&frame.body) else { return frame };
        let Cow::Owned(clean) = self.redactor.text(&text) else { return self.translation(frame) };
        let translated = match &frame.body {
            Body::Message(Captured { json: Some(json), .. }) => self.redactor.text(json).into_owned(),
            _ => String::new(),
        };
        self.room = (clean, translated);
        let (clean, translated) = (self.room.0.as_str(), self.room.1.as_str());
        let body = match frame.body {
            Body::Stderr { .. } => Body::Stderr { text: clean },
            Body::Missing(missing) => Body::Missing(Missing { words: clean, ..missing }),
            Body::Http { .. } => Body::Http { head: clean },
            Body::Malformed { reason, .. } => Body::Malformed { bytes: clean.as_bytes(), reason },
            Body::Message(Captured { json: Some(_), .. }) => translated_body(clean, translated),
            _ => body_of(clean),
        };
        Frame { body, in_file: None, ..frame }
    }

    /// A message in another notation may show its secrets only in its translation.
    fn translation<'a>(&'a mut self, frame: Frame<'a>) -> Frame<'a> {
        let Body::Message(Captured { text, json: Some(json), .. }) = &frame.body else { return frame };
        let Cow::Owned(clean) = self.redactor.text(json) else { return frame };
        self.room = (text.to_string(), clean);
        // The captured text says the same as the translation, in a notation whose secrets cannot be told from the rest.
        let body = body_of(&self.room.1);
        Frame { body, in_file: None, ..frame }
    }
}

fn translated_body<'a>(text: &'a str, json: &'a str) -> Body<'a> {
    match body_of(json) {
        Body::Message(captured) => Body::Message(Captured { text, json: Some(json), ..captured }),
        other => other,
    }
}

fn text_of<'a>(body: &Body<'a>) -> Option<Cow<'a, str>> {
    match body {
        Body::Message(captured) => Some(Cow::Borrowed(captured.text)),
        Body::Batch { text, .. } | Body::Stderr { text } | Body::Http { head: text } => Some(Cow::Borrowed(text)),
        Body::Missing(missing) => Some(Cow::Borrowed(missing.words)),
        Body::Malformed { bytes, .. } => Some(String::from_utf8_lossy(bytes)),
        _ => None,
    }
}
