//! Tasks that are not at work when they are created, over HTTP.

use std::rc::Rc;

use super::Incoming;
use super::rare::Empty;
use crate::protocol::{Profile, Side};
use crate::session::exchange::Exchange;
use crate::session::seen::Seen;

/// How many are remembered for a connection; of more nothing is said.
const REMEMBERED: usize = 1_024;

/// A task that is reported ended by the answer that creates it. Another report on it, on another stream, may have been the first:
/// whether there is one shows at the end.
pub(in crate::session) struct Birth {
    pub(in crate::session) seen: Seen,
    pub(in crate::session) owner: Side,
    pub(in crate::session) profile: &'static Profile,
    pub(in crate::session) task: Rc<str>,
    pub(in crate::session) status: Box<str>,
    pub(in crate::session) exchange: Box<Exchange>,
    /// True once the log has another report on it.
    pub(in crate::session) told_of: bool,
}

impl Birth {
    pub(in crate::session) fn new(m: &Incoming<'_>, task: &Rc<str>, status: &str, exchange: &Exchange) -> Birth {
        Birth {
            seen: m.seen,
            owner: m.sender,
            profile: m.profile,
            task: task.clone(),
            status: status.into(),
            exchange: Box::new(exchange.clone()),
            told_of: false,
        }
    }
}

/// Those of a connection.
pub(in crate::session) struct Births {
    pub(in crate::session) list: Vec<Birth>,
}

impl Empty for Births {
    const NEW: Self = Births { list: Vec::new() };
    const EMPTY: &'static Self = &Self::NEW;
}

impl Births {
    pub(in crate::session) fn push(&mut self, birth: Birth) {
        if self.list.len() < REMEMBERED {
            self.list.push(birth);
        }
    }

    /// There is another report on a task.
    pub(in crate::session) fn tell_of(&mut self, owner: Side, task: &str) {
        let own = self.list.iter_mut().filter(|birth| birth.owner == owner && *birth.task == *task);
        own.for_each(|birth| birth.told_of = true);
    }
}
