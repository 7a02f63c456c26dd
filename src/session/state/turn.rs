//! The turns of a session (ACP).

use super::controls::Controls;
use super::slot::Handle;
use crate::session::calls::Calls;
use crate::session::exchange::Exchange;
use crate::session::race::Judgement;
use crate::session::seen::Seen;

/// One ACP session's turns.
#[derive(Default)]
pub(in crate::session) struct Turn {
    /// Prompts of the turn that is in work.
    pub(in crate::session) prompts: Vec<Handle>,
    /// Permission requests in flight.
    pub(in crate::session) permissions: Vec<Handle>,
    /// The `session/cancel` of the turn that is in work.
    pub(in crate::session) cancelled: Option<Seen>,
    /// The last prompt that was answered after a `session/cancel`, until the next prompt.
    pub(in crate::session) ended: Option<Ended>,
    /// The request that loads the session.
    pub(in crate::session) loading: Option<Handle>,
    /// What the client last sent for the session that the protocol does not know, since its turn began.
    pub(in crate::session) extension: Option<Seen>,
    /// The last prompt of all.
    pub(in crate::session) last: Option<Handle>,
    /// What ended the last turn.
    pub(in crate::session) over: Option<Seen>,
    /// The request that closes the session.
    pub(in crate::session) closing: Option<Handle>,
    /// Tool calls of this turn, and those of earlier ones that go on.
    pub(in crate::session) calls: Calls,
    /// What of it may be cancelled by itself.
    pub(in crate::session) controls: Controls,
    /// The agent has reported that it is at work in the session, and nothing else since (ACP 2).
    pub(in crate::session) at_work: Option<Seen>,
}

/// A prompt that was answered, not as cancelled, while the close of its session was in flight.
pub(in crate::session) struct HalfClosed {
    pub(in crate::session) close: Handle,
    pub(in crate::session) exchange: Box<Exchange>,
    pub(in crate::session) judgement: Judgement,
}

/// A turn that was cancelled and ended.
pub(in crate::session) struct Ended {
    pub(in crate::session) prompt: Handle,
    pub(in crate::session) answer: Seen,
    /// Whether the agent knew of the cancel when it ended the turn.
    pub(in crate::session) judgement: Judgement,
    /// An update of which it is not known whether it was this turn's has been reported.
    pub(in crate::session) doubted: bool,
}
