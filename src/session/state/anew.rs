//! A handshake that was asked for where another one was.

use crate::protocol::Profile;
use crate::session::seen::Seen;

/// It is not known yet whether its server was started anew.
pub(in crate::session) struct Anew {
    /// The request.
    pub(in crate::session) seen: Seen,
    /// The handshake before it,
    pub(in crate::session) first: Seen,
    /// and what that was answered.
    pub(in crate::session) answered: Option<Seen>,
    /// By what it is judged.
    pub(in crate::session) profile: &'static Profile,
    /// The ids of the client go on with it: a client that was started anew begins to count.
    pub(in crate::session) counts_on: bool,
}
