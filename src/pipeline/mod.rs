//! Joins the layers: capture, store, session, rules. One pass for a new database; a fold over stored frames after that.
//!
//! [`check`] is all of it in one call. [`ingest`] reads logs into a [`crate::store::Store`] and judges them, [`audit`] judges stored
//! frames again, [`summary`] says what a database holds.

mod ahead;
mod audit;
mod check;
mod cleaning;
#[cfg(feature = "live")]
pub mod conform;
mod coverage;
pub mod extract;
pub mod facts;
mod follow;
mod ingest;
mod inspector;
mod intake;
mod judge;
mod keys;
mod lookout;
mod merge;
mod numbers;
mod options;
mod own_order;
mod parts;
mod recorded;
pub mod replay;
mod spelling;
mod summary;
mod watcher;

#[cfg(test)]
mod check_tests;
#[cfg(test)]
mod http_tests;
#[cfg(test)]
mod memory_tests;
#[cfg(test)]
mod restart_tests;
#[cfg(test)]
mod tests;

pub use audit::{audit, judged_otherwise};
pub use check::{Findings, check, check_paths};
pub use coverage::{coverage, coverage_of};
pub use follow::follow;
pub use ingest::{ingest, ingest_sources, unchanged};
pub use inspector::Inspector;
pub use lookout::Lookout;
pub use merge::{Alone, Met, merge};
pub use options::{Hops, Options, Progress, Quiet};
pub use summary::{Input, Summary, Taken, summary};
pub use watcher::Watcher;
