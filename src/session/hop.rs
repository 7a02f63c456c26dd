//! What the logs of two hops of one request show together.

use super::exchange::Exchange;
use super::seen::{FrameId, Seen};
use crate::protocol::Side;

/// What is wrong between two hops. Times are in microseconds, of the lower hop where nothing else is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HopFault {
    /// The upper request was cancelled, and the lower one that serves it was not.
    NotForwarded {
        /// The cancel above.
        cancel: Seen,
        /// How long the lower one went on after it: to its answer, or to the end of the log.
        for_us: i64,
        /// The stretch of the lower hop in which a cancel should have been.
        within: (FrameId, FrameId),
    },
    /// A request above was cancelled, and the lower one was sent only then, or was answered with a result.
    Ran {
        /// The cancel above.
        cancel: Seen,
        /// The request or result that shows it.
        work: Seen,
        /// How long after the cancel.
        after_us: i64,
    },
    /// The upper request was answered with a result before the lower one that serves it was answered.
    AnsweredAhead {
        /// The answer above.
        answer: Seen,
        /// How much earlier.
        by_us: i64,
    },
    /// The upper hop gives up sooner than the lower one does on its behalf.
    Outlasted {
        /// The cancel above and that below.
        cancels: (Seen, Seen),
        /// After how long each of them gives up.
        after_us: (i64, i64),
    },
}

impl HopFault {
    /// Who did it, of the upper connection's sides.
    pub(super) fn sender(&self) -> Side {
        match self {
            HopFault::Outlasted { .. } => Side::Client,
            _ => Side::Server,
        }
    }
}

/// Two requests, of which the lower one serves the upper one, perhaps over hops between them, and what is wrong.
#[derive(Clone, Copy, Debug)]
pub struct Hop<'a> {
    /// What is wrong.
    pub fault: HopFault,
    /// The request at the hop nearer to the user.
    pub upper: &'a Exchange,
    /// The request that serves it.
    pub lower: &'a Exchange,
    /// The names of the two hops.
    pub names: (&'a str, &'a str),
    /// Why it is not sure that the one serves the other.
    pub doubt: Option<&'static str>,
}

impl Hop<'_> {
    /// The message that a finding points at.
    pub(super) fn place(&self) -> Seen {
        match self.fault {
            HopFault::NotForwarded { cancel, .. } => cancel,
            HopFault::Ran { work, .. } => work,
            HopFault::AnsweredAhead { answer, .. } => answer,
            HopFault::Outlasted { cancels, .. } => cancels.0,
        }
    }
}
