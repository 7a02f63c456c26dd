//! Live peers: transports for replay and mock, and the recorder. Knows neither SQLite nor judgement.
//!
//! [`link`] is plain data: what goes to a peer and what comes back. Everything that needs the async stack stands behind the feature `live`.

mod clock;
#[cfg(feature = "live")]
pub mod collector;
pub mod link;
#[cfg(feature = "live")]
mod origin;
#[cfg(feature = "live")]
pub mod proxy;
#[cfg(feature = "live")]
pub mod serve;
#[cfg(feature = "live")]
pub mod shim;
#[cfg(feature = "live")]
pub mod sign;
pub mod tape;
#[cfg(feature = "live")]
pub mod tcp;
#[cfg(feature = "live")]
pub mod tls;
#[cfg(feature = "live")]
pub mod transport;
#[cfg(feature = "live")]
mod web;

pub use clock::Clock;
pub use link::{Access, Arrival, Command, Forced, Incoming, Outgoing, Target};
#[cfg(feature = "live")]
pub use transport::{Framing, Link, connect};
