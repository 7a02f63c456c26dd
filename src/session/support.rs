//! Which tools may be called as tasks, and which must be, as their server has listed them (MCP 2025-11-25).

use super::event::What;
use super::exchange::TaskState;
use super::state::{Conn, Incoming, Step};
use crate::jsonrpc::Id;
use crate::protocol::codes::METHOD_NOT_FOUND;
use crate::protocol::{Profile, Side, TaskSupport, task_support};

/// How many tools of a connection are remembered; of more nothing is said.
const REMEMBERED: usize = 4_096;

impl Conn {
    /// What a list says of tools, of a server that has declared tasks for them; of a tool of which two lists do not say the same, nothing
    /// is held: which of them its caller knew is not in the log.
    pub(super) fn note_support(&mut self, m: &Incoming<'_>, issuer: Side, id: &Id) {
        if !self.facts.capabilities(m.sender).is_some_and(|declared| declared.tasks_tools_call) {
            return;
        }
        let listed = |profile: &Profile, method: &str| profile.tasks_by_request() && method == "tools/list";
        if !self.slot(issuer, id).is_some_and(|slot| listed(slot.exchange.profile, &slot.exchange.method)) {
            return;
        }
        for (name, support) in task_support(m.facts) {
            let room = self.support.len() < REMEMBERED;
            match self.support.get_mut(&*name) {
                Some((known, _)) if *known != Some(support) => *known = None,
                Some(_) => {}
                None if room => {
                    self.support.insert(name.into(), (Some(support), m.seen));
                }
                None => {}
            }
        }
    }

    /// The tools are others now: what was said of them holds no more.
    pub(super) fn forget_support(&mut self) {
        self.support.held().into_iter().flatten().for_each(|(_, (known, _))| *known = None);
    }

    /// A call that its server refuses, and that was made against what the tool says of tasks.
    pub(super) fn against_support(&self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        if m.message.error_code() != Some(METHOD_NOT_FOUND) || self.support.is_empty() {
            return;
        }
        let Some(slot) = self.slot(issuer, id).filter(|slot| &*slot.exchange.method == "tools/call") else { return };
        let known = slot.exchange.name.as_deref().and_then(|name| self.support.get(name));
        let Some((Some(support), listed)) = known.filter(|(_, listed)| listed.frame < slot.exchange.request.frame)
        else {
            return;
        };
        let required = match (support, &slot.exchange.task) {
            (TaskSupport::Forbidden, TaskState::Asked) => false,
            (TaskSupport::Required, TaskState::None) => true,
            _ => return,
        };
        let what = What::Unsupported { exchange: &slot.exchange, listed: *listed, required };
        self.emit(step, slot.exchange.profile, m.seen, Some(m.sender), what);
    }
}
