//! Text logs that hold their messages anywhere in a line.
//!
//! `find` finds a message in a line, `coded` one that the logger encoded, `scan` goes through the lines of a log and gives each message with the text before
//! it. Both the reader of a definition (`record.message`) and the learner ([`super::learned`]) go by them, so what was
//! learned is what is read.

mod coded;
mod find;
mod scan;

pub(crate) use find::next;
pub(crate) use scan::{Piece, Row, Scanner};

/// True for a character that arrows and marks are made of: no letter, digit, blank, bracket, quote or ordinary punctuation.
pub(crate) fn is_sign(c: char) -> bool {
    !c.is_alphanumeric() && !c.is_whitespace() && !c.is_control() && !"_()[]{}:,;.\"'`|/\\@#&%$".contains(c)
}
