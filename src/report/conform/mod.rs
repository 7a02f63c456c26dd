//! A scorecard as text: a screen, JSON, JUnit, a row of a Markdown table, a badge.

mod badge;
mod json;
mod junit;
mod markdown;
mod redacted;
mod screen;
#[cfg(test)]
mod tests;

use std::io;

pub use json::{document, lines};
pub use markdown::merge;
pub use redacted::redacted;
pub use screen::{list, screen};

use crate::conform::Card;

/// A kind of report.
pub struct CardKind {
    /// Its name on the command line.
    pub name: &'static str,
    /// Writes it; what the file holds already is given to it.
    pub write: fn(&Card, before: &str) -> io::Result<String>,
}

/// All of them.
pub static CARD_KINDS: &[CardKind] = &[
    CardKind { name: "junit", write: |card, _| junit::junit(card) },
    CardKind { name: "md", write: |card, before| Ok(merge(card, before)) },
    CardKind { name: "jsonl", write: |card, _| lines(card) },
    CardKind { name: "svg", write: |card, _| Ok(badge::badge(card)) },
];

impl CardKind {
    /// The one with this name.
    pub fn find(name: &str) -> Option<&'static CardKind> {
        CARD_KINDS.iter().find(|kind| kind.name == name)
    }
}
