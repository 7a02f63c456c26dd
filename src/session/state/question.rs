//! Open questions about what is not remembered.

use super::named::Naming;
use crate::jsonrpc::Id;
use crate::protocol::{Profile, Side};
use crate::session::exchange::Cancellation;
use crate::session::race::Crossing;
use crate::session::seen::Seen;

/// A question about an id that is not known any more.
pub(in crate::session) struct Question {
    pub(in crate::session) seen: Seen,
    pub(in crate::session) sender: Side,
    pub(in crate::session) profile: &'static Profile,
    pub(in crate::session) id: Id,
    pub(in crate::session) about: About,
}

pub(in crate::session) enum About {
    Answer(Naming),
    Cancel(Box<Cancellation>, Crossing),
}
