//! Tool calls of prompt turns. One that outlives its turn (a subagent in the background) goes on to report.

use std::hash::Hasher;

use rustc_hash::FxHashMap;

use super::seen::Seen;
use crate::protocol::Facts;

/// How many tool calls of earlier turns are remembered for a session.
const REMEMBERED: usize = 4096;

/// Where a tool call began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// In the turn that is in work or was the last, with this message.
    ThisTurn(Seen),
    /// In a turn before.
    EarlierTurn,
    /// The log does not show it.
    Unknown,
}

/// The tool calls of one ACP session, and which of them have ended.
#[derive(Default)]
pub(super) struct Calls {
    turn: FxHashMap<u64, (Seen, bool)>,
    earlier: FxHashMap<u64, bool>,
    forgot: bool,
}

impl Calls {
    /// A new turn begins.
    pub(super) fn next_turn(&mut self) {
        self.earlier.extend(self.turn.drain().map(|(call, (_, ended))| (call, ended)));
        if self.earlier.len() > REMEMBERED {
            self.forgot = true;
            self.earlier.retain(|_, ended| !*ended);
        }
        if self.earlier.len() > REMEMBERED {
            self.earlier.clear();
        }
    }

    /// An update of a tool call, whose id and status are raw JSON text: where did the call begin? `begins` is this message
    /// where it is the first of the call, and `in_turn` true while a turn is in work.
    pub(super) fn note(&mut self, call: &str, status: Option<&str>, begins: Option<Seen>, in_turn: bool) -> Whose {
        let mut hasher = rustc_hash::FxHasher::default();
        hasher.write(call.as_bytes());
        let call = hasher.finish();
        let ended = ["completed", "failed", "cancelled"].iter().any(|end| Facts::is(status, end));
        if let Some(old) = self.earlier.get_mut(&call) {
            *old |= ended;
            return Whose::EarlierTurn;
        }
        if let Some((began, old)) = self.turn.get_mut(&call) {
            *old |= ended;
            return Whose::ThisTurn(*began);
        }
        // What begins between two turns may have been begun by what goes on from an earlier one; else it is the last turn's.
        match begins {
            Some(_) if !in_turn && self.any_goes_on() => drop(self.earlier.insert(call, ended)),
            Some(seen) => drop(self.turn.insert(call, (seen, ended))),
            None => {}
        }
        Whose::Unknown
    }

    /// True if a tool call of an earlier turn may still be at work.
    pub(super) fn any_goes_on(&self) -> bool {
        self.forgot || self.earlier.values().any(|ended| !ended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEN: Seen = Seen { frame: 7, at_us: None };
    const BEGUN: Option<Seen> = Some(SEEN);

    #[test]
    fn a_call_belongs_to_the_turn_in_which_it_began() {
        let mut calls = Calls::default();
        assert_eq!(calls.note("\"a\"", Some("\"in_progress\""), BEGUN, true), Whose::Unknown);
        assert_eq!(calls.note("\"a\"", None, None, true), Whose::ThisTurn(SEEN));
        assert!(!calls.any_goes_on());
        calls.next_turn();
        assert_eq!(calls.note("\"b\"", None, BEGUN, true), Whose::Unknown);
        assert_eq!(calls.note("\"a\"", None, None, true), Whose::EarlierTurn);
        assert!(calls.any_goes_on());
        calls.note("\"a\"", Some("\"completed\""), None, false);
        assert!(!calls.any_goes_on());
    }

    #[test]
    fn a_call_that_ended_in_its_turn_does_not_go_on_after_it_whatever_is_said_of_it_later() {
        let after = |status: &str| {
            let mut calls = Calls::default();
            calls.note("\"a\"", Some("\"in_progress\""), BEGUN, true);
            calls.note("\"a\"", Some(status), None, true);
            calls.note("\"a\"", None, None, true);
            calls.next_turn();
            calls.note("\"a\"", None, None, false);
            calls.any_goes_on()
        };
        assert_eq!(["\"completed\"", "\"failed\"", "\"cancelled\""].map(after), [false; 3]);
        assert!(after("\"in_progress\""));
    }

    #[test]
    fn of_more_calls_than_are_remembered_those_that_ended_are_forgotten_first() {
        let filled = |open: usize, ended: usize| {
            let mut calls = Calls::default();
            for call in 0..open + ended {
                let status = if call < open { "\"pending\"" } else { "\"completed\"" };
                calls.note(&call.to_string(), Some(status), BEGUN, true);
            }
            calls.next_turn();
            (calls.earlier.len(), calls.forgot)
        };
        assert_eq!(filled(0, REMEMBERED), (REMEMBERED, false));
        assert_eq!(filled(1, REMEMBERED), (1, true));
        assert_eq!(filled(REMEMBERED, 1), (REMEMBERED, true));
        assert_eq!(filled(REMEMBERED + 1, 0), (0, true), "too many that go on");
    }

    #[test]
    fn a_call_whose_start_was_not_seen_stays_unknown() {
        let mut calls = Calls::default();
        assert_eq!(calls.note("\"x\"", None, None, false), Whose::Unknown);
        assert_eq!(calls.note("\"x\"", None, None, false), Whose::Unknown);
    }

    #[test]
    fn what_begins_between_two_turns_is_the_last_turns_unless_an_earlier_one_goes_on() {
        let mut calls = Calls::default();
        assert_eq!(calls.note("\"x\"", None, BEGUN, false), Whose::Unknown);
        assert!(!calls.any_goes_on(), "it is no excuse for itself");
        assert_eq!(calls.note("\"x\"", None, None, false), Whose::ThisTurn(SEEN));
        calls.next_turn();
        assert_eq!(calls.note("\"y\"", None, BEGUN, false), Whose::Unknown);
        assert_eq!(calls.note("\"y\"", None, None, false), Whose::EarlierTurn);
    }
}
