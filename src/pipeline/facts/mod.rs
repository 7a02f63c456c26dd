//! The audit in two steps that need not run in one place: [`lift`] makes facts of a capture, [`judge`] audits the facts of whole
//! connections. The fold, the rules and the store are those of every other audit.

mod judge;
mod lift;
#[cfg(test)]
mod tests;

pub use judge::{Part, judge};
pub use lift::{Lifted, lift, unread};
