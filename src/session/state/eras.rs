//! What a connection has shown of the revisions that its sides speak (MCP 2026-07-28).

use crate::protocol::{Profile, Versions};
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
    /// The versions that a client has asked by, the newest last.
    pub(in crate::session) spoken: Vec<Box<str>>,
    /// The last refusal that lists the versions of the server.
    pub(in crate::session) refusal: Option<Refusal>,
}

/// A version was refused, and the versions of the server were listed.
pub(in crate::session) struct Refusal {
    pub(in crate::session) seen: Seen,
    pub(in crate::session) profile: &'static Profile,
    pub(in crate::session) versions: Versions,
    /// That the client goes on with none of them was said.
    pub(in crate::session) told: bool,
}

/// What a connection has shown of log messages.
#[derive(Default)]
pub(in crate::session) struct Logs {
    /// Some request asked for them.
    pub(in crate::session) asked: bool,
    /// It was said that they come unasked.
    pub(in crate::session) told: bool,
}
