//! Replay: a recorded session played against a live peer, and the comparison of what came of it.
//!
//! `Recording -> Plan -> Engine -> RunLog -> compare -> RunReport`. Everything here is pure: time is data, peers are [`crate::live::link`]
//! values that go in and out. `pipeline::replay` loads recordings and moves the bytes.

pub mod compare;
pub mod options;
pub mod recording;
pub mod run;
pub mod verdict;

pub use options::Options;
pub use recording::Recording;
pub use run::RunLog;
pub use verdict::{RunReport, Verdict};
