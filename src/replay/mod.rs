//! Replay: a recorded session played against a live peer, and the comparison of what came of it.
//!
//! `Recording -> Plan -> Engine -> RunLog -> compare -> RunReport`. Everything here is pure: time is data, peers are [`crate::live::link`]
//! values that go in and out. `pipeline::replay` loads recordings and moves the bytes.

pub mod accept;
pub mod compare;
pub mod edit;
pub mod engine;
pub(crate) mod flow;
pub mod judge;
pub(crate) mod message;
pub mod minimise;
pub mod mock;
pub mod noise;
pub mod options;
pub mod plan;
pub mod policy;
pub mod recording;
mod rewrite;
pub mod run;
pub(crate) mod splice;
pub mod suggest;
#[cfg(test)]
pub(crate) mod testing;
mod timing;
pub mod verdict;

pub use engine::{Engine, Waiting};
pub use judge::{About, diff, judge};
pub use options::Options;
pub use plan::{ConnectionPlan, Plan, plan};
pub use recording::Recording;
pub use run::RunLog;
pub use verdict::{RunReport, Verdict};
