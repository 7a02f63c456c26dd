//! Requests in several rounds (MCP 2026-07-28): what a server asked for in which request, and the state that it gave for the next one.
//! Only hashes are kept, and the names of what was asked for.

use std::hash::Hasher;

use rustc_hash::FxHashMap;

use super::rare::Empty;
use crate::json::each_member;
use crate::protocol::Facts;
use crate::session::detail::RoundFault;
use crate::session::seen::{FrameId, Seen};

/// How many questions are remembered for a connection; in one with more nothing is judged.
const REMEMBERED: usize = 4_096;

/// A request by what it asks for: its method and callee, and these with all of its parameters but the answers and the state.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::session) struct Call {
    callee: u64,
    whole: u64,
}

impl Call {
    /// The request of these facts.
    pub(in crate::session) fn new(method: &str, facts: &Facts<'_>) -> Call {
        let callee = hash(&[method, facts.name().or(facts.uri()).unwrap_or_default()], 0);
        Call { callee, whole: hash(&[method], facts.params_hash) }
    }
}

/// A result that asked for input.
struct Asked {
    seen: Seen,
    /// The request; none where something was taken out of it, so that it may be any.
    call: Option<Call>,
    state: Option<u64>,
    /// The names of its questions; where it has none, the request is only to be sent again.
    questions: Box<[Box<str>]>,
}

impl Asked {
    /// True if this very request was asked for input.
    fn is_of(&self, call: Call) -> bool {
        self.call.is_some_and(|asking| asking.whole == call.whole)
    }
}

/// All of a connection.
pub(in crate::session) struct Rounds {
    asked: Vec<Asked>,
    /// Requests that bring less than was asked for, until they are answered: the first name that is missing, and what asked for it.
    short: FxHashMap<FrameId, (Box<str>, Seen)>,
}

impl Empty for Rounds {
    const NEW: Self = Rounds { asked: Empty::NEW, short: Empty::NEW };
    const EMPTY: &'static Self = &Self::NEW;
}

impl Rounds {
    /// A result that asks for input.
    pub(in crate::session) fn ask(&mut self, seen: Seen, call: Option<Call>, facts: &Facts<'_>) {
        if self.asked.len() < REMEMBERED {
            let questions = facts.input_requests().map(names).unwrap_or_default();
            self.asked.push(Asked { seen, call, state: state(facts), questions });
        }
    }

    /// What is wrong with a request that brings answers or a state, and the result that shows it.
    pub(in crate::session) fn fault(&self, call: Call, facts: &Facts<'_>) -> Option<(RoundFault, Seen)> {
        if self.asked.len() >= REMEMBERED {
            return None;
        }
        let brought = state(facts);
        if self.asked.iter().any(|asked| asked.call.is_none() && asked.state == brought) {
            return None;
        }
        let own: Vec<&Asked> = self.asked.iter().filter(|asked| asked.is_of(call)).collect();
        let Some(last) = own.last() else { return self.elsewhere(call, brought?) };
        let gave: Vec<&&Asked> = own.iter().filter(|asked| asked.state == brought).collect();
        let fault = match brought {
            _ if !gave.is_empty() => {
                let unanswered =
                    facts.input_responses().is_none() && gave.iter().all(|asked| !asked.questions.is_empty());
                unanswered.then_some(RoundFault::Unanswered)?
            }
            Some(_) if own.iter().all(|asked| asked.state.is_none()) => RoundFault::Added,
            Some(_) => RoundFault::Changed,
            None => RoundFault::Dropped,
        };
        Some((fault, last.seen))
    }

    /// A request that brings answers: is one missing of those that the last question wanted which its state is of?
    pub(in crate::session) fn note_short(&mut self, call: Call, facts: &Facts<'_>, request: FrameId) {
        let brought = state(facts);
        let fits = |asked: &&Asked| asked.is_of(call) && asked.state == brought;
        let Some(last) = self.asked.iter().rev().find(fits).filter(|_| self.asked.len() < REMEMBERED) else { return };
        let answers = facts.input_responses().map(names).unwrap_or_default();
        if let Some(missing) = last.questions.iter().find(|name| !answers.contains(name)) {
            let missing = (missing.clone(), last.seen);
            self.short.insert(request, missing);
        }
    }

    /// True where nothing was asked for in rounds.
    pub(in crate::session) fn is_empty(&self) -> bool {
        self.asked.is_empty()
    }

    /// What such a request left out, now that it is answered.
    pub(in crate::session) fn take_short(&mut self, request: FrameId) -> Option<(Box<str>, Seen)> {
        if self.short.is_empty() { None } else { self.short.remove(&request) }
    }

    /// A state that was given for other callees only.
    fn elsewhere(&self, call: Call, brought: u64) -> Option<(RoundFault, Seen)> {
        let given = self.asked.iter().filter(|asked| asked.state == Some(brought));
        let last = given.clone().next_back()?;
        given
            .clone()
            .all(|asked| asked.call.is_some_and(|asking| asking.callee != call.callee))
            .then_some((RoundFault::Elsewhere, last.seen))
    }
}

/// The names in a map of questions or of answers.
fn names(raw: &str) -> Box<[Box<str>]> {
    let mut names = Vec::new();
    each_member(raw, |name, _| names.push(Box::from(name)));
    names.into()
}

fn state(facts: &Facts<'_>) -> Option<u64> {
    let text = Facts::text(facts.request_state().filter(|raw| raw.starts_with('"')))?;
    Some(hash(&[&text], 0))
}

fn hash(parts: &[&str], rest: u64) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    for part in parts {
        hasher.write(part.as_bytes());
        hasher.write_u8(0xff);
    }
    hasher.write_u64(rest);
    hasher.finish()
}
