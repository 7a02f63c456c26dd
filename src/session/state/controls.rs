//! Tool calls and terminals of a session as their agent reports them (ACP 2): whether it offers to cancel them, and whether they have
//! ended.

use std::hash::Hasher;

use rustc_hash::FxHashMap;

use crate::protocol::Facts;
use crate::session::seen::Seen;

/// How many of them are remembered for a session; in one with more nothing is said of those that are not.
const REMEMBERED: usize = 16_384;

/// Whether an agent offers to cancel something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::session) enum Offered {
    /// It does, or the log does not tell.
    Perhaps,
    /// It never has.
    Never,
    /// Not any more, since this message.
    Withdrawn(Seen),
}

/// One tool call or terminal.
struct Control {
    offered: Offered,
    ended: Option<Seen>,
    /// That its cancel is offered although it has ended has been said.
    told: bool,
}

/// All of a session.
#[derive(Default)]
pub(in crate::session) struct Controls {
    known: FxHashMap<u64, Control>,
    /// The log shows the session from its beginning, with all that was reported in it.
    pub(in crate::session) whole: bool,
}

impl Controls {
    /// What the agent reports of one; where that offers the cancel of what has ended: what says that it has. Once for each.
    pub(in crate::session) fn report(&mut self, facts: &Facts<'_>, seen: Seen) -> Option<Seen> {
        let key = key(facts)?;
        if self.known.len() >= REMEMBERED && !self.known.contains_key(&key) {
            self.whole = false;
            return None;
        }
        let offered = if self.whole { Offered::Never } else { Offered::Perhaps };
        let control = self.known.entry(key).or_insert(Control { offered, ended: None, told: false });
        if facts.taken_out {
            (control.offered, control.ended) = (Offered::Perhaps, None);
            return None;
        }
        control.end(facts, seen);
        let offers = control.offer(facts, seen);
        control.ended.filter(|_| offers && !std::mem::replace(&mut control.told, true))
    }

    /// The session was taken up again: what its agent has reported before may hold no more.
    pub(in crate::session) fn taken_up(&mut self) {
        self.whole = false;
        self.known.clear();
    }

    /// Whether the agent offers to cancel what a request names.
    pub(in crate::session) fn offered(&self, facts: &Facts<'_>) -> Offered {
        let known = key(facts).map(|key| self.known.get(&key));
        match known {
            Some(Some(control)) => control.offered,
            Some(None) if self.whole => Offered::Never,
            _ => Offered::Perhaps,
        }
    }

    /// What said that the one which a request names has ended.
    pub(in crate::session) fn ended(&self, facts: &Facts<'_>) -> Option<(u64, Seen)> {
        let key = key(facts)?;
        self.known.get(&key)?.ended.map(|ended| (key, ended))
    }

    /// The same, of a name by its hash.
    pub(in crate::session) fn still_ended(&self, key: u64) -> Option<Seen> {
        self.known.get(&key)?.ended
    }
}

impl Control {
    /// A member that is not there changes nothing; a status that is none of the last ones goes on.
    fn end(&mut self, facts: &Facts<'_>, seen: Seen) {
        let ends = match (facts.tool_call(), facts.update_status(), facts.exit_status()) {
            (Some(_), Some(status), _) => is_last(status),
            (None, _, Some(exit)) => exit.starts_with('{'),
            _ => return,
        };
        self.ended = if ends { self.ended.or(Some(seen)) } else { None };
    }

    /// True if this report offers the cancel.
    fn offer(&mut self, facts: &Facts<'_>, seen: Seen) -> bool {
        let Some(raw) = facts.controls() else { return false };
        let offers = offers_cancel(raw);
        self.offered = match self.offered {
            _ if offers => Offered::Perhaps,
            Offered::Perhaps => Offered::Withdrawn(seen),
            before => before,
        };
        offers
    }
}

fn is_last(status: &str) -> bool {
    ["completed", "failed", "cancelled"].iter().any(|last| Facts::is(Some(status), last))
}

/// An object offers it, an empty one, too.
fn offers_cancel(raw: &str) -> bool {
    let value: serde_json::Value = serde_json::from_str(raw).unwrap_or_default();
    value["cancel"].is_object()
}

/// The tool call or the terminal that a message names, by a hash.
fn key(facts: &Facts<'_>) -> Option<u64> {
    let (kind, name) = match (facts.tool_call(), facts.terminal()) {
        (Some(call), _) => (0, call),
        (None, Some(terminal)) => (1, terminal),
        (None, None) => return None,
    };
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write_u8(kind);
    hasher.write(Facts::text(Some(name))?.as_bytes());
    Some(hasher.finish())
}
