//! Requests in several rounds (MCP 2026-07-28): what a server asked for in which request, and the state that it gave for the next one.
//! Only hashes are kept.

use std::hash::Hasher;

use crate::protocol::Facts;
use crate::session::detail::RoundFault;
use crate::session::seen::Seen;

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
    call: Call,
    state: Option<u64>,
    /// It asks questions, and does not only say that the request is to be sent again.
    questions: bool,
}

/// All of a connection.
#[derive(Default)]
pub(in crate::session) struct Rounds(Vec<Asked>);

impl Rounds {
    /// A result that asks for input.
    pub(in crate::session) fn ask(&mut self, seen: Seen, call: Call, facts: &Facts<'_>) {
        if self.0.len() < REMEMBERED {
            let questions = facts.input_requests().is_some_and(|raw| raw.contains(':'));
            self.0.push(Asked { seen, call, state: state(facts), questions });
        }
    }

    /// What is wrong with a request that brings answers or a state, and the result that shows it.
    pub(in crate::session) fn fault(&self, call: Call, facts: &Facts<'_>) -> Option<(RoundFault, Seen)> {
        if self.0.len() >= REMEMBERED {
            return None;
        }
        let brought = state(facts);
        let own: Vec<&Asked> = self.0.iter().filter(|asked| asked.call.whole == call.whole).collect();
        let Some(last) = own.last() else { return self.elsewhere(call, brought?) };
        let gave: Vec<&&Asked> = own.iter().filter(|asked| asked.state == brought).collect();
        let fault = match brought {
            _ if !gave.is_empty() => {
                let unanswered = facts.input_responses().is_none() && gave.iter().all(|asked| asked.questions);
                unanswered.then_some(RoundFault::Unanswered)?
            }
            Some(_) if own.iter().all(|asked| asked.state.is_none()) => RoundFault::Added,
            Some(_) => RoundFault::Changed,
            None => RoundFault::Dropped,
        };
        Some((fault, last.seen))
    }

    /// A state that was given for other callees only.
    fn elsewhere(&self, call: Call, brought: u64) -> Option<(RoundFault, Seen)> {
        let given = self.0.iter().filter(|asked| asked.state == Some(brought));
        let last = given.clone().next_back()?;
        given.clone().all(|asked| asked.call.callee != call.callee).then_some((RoundFault::Elsewhere, last.seen))
    }
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
