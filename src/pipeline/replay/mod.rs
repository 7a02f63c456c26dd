//! Replay against a live server: recordings out of the store, the peer's bytes in and out, the live session back in.
//!
//! `replay` is pure; here it gets its [`crate::replay::Recording`] and its peer.

mod again;
#[cfg(feature = "live")]
mod drive;
mod load;
#[cfg(feature = "live")]
pub mod mock;
mod resumed;
#[cfg(feature = "live")]
mod scribe;
#[cfg(feature = "live")]
mod session;
mod thread;

#[cfg(test)]
mod tests;
#[cfg(all(test, feature = "live"))]
pub(in crate::pipeline) mod virtually;

pub use again::{cancelled, not_twice, without_cancels};
#[cfg(feature = "live")]
pub use drive::{CONNECTION, Job, Unwatched, Watch};
pub use load::{load, load_connections};
#[cfg(feature = "live")]
pub use session::{Keep, Ran, Scratch, run};
