//! What servers wrote to stderr last, and how much of a text is kept.

use std::collections::VecDeque;

use super::rare::Empty;
use crate::session::seen::Seen;

/// How many lines of stderr are remembered.
const LAST_LINES: usize = 3;

/// The longest text of a log that is kept, in bytes: the reason of a cancel, a line of stderr.
const KEPT: usize = 256;

/// The last lines that the server wrote to stderr.
pub(in crate::session) struct Stderr {
    pub(in crate::session) lines: VecDeque<Seen>,
    /// What the last line that is not blank says.
    pub(in crate::session) last: String,
}

impl Empty for Stderr {
    const NEW: Self = Stderr { lines: Empty::NEW, last: String::new() };
    const EMPTY: &'static Self = &Self::NEW;
}

impl Stderr {
    pub(in crate::session) fn say(&mut self, seen: Seen, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        if self.lines.len() == LAST_LINES {
            self.lines.pop_front();
        }
        self.lines.push_back(seen);
        self.last.clear();
        self.last.push_str(cut(text));
    }
}

/// As much of a text as is kept.
pub(in crate::session) fn cut(text: &str) -> &str {
    let mut end = text.len().min(KEPT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_that_are_not_blank_are_remembered() {
        let mut stderr = Stderr::NEW;
        for (frame, text) in ["one", "two ", "  ", "three", "four", ""].into_iter().enumerate() {
            stderr.say(Seen { frame: frame as u64, at_us: None }, text);
        }
        let frames: Vec<_> = stderr.lines.iter().map(|seen| seen.frame).collect();
        assert_eq!((frames, stderr.last.as_str()), (vec![1, 3, 4], "four"));
    }

    #[test]
    fn a_long_text_is_cut_where_a_character_ends() {
        let letters = "a".repeat(KEPT);
        assert_eq!(cut(&letters), letters);
        assert_eq!(cut(&format!("{letters}b")), letters);
        let umlauts = format!("a{}", "\u{e4}".repeat(KEPT));
        assert_eq!(cut(&umlauts).len(), KEPT - 1, "half a character is none");
        assert!(umlauts.starts_with(cut(&umlauts)));
    }
}
