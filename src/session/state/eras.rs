//! What a connection has shown of the revisions that its sides speak (MCP 2026-07-28).

use crate::protocol::Profile;
use crate::session::detail::EraFault;
use crate::session::exchange::Exchange;
use crate::session::seen::Seen;

/// What was shown so far.
#[derive(Default)]
pub(in crate::session) struct Eras {
    /// The first result of a server of this revision, and the profile that it is of.
    pub(in crate::session) modern: Option<(Seen, &'static Profile)>,
    /// What it refused before it had shown its revision, with the refusals.
    pub(in crate::session) refused: Vec<(Box<Exchange>, Seen, EraFault)>,
    /// Whether the first request of the client asks what the server speaks.
    pub(in crate::session) probed: Option<bool>,
    /// The client's first handshake.
    pub(in crate::session) handshake: Option<Seen>,
    /// Its first request of this revision, and the profile that it is of.
    pub(in crate::session) stateless: Option<(Seen, &'static Profile)>,
    /// It was said that a client has not asked first.
    pub(in crate::session) unprobed: bool,
    /// Where each side named itself first.
    pub(in crate::session) named: [Option<Seen>; 2],
    /// Of which side it was said.
    pub(in crate::session) nameless: [bool; 2],
}

/// What a connection has shown of log messages.
#[derive(Default)]
pub(in crate::session) struct Logs {
    /// Some request asked for them.
    pub(in crate::session) asked: bool,
    /// It was said that they come unasked.
    pub(in crate::session) told: bool,
}
