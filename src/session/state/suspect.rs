//! Findings that wait until the race is judged.

use std::rc::Rc;

use crate::jsonrpc::Id;
use crate::protocol::Side;
use crate::session::detail::CancelFault;
use crate::session::exchange::{Cancellation, Exchange};
use crate::session::race::{Crossing, Judgement};
use crate::session::seen::{FrameId, Seen};

/// One suspect.
pub(in crate::session) struct Suspect {
    /// The question; its times say how long to wait.
    pub(in crate::session) crossing: Crossing,
    pub(in crate::session) what: Accused,
}

/// What will be reported once the race is judged.
pub(in crate::session) enum Accused {
    /// An answer after a cancel.
    LateAnswer(Box<LateAnswer>),
    /// A cancel after the answer.
    CompletedCancel(Box<CompletedCancel>),
    /// Progress after a cancel.
    Progress { issuer: Side, id: Id, request: FrameId, by_id: bool },
    /// A nested request after the cancel of what it serves.
    Nested { exchange: Box<Exchange> },
    /// Another message for a cancelled request.
    Notification { exchange: Box<Exchange> },
    /// A cancel that found no request.
    EarlyCancel(Box<EarlyCancel>),
}

/// See [`What::LateAnswer`].
pub(in crate::session) struct LateAnswer {
    pub(in crate::session) exchange: Exchange,
    pub(in crate::session) cancel: Cancellation,
    pub(in crate::session) error_code: Option<i64>,
    pub(in crate::session) is_error: bool,
    pub(in crate::session) says_cancelled: bool,
    pub(in crate::session) support_evident: bool,
}

/// A cancel whose target had been answered.
pub(in crate::session) struct CompletedCancel {
    pub(in crate::session) cancel: Cancellation,
    /// What is wrong with it if its sender had the answer.
    pub(in crate::session) fault: fn(Judgement) -> CancelFault,
    pub(in crate::session) profile: &'static crate::protocol::Profile,
    pub(in crate::session) request: Seen,
    pub(in crate::session) issuer: Side,
    pub(in crate::session) id: Id,
    pub(in crate::session) method: Rc<str>,
    pub(in crate::session) answer: Seen,
}

/// A cancel of an id that nobody had issued.
pub(in crate::session) struct EarlyCancel {
    pub(in crate::session) cancel: Cancellation,
    pub(in crate::session) profile: &'static crate::protocol::Profile,
    pub(in crate::session) fault: CancelFault,
    pub(in crate::session) id: Id,
    /// The request with this id that came after it.
    pub(in crate::session) later: Option<(Seen, Rc<str>)>,
    pub(in crate::session) near: Option<Near>,
}

/// The request that a cancel comes near to: one of the other side, or one whose id is of the other type.
pub(in crate::session) struct Near {
    pub(in crate::session) request: Seen,
    pub(in crate::session) issuer: crate::protocol::Side,
    pub(in crate::session) id: Id,
    pub(in crate::session) method: Rc<str>,
    pub(in crate::session) answer: Option<Seen>,
}
