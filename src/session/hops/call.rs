//! A request of a client at one hop, and what its hop shows of its end.

use super::super::exchange::{Exchange, Outcome, TaskState};
use super::super::seen::Seen;
use super::content::Content;
use crate::protocol::{Role, role};

/// The cancel that the hop of a request shows.
pub(super) fn given_up(exchange: &Exchange) -> Option<Seen> {
    exchange.cancel().or(exchange.turn_cancel()).map(|cancel| cancel.seen)
}

/// True for a request that was cancelled, or that cancels a task, whose own request was answered before.
pub(super) fn gives_up(exchange: &Exchange) -> bool {
    let of_task = || exchange.profile.tasks && role(&exchange.method) == Role::TaskCancel;
    given_up(exchange).is_some() || of_task()
}

/// A request of a client at one hop.
pub(super) struct Call {
    pub hop: usize,
    pub connection: u32,
    pub exchange: Exchange,
    pub content: Content,
    pub sent_us: i64,
}

impl Call {
    /// The cancel that its hop shows.
    pub fn given_up(&self) -> Option<Seen> {
        given_up(&self.exchange)
    }

    /// True if something of it may be, or lead to, a cancel: a spelling of another protocol, a stream or session that was closed, a task.
    pub fn may_be_given_up(&self) -> bool {
        let exchange = &self.exchange;
        let closed = exchange.stream_closed.or(exchange.session_closed).is_some();
        closed || !exchange.cancels.is_empty() || exchange.task != TaskState::None
    }

    pub fn given_up_us(&self) -> Option<i64> {
        self.given_up()?.at_us
    }

    pub fn is_given_up_at(&self, us: i64) -> bool {
        self.given_up_us().is_some_and(|at| at <= us)
    }

    pub fn answered_us(&self) -> Option<i64> {
        self.exchange.answer?.at_us
    }

    /// True if, at a moment of its own hop, the hop below may still be asked on its behalf.
    pub fn may_be_served(&self, served: bool, us: i64) -> bool {
        let answered = self.answered_us().is_some_and(|at| at < us);
        let over = answered || served && self.is_given_up_at(us);
        !over
    }

    /// True if it was answered with an error, and not as one that was cancelled.
    pub fn has_failed(&self) -> bool {
        matches!(self.exchange.outcome, Outcome::Error)
    }

    /// True if it ended as all went well, and not by a cancel.
    pub fn has_result(&self) -> bool {
        matches!(self.exchange.outcome, Outcome::Result) && self.exchange.task == TaskState::None
    }
}
