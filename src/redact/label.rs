//! A label in a text, and what stands around it.

use std::ops::Range;

use super::names::Said;
use super::near::{NEAR, Whole, end_of};

/// A label, and what may be said of it.
pub(super) struct Label<'t> {
    pub(super) whole: &'t Whole<'t>,
    pub(super) text: &'t str,
    pub(super) name: Range<usize>,
    pub(super) said: Said,
}

/// What stands between a label and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// An equals sign, an arrow, an element of XML, the value of a flag: whatever follows is the value.
    Assigned,
    /// The tags of an element: all between them is the value.
    Element,
    /// A colon, which explains as often as it assigns.
    Colon,
    /// The end of a line below which the value stands.
    Below,
    /// A word that says so: `the token is ...`, `token provided: ...`.
    Said,
    /// Words or blanks.
    Words,
    /// A comma between two quoted words, as in a list of names.
    Listed,
    /// The bracket of a call: `setPassword('...')`.
    Called,
    /// A comma in a call that sets what the word before it names: `define('DB_PASSWORD', '...')`.
    Set,
}

impl Label<'_> {
    /// What stands before the name, as far as that may belong to it.
    pub(super) fn before(&self) -> &str {
        end_of(&self.text[..self.name.start], NEAR)
    }

    /// `--token`, whose value is the next word.
    pub(super) fn is_flag(&self) -> bool {
        self.text[self.name.clone()].starts_with('-')
            && !self.before().ends_with(|c: char| !c.is_whitespace() && c != '\'' && c != '"' && c != '(')
    }

    pub(super) fn starts_line(&self) -> bool {
        let line = self.before().rsplit('\n').next().unwrap_or_default();
        let line = line.trim_start().trim_start_matches("export ").trim_start_matches("ENV ");
        line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '"' | '\'' | '+' | '>' | '*')).is_empty()
    }
}
