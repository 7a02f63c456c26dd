//! Replay against a live server: recordings out of the store, the peer's bytes in and out, the live session back in.
//!
//! `replay` is pure; here it gets its [`crate::replay::Recording`] and its peer.

mod load;
mod thread;

#[cfg(test)]
mod tests;

pub use load::{load, load_connections};
