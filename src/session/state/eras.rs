//! What a connection has shown of the revisions that its sides speak (MCP 2026-07-28).

use super::rare::{Empty, Rare};
use crate::protocol::{Profile, Versions};
use crate::session::detail::EraFault;
use crate::session::exchange::Exchange;
use crate::session::seen::Seen;

/// What was shown so far.
#[derive(Default)]
pub(in crate::session) struct Eras {
    /// Whether the first request of the client asks what the server speaks.
    pub(in crate::session) probed: Option<bool>,
    /// The client's first handshake.
    pub(in crate::session) handshake: Option<Seen>,
    /// It was said that a client has not asked first.
    pub(in crate::session) unprobed: bool,
    /// The versions that a client has asked by, the newest last.
    pub(in crate::session) spoken: Vec<Box<str>>,
    /// What only sides show that go without a handshake, or refuse one.
    pub(in crate::session) shown: Rare<Shown>,
}

/// What sides show that go without a handshake, or refuse one.
pub(in crate::session) struct Shown {
    /// The first result of a server of this revision, and the profile that it is of.
    pub(in crate::session) modern: Option<(Seen, &'static Profile)>,
    /// What it refused before it had shown its revision, with the refusals.
    pub(in crate::session) refused: Vec<(Box<Exchange>, Seen, EraFault)>,
    /// Its first request of this revision, and the profile that it is of.
    pub(in crate::session) stateless: Option<(Seen, &'static Profile)>,
    /// Where each side named itself first.
    pub(in crate::session) named: [Option<Seen>; 2],
    /// Of which side it was said.
    pub(in crate::session) nameless: [bool; 2],
    /// The last refusal that lists the versions of the server.
    pub(in crate::session) refusal: Option<Refusal>,
}

impl Empty for Shown {
    const NEW: Self = Shown {
        modern: None,
        refused: Vec::new(),
        stateless: None,
        named: [None; 2],
        nameless: [false; 2],
        refusal: None,
    };
    const EMPTY: &'static Self = &Self::NEW;
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
