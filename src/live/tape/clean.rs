//! Secrets out of what is recorded, before it is written.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::redact::{Custom, Redactor, Replaced};

/// A redactor, or nothing where secrets are to be kept.
pub(super) struct Cleaner(Option<Redactor>);

/// What is to be stored, and what was replaced in it.
pub(super) type Cleaned<'t, T> = (Cow<'t, T>, Vec<Replaced>);

impl Cleaner {
    pub(super) fn new(custom: Option<&Custom>) -> Cleaner {
        Cleaner(custom.map(Redactor::new))
    }

    pub(super) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    pub(super) fn text<'t>(&mut self, text: &'t str) -> Cleaned<'t, str> {
        match &mut self.0 {
            Some(redactor) => redactor.replace(text),
            None => (Cow::Borrowed(text), Vec::new()),
        }
    }

    /// Bytes need not be UTF-8. Those that are not are read as Latin-1, where every byte is a character, so that a secret
    /// among them is found and all other bytes stay.
    pub(super) fn bytes<'t>(&mut self, bytes: &'t [u8]) -> Cleaned<'t, [u8]> {
        match std::str::from_utf8(bytes) {
            Ok(text) => match self.text(text) {
                (Cow::Borrowed(text), replaced) => (Cow::Borrowed(text.as_bytes()), replaced),
                (Cow::Owned(text), replaced) => (Cow::Owned(text.into_bytes()), replaced),
            },
            Err(_) => {
                let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
                match self.text(&text) {
                    (_, replaced) if replaced.is_empty() => (Cow::Borrowed(bytes), replaced),
                    (text, replaced) => (text.chars().map(|c| c as u8).collect(), replaced),
                }
            }
        }
    }

    /// A command line. The value after `--token` is a secret, too.
    pub(super) fn args(&mut self, args: &[String]) -> Vec<String> {
        match &mut self.0 {
            Some(redactor) => redactor.args(args),
            None => args.to_vec(),
        }
    }

    pub(super) fn counts(&self) -> BTreeMap<&'static str, u64> {
        self.0.as_ref().map(|redactor| redactor.counts().clone()).unwrap_or_default()
    }
}
