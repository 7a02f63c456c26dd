//! The tasks of a connection.

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::index;
use super::rare::Empty;
use super::slot::Handle;
use crate::protocol::Side;
use crate::session::seen::Seen;

/// How many tasks are remembered for a connection.
const REMEMBERED: usize = 16_384;

/// One task as its owner reported it.
pub(in crate::session) struct Task {
    pub(in crate::session) status: Box<str>,
    pub(in crate::session) seen: Seen,
    /// The stream that the report came on.
    pub(in crate::session) stream: Option<u32>,
    pub(in crate::session) creator: Option<Handle>,
    /// The first `tasks/cancel` of it.
    pub(in crate::session) cancel: Option<Seen>,
    /// The answer that delivered its result.
    pub(in crate::session) delivered: Option<Seen>,
}

/// The tasks of a connection, by owner and name.
pub(in crate::session) struct Tasks {
    pub(in crate::session) known: [FxHashMap<Rc<str>, Task>; 2],
    pub(in crate::session) order: VecDeque<(Side, Rc<str>)>,
}

impl Empty for Tasks {
    const NEW: Self = Tasks { known: [Empty::NEW, Empty::NEW], order: Empty::NEW };
    const EMPTY: &'static Self = &Self::NEW;
}

/// True for a status that never changes again.
pub(in crate::session) fn terminal(status: &str) -> bool {
    matches!(status, "completed" | "failed" | "cancelled")
}

impl Tasks {
    pub(in crate::session) fn get(&self, owner: Side, name: &str) -> Option<&Task> {
        self.known[index(owner)].get(name)
    }

    /// The report by which a task had ended.
    pub(in crate::session) fn ended(&self, owner: Side, name: &str) -> Option<Seen> {
        self.get(owner, name).filter(|task| terminal(&task.status)).map(|task| task.seen)
    }

    /// True if a task had ended by a report on this stream, so that what else comes on it comes later.
    pub(in crate::session) fn ended_on(&self, owner: Side, name: &str, stream: Option<u32>) -> bool {
        stream.is_some() && self.get(owner, name).is_some_and(|task| terminal(&task.status) && task.stream == stream)
    }

    /// The `tasks/cancel` of a task, and whether its owner has reported since that it is cancelled.
    pub(in crate::session) fn cancel(&self, owner: Side, name: &str) -> Option<(Seen, bool)> {
        let task = self.get(owner, name)?;
        Some((task.cancel?, &*task.status == "cancelled"))
    }

    /// True if a task was cancelled, or is being cancelled.
    pub(in crate::session) fn was_cancelled(&self, owner: Side, name: &str) -> bool {
        self.get(owner, name).is_some_and(|task| task.cancel.is_some() || &*task.status == "cancelled")
    }

    pub(in crate::session) fn knows(&self, owner: Side, name: &str) -> bool {
        self.get(owner, name).is_some()
    }

    pub(in crate::session) fn set(&mut self, owner: Side, name: Rc<str>, task: Task) {
        if self.known[index(owner)].insert(name.clone(), task).is_none() {
            self.order.push_back((owner, name));
        }
        if self.order.len() > REMEMBERED
            && let Some((owner, name)) = self.order.pop_front()
        {
            self.known[index(owner)].remove(&name);
        }
    }
}

/// Tasks that were named and that nothing in the log has created.
pub(in crate::session) struct StrangeTasks {
    /// By owner and name: the refusal, if there was one, and whether it was said that the owner took the name.
    pub(in crate::session) known: FxHashMap<(Side, Rc<str>), (Option<Seen>, bool)>,
}

impl Empty for StrangeTasks {
    const NEW: Self = StrangeTasks { known: Empty::NEW };
    const EMPTY: &'static Self = &Self::NEW;
}

impl StrangeTasks {
    /// True if no more are remembered.
    pub(in crate::session) fn is_full(&self) -> bool {
        self.known.len() >= REMEMBERED
    }
}
