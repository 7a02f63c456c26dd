//! Sessions that get their name with the answer to their handshake: the handshake itself is logged without one.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::Layout;
use super::envelope::{self, Envelope};

/// How a handshake is asked for, answered and ended, whatever a record does to quotes.
const ASKED: &str = "initialize";
const ENDED: &str = "initialized";
const TOLD: [&str; 3] = ["protocolVersion", "capabilities", ENDED];

/// Which session a handshake without a name belongs to.
#[derive(Default)]
pub(super) struct Minted {
    /// True in a log in which handshakes alone have no name.
    on: bool,
    /// How many handshakes had none.
    count: u32,
    /// Those of which no session was heard yet.
    waiting: Vec<u32>,
    /// Those that were not answered yet, the oldest first.
    unanswered: VecDeque<u32>,
    /// The one that was answered last.
    answered: Option<u32>,
    /// The handshake of each session.
    known: FxHashMap<Box<str>, u32>,
}

impl Minted {
    /// Looks at the records of a sample.
    pub(super) fn of<'t>(layout: &Layout, lines: impl Iterator<Item = &'t str>) -> Minted {
        let (mut named, mut alone) = (false, false);
        for line in lines {
            let mut found = Envelope::default();
            if envelope::read(line, 0, &layout.root, &mut found).is_err() || !found.has_message() {
                continue;
            }
            match (found.names_connection(), asks(line)) {
                (true, true) => return Minted::default(),
                (true, false) => named = true,
                (false, _) if asks(line) || TOLD.iter().any(|sign| line.contains(sign)) => alone = true,
                (false, _) => return Minted::default(),
            }
        }
        Minted { on: named && alone, ..Minted::default() }
    }

    /// The handshake that the next message belongs to; `name` is the one that its record has.
    #[inline(always)]
    pub(super) fn handshake(&mut self, name: &str, text: &str) -> Option<u32> {
        if self.on { self.found(name, text) } else { None }
    }

    #[cold]
    fn found(&mut self, name: &str, text: &str) -> Option<u32> {
        if name.is_empty() {
            if asks(text) {
                self.count += 1;
                self.waiting.push(self.count);
                self.unanswered.push_back(self.count);
                return Some(self.count);
            }
            // Nothing tells whose answer this is; each has one. What ends a handshake stands behind it.
            if !text.contains(ENDED) {
                self.answered = self.unanswered.pop_front().or(self.answered);
            }
            return self.answered.or(self.waiting.last().copied());
        }
        if let Some(known) = self.known.get(name) {
            return Some(*known).filter(|handshake| *handshake > 0);
        }
        // Of several that wait nothing tells whose this is.
        let own = if self.waiting.len() == 1 { self.waiting[0] } else { 0 };
        self.waiting.clear();
        self.unanswered.clear();
        self.answered = None;
        self.known.insert(name.into(), own);
        Some(own).filter(|handshake| *handshake > 0)
    }
}

/// True for a record that asks for the handshake.
fn asks(text: &str) -> bool {
    let quoted = |at: usize| text[at + ASKED.len()..].starts_with(['"', '\\']) && text[..at].ends_with('"');
    text.match_indices(ASKED).any(|(at, _)| quoted(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASK: &str = r#"{"method":"initialize"}"#;
    const ANSWER: &str = r#"{"result":{"protocolVersion":"2025-11-25"}}"#;
    const END: &str = r#"{"method":"notifications/initialized"}"#;

    fn given(records: &[(&str, &str)]) -> Vec<u32> {
        let mut minted = Minted { on: true, ..Minted::default() };
        records.iter().map(|(name, text)| minted.handshake(name, text).unwrap_or(0)).collect()
    }

    #[test]
    fn of_several_handshakes_each_has_its_own_answer_and_end() {
        assert_eq!(given(&[("", ASK), ("", ANSWER), ("", END), ("a", END)]), [1, 1, 1, 1]);
        assert_eq!(
            given(&[("", ASK), ("", ASK), ("", ANSWER), ("", END), ("", ANSWER), ("", END)]),
            [1, 2, 1, 1, 2, 2]
        );
        assert_eq!(given(&[("", ASK), ("", ASK), ("a", END)]), [1, 2, 0], "nothing tells whose");
    }

    #[test]
    fn what_a_session_with_a_name_has_begun_with_answers_no_other() {
        assert_eq!(given(&[("", ASK), ("a", ANSWER), ("", ASK), ("", END), ("b", ANSWER)]), [1, 1, 2, 2, 2]);
    }
}
